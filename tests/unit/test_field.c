#include "tests/unit/unit.h"

#include <string.h>

#include "runner/agent/field.h"

struct sample {
	int64_t count;
	double share;
	bool on;
	const char *text;
	int colour;
	const char **list;
};

static const char *const colours[] = { "red", "green", NULL };

#define AT(m) offsetof(struct sample, m)

static const struct field fields[] = {
	{ "count", FIELD_INT, AT(count), 1, 100, NULL },
	{ "share", FIELD_REAL, AT(share), 0, 1, NULL },
	{ "on", FIELD_BOOL, AT(on), 0, 0, NULL },
	{ "text", FIELD_TEXT, AT(text), 0, 0, NULL },
	{ "colour", FIELD_CHOICE, AT(colour), 0, 0, colours },
	{ "list", FIELD_LIST, AT(list), 0, 0, NULL },
};

static int decode(const char *json, struct arena *a, struct sample *out,
		  struct err *e)
{
	const struct field_set set = { fields, ARRAY_LEN(fields), "w", a };
	CLEANUP(js_unrefp)
	struct js *j = js_parse(json, strlen(json), "test", e);

	assert_non_null(j);
	return field_decode(j, &set, out, e);
}

static void what_is_named_is_filled_and_the_rest_kept(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct sample s = { .count = 7, .text = "default" };
	struct err e;

	(void)state;
	assert_int_equal(decode("{\"kind\":\"x\",\"name\":\"w\",\"share\":0.5,"
				"\"on\":true,\"colour\":\"green\","
				"\"list\":[\"a\",\"b\"]}",
				a, &s, &e),
			 0);
	assert_int_equal(s.count, 7);
	assert_string_equal(s.text, "default");
	assert_true(s.share == 0.5);
	assert_true(s.on);
	assert_int_equal(s.colour, 1);
	assert_string_equal(s.list[0], "a");
	assert_string_equal(s.list[1], "b");
	assert_null(s.list[2]);
}

static void whole_numbers_are_reals_too_and_bounds_are_in(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct sample s = { 0 };
	struct err e;

	(void)state;
	assert_int_equal(decode("{\"share\":1,\"count\":100}", a, &s, &e), 0);
	assert_true(s.share == 1);
	assert_int_equal(s.count, 100);
	assert_int_equal(decode("{\"share\":0,\"count\":1}", a, &s, &e), 0);
	assert_int_equal(s.count, 1);
}

static void what_is_wrong_is_named_with_what_would_be_right(void **state)
{
	static const struct {
		const char *json, *why;
	} cases[] = {
		{ "{\"count\":0}", "w: count: 0 is not in [1, 100]" },
		{ "{\"count\":101}", "w: count: 101 is not in [1, 100]" },
		{ "{\"count\":1.5}", "w: count: is no whole number" },
		{ "{\"count\":\"1\"}", "w: count: is no whole number" },
		{ "{\"count\":null}", "w: count: is no whole number" },
		{ "{\"share\":1.5}", "w: share: 1.5 is not in [0, 1]" },
		{ "{\"share\":\"x\"}", "w: share: is no number" },
		{ "{\"share\":null}", "w: share: is no number" },
		{ "{\"on\":1}", "w: on: is neither true nor false" },
		{ "{\"text\":1}", "w: text: is no text" },
		{ "{\"colour\":\"blue\"}", "unknown value \"blue\" (have red, "
					   "green)" },
		{ "{\"colour\":1}", "unknown value \"?\" (have red, green)" },
		{ "{\"list\":\"a\"}", "w: list: is no list" },
		{ "{\"list\":[1]}", "w: list: holds something that is no "
				    "text" },
		{ "{\"colur\":\"red\"}", "w: unknown parameter \"colur\"" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		struct sample s = { 0 };
		struct err e;

		if (decode(cases[i].json, a, &s, &e) == 0)
			fail_msg("%s: taken", cases[i].json);
		if (e.kind != ERR_USAGE || !strstr(e.msg, cases[i].why))
			fail_msg("%s: \"%s\"", cases[i].json, e.msg);
	}
}

static void texts_and_lists_have_limits(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(buf_deinit) struct buf json = BUF_INIT;
	struct sample s = { 0 };
	struct err e;

	(void)state;
	buf_puts(&json, "{\"text\":\"");
	for (int i = 0; i <= FIELD_TEXT_MAX; i++)
		buf_putc(&json, 'x');
	buf_puts(&json, "\"}");
	assert_int_equal(decode(buf_str(&json), a, &s, &e), -1);
	json.len = 0;
	buf_puts(&json, "{\"list\":[\"\"");
	for (int i = 0; i < FIELD_LIST_MAX; i++)
		buf_puts(&json, ",\"\"");
	buf_puts(&json, "]}");
	assert_int_equal(decode(buf_str(&json), a, &s, &e), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_named_is_filled_and_the_rest_kept),
		cmocka_unit_test(whole_numbers_are_reals_too_and_bounds_are_in),
		cmocka_unit_test(
			what_is_wrong_is_named_with_what_would_be_right),
		cmocka_unit_test(texts_and_lists_have_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
