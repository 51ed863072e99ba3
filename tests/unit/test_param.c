#include "tests/unit/unit.h"

#include <string.h>

#include "runner/base/fd.h"
#include "runner/matrix/doc.h"
#include "runner/matrix/inventory.h"
#include "runner/matrix/param.h"

static bool same_kind(const struct param *a, const struct param *b)
{
	if (a->kind == NULL || b->kind == NULL)
		return a->kind == b->kind;
	return strcmp(a->kind, b->kind) == 0;
}

static void every_default_is_a_right_value(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < param_count; i++) {
		const struct param *p = &param_table[i];
		struct param_value v;
		const char *why = "";

		if (param_parse(p, p->def, a, &v, &why) < 0)
			fail_msg("%s: default: %s", p->name, why);
	}
}

static void names_are_unique_in_their_kind_and_apart_from_the_vm(void **state)
{
	(void)state;
	for (size_t i = 0; i < param_count; i++) {
		for (size_t k = 0; k < i; k++) {
			const struct param *a = &param_table[i];
			const struct param *b = &param_table[k];

			if (strcmp(a->name, b->name) != 0)
				continue;
			if (same_kind(a, b) || !a->kind || !b->kind)
				fail_msg("%s: two rows", a->name);
			// A bare name sets both, so one text must suit both.
			if (a->type != b->type)
				fail_msg("%s: two types", a->name);
		}
	}
}

static void every_row_is_complete(void **state)
{
	(void)state;
	for (size_t i = 0; i < param_count; i++) {
		const struct param *p = &param_table[i];

		if (p->help == NULL || p->def == NULL || !p->help[0])
			fail_msg("%s: no help or default", p->name);
		if ((p->kind != NULL) != (p->scope == PARAM_WORKLOAD))
			fail_msg("%s: scope and kind disagree", p->name);
		if ((p->type == PARAM_CHOICE) != (param_nchoices(p) > 0))
			fail_msg("%s: choices and type disagree", p->name);
		if (p->kind != NULL && param_kind_find(p->kind) == NULL)
			fail_msg("%s: unknown kind", p->name);
	}
}

static void conditions_name_a_choice_or_text_of_the_same_kind(void **state)
{
	(void)state;
	for (size_t i = 0; i < param_count; i++) {
		const struct param *p = &param_table[i], *on;

		if (p->needs.param == NULL)
			continue;
		on = param_find(p->kind, p->needs.param);
		if (on == NULL ||
		    (on->type != PARAM_CHOICE && on->type != PARAM_TEXT) ||
		    on->needs.param != NULL)
			fail_msg("%s needs %s", p->name, p->needs.param);
	}
}

static void values_are_right_or_say_why(void **state)
{
	static const struct {
		const char *kind, *name, *text;
		const char *want; // text when right, else part of the reason
		bool right;
	} cases[] = {
		{ NULL, "memory", "0.5G", "512M", true },
		{ NULL, "memory", "1G", "1G", true },
		{ NULL, "memory", "16M", "out of range (32M to 16T", false },
		{ NULL, "memory", "33M", "a multiple of 2M", false },
		{ NULL, "memory", "", "has no value (a size like", false },
		{ NULL, "memory", "12Q", "has an unknown unit", false },
		{ NULL, "backing", "thp", "thp", true },
		{ NULL, "backing", "3M",
		  "unknown value \"3M\" (have 4k, thp, hugetlb-2M, hugetlb-1G)",
		  false },
		{ NULL, "backing", "hugetbl-2M", "did you mean \"hugetlb-2M\"?",
		  false },
		{ NULL, "pin", "0-3,8", "0-3,8", true },
		{ NULL, "pin", "", "default", true },
		{ NULL, "pin", "3-1", "is no list of CPUs", false },
		{ NULL, "pin", "1,", "is no list of CPUs", false },
		{ NULL, "pin", "99999999999999999999", "is no list", false },
		{ NULL, "cpus", "0", "out of range (1 to 1024)", false },
		{ NULL, "cpus", "1.5", "is not a whole number", false },
		{ "block", "iodepth", "1e2", "100", true },
		{ "block", "iodepth", "-1", "is negative", false },
		{ "block", "runtime", "1.5s", "1s500ms", true },
		{ "block", "runtime", "5", "has an unknown unit", false },
		{ "block", "runtime", "-1s", "is negative", false },
		{ "block", "bs", "1000", "a multiple of 512", false },
		{ "block", "null_bs", "1536", "a power of 2", false },
		{ "block", "null_bs", "2k", "2k", true },
		{ "block", "device", "", "has no value (like null_blk)",
		  false },
		{ NULL, "qemu", "", "default", true },
		{ "block", "direct", "yes", "on", true },
		{ "block", "direct", "maybe", "have on, off", false },
		{ "synthetic", "effect", "2%", "2%", true },
		{ "synthetic", "ar1", "1", "out of range", false },
	};
	CLEANUP(arena_freep) struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct param *p =
			param_find(cases[i].kind, cases[i].name);
		struct param_value v = { .text = "" };
		const char *why = "";
		bool right = param_parse(p, cases[i].text, a, &v, &why) == 0;

		if (right != cases[i].right ||
		    (right ? strcmp(v.text, cases[i].want) != 0
			   : strstr(why, cases[i].want) == NULL))
			fail_msg("%s \"%s\": \"%s\", want \"%s\"",
				 cases[i].name, cases[i].text,
				 right ? v.text : why, cases[i].want);
	}
}

static void the_wire_carries_base_units(void **state)
{
	static const struct {
		const char *kind, *name, *text, *json;
	} cases[] = {
		{ NULL, "memory", "1G", "1073741824" },
		{ NULL, "pin", "", "\"\"" },
		{ "block", "runtime", "3s", "3000000000" },
		{ "block", "direct", "off", "false" },
		{ "synthetic", "cv", "50%", "0.5" },
		{ "synthetic", "drift", "-0", "0.0" },
		{ NULL, "qemu-args", "-S", "[\"-S\"]" },
		{ NULL, "qemu-args", "", "[]" },
	};
	CLEANUP(arena_freep) struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct param *p =
			param_find(cases[i].kind, cases[i].name);
		CLEANUP(buf_deinit) struct buf b = BUF_INIT;
		CLEANUP(js_unrefp) struct js *j = NULL;
		struct param_value v = { 0 };
		const char *why = "";

		assert_int_equal(param_parse(p, cases[i].text, a, &v, &why), 0);
		j = param_to_js(p, &v);
		js_print(j, &b);
		assert_string_equal(buf_str(&b), cases[i].json);
	}
}

static void equal_values_are_equal_however_written(void **state)
{
	static const struct {
		const char *kind, *name, *a, *b;
		bool equal;
	} cases[] = {
		{ NULL, "memory", "1G", "1024M", true },
		{ NULL, "memory", "1G", "2G", false },
		{ "block", "direct", "on", "true", true },
		{ "synthetic", "effect", "2%", "0.02", true },
		{ "synthetic", "effect", "2%", "0.03", false },
		{ NULL, "backing", "4k", "thp", false },
	};
	CLEANUP(arena_freep) struct arena *arena = arena_new();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct param *p =
			param_find(cases[i].kind, cases[i].name);
		struct param_value a = { 0 }, b = { 0 };
		const char *why = "";

		assert_int_equal(param_parse(p, cases[i].a, arena, &a, &why),
				 0);
		assert_int_equal(param_parse(p, cases[i].b, arena, &b, &why),
				 0);
		if (param_equal(&a, &b) != cases[i].equal)
			fail_msg("%s and %s", cases[i].a, cases[i].b);
	}
}

static void the_reference_in_the_readme_is_up_to_date(void **state)
{
	CLEANUP(buf_deinit) struct buf readme = BUF_INIT;
	CLEANUP(buf_deinit) struct buf doc = BUF_INIT;
	struct err e = { 0 };

	(void)state;
	if (file_read("matrices/README.md", 1 << 20, &readme, ERR_USAGE, &e) <
	    0)
		fail_msg("%s (tests run in the root of the tree)", e.msg);
	doc_markdown(&doc);
	if (strstr(buf_str(&readme), buf_str(&doc)) == NULL)
		fail_msg("matrices/README.md: its end must be the output of "
			 "`vrun help markdown`");
}

static void the_help_fits_a_terminal(void **state)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	(void)state;
	doc_text(&text);
	for (const char *s = buf_str(&text); *s != '\0';) {
		size_t n = strcspn(s, "\n");

		if (n > 80)
			fail_msg("%zu columns: %.*s", n, (int)n, s);
		s += n + (s[n] == '\n');
	}
}

static void the_schema_of_hosts_knows_every_key(void **state)
{
	CLEANUP(js_unrefp) struct js *schema = doc_hosts_schema();
	const struct js *hosts = js_get(js_get(schema, "properties"), "hosts");
	const struct js *host = js_at(
		js_get(js_get(hosts, "additionalProperties"), "anyOf"), 0);

	(void)state;
	for (size_t i = 0; i < inventory_nkeys; i++) {
		const char *name = inventory_keys[i].like.name;

		if (js_get(js_get(host, "properties"), name) == NULL)
			fail_msg("%s is not in it", name);
	}
}

static void the_schema_knows_every_parameter(void **state)
{
	CLEANUP(js_unrefp) struct js *schema = doc_schema();
	const struct js *properties = js_get(schema, "properties");
	const struct js *fixed =
		js_get(js_get(properties, "fixed"), "properties");

	(void)state;
	for (size_t i = 0; i < param_count; i++) {
		if (js_get(fixed, param_table[i].name) == NULL)
			fail_msg("%s is not in it", param_table[i].name);
	}
	assert_non_null(js_get(properties, "design"));
	assert_non_null(js_get(properties, "vars"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_default_is_a_right_value),
		cmocka_unit_test(
			names_are_unique_in_their_kind_and_apart_from_the_vm),
		cmocka_unit_test(every_row_is_complete),
		cmocka_unit_test(
			conditions_name_a_choice_or_text_of_the_same_kind),
		cmocka_unit_test(values_are_right_or_say_why),
		cmocka_unit_test(the_wire_carries_base_units),
		cmocka_unit_test(equal_values_are_equal_however_written),
		cmocka_unit_test(the_reference_in_the_readme_is_up_to_date),
		cmocka_unit_test(the_help_fits_a_terminal),
		cmocka_unit_test(the_schema_knows_every_parameter),
		cmocka_unit_test(the_schema_of_hosts_knows_every_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
