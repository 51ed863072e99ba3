#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "runner/campaign/difference.h"
#include "runner/campaign/preflight.h"
#include "tests/fake/plan.h"

static struct js *parse(const char *text)
{
	struct err e = { 0 };
	struct js *j = js_parse(text, strlen(text), "test", &e);

	if (j == NULL)
		fail_msg("%s", e.msg);
	return j;
}

static size_t settings_of(const struct plan *p)
{
	CLEANUP(js_unrefp) struct js *apply = preflight_settings(p);

	return js_len(apply);
}

static void assert_js(const struct js *j, const char *want)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	js_print_canonical(j, &text);
	assert_string_equal(buf_str(&text), want);
}

static void set_vm(struct plan *p, uint32_t cell, const char *text)
{
	js_unref(p->cells[cell].vm);
	p->cells[cell].vm = parse(text);
}

static void needs_are_the_most_of_what_cells_ask(void **state)
{
	struct fake_plan fake;
	struct plan *p = fake_plan_init(&fake, 1, 1, false);
	CLEANUP(js_unrefp) struct js *needs = NULL;

	(void)state;
	set_vm(p, 0,
	       "{\"accel\":\"best\",\"backing\":\"4k\",\"qemu\":\"\","
	       "\"image\":\"builtin\",\"memory\":1073741824,\"cpus\":1}");
	set_vm(p, 1,
	       "{\"accel\":\"best\",\"backing\":\"hugetlb-2M\",\"qemu\":\"\","
	       "\"image\":\"builtin\",\"memory\":536870913,\"cpus\":2}");
	needs = preflight_needs(p, "");
	assert_js(
		needs,
		"{\"accels\":[\"best\"],"
		"\"backings\":[\"4k\",\"hugetlb-2M\"],\"cpus\":2,\"hosts\":[],"
		"\"images\":[\"builtin\"],\"memory\":1073741824,"
		"\"pages\":{\"2M\":257},\"qemus\":[\"\"],"
		"\"workloads\":[{\"kind\":\"synthetic\"}]}");
	fake_plan_deinit(&fake);
}

static void a_host_has_a_qemu_for_cells_that_name_none(void **state)
{
	struct fake_plan fake;
	struct plan *p = fake_plan_init(&fake, 1, 1, false);
	CLEANUP(js_unrefp) struct js *needs = NULL;

	(void)state;
	set_vm(p, 0, "{\"accel\":\"tcg\",\"qemu\":\"\"}");
	set_vm(p, 1, "{\"accel\":\"tcg\",\"qemu\":\"/opt/new\"}");
	needs = preflight_needs(p, "/usr/local/q");
	assert_js(js_get(needs, "qemus"), "[\"/usr/local/q\",\"/opt/new\"]");
	// The plan itself stays as it was.
	assert_string_equal(js_get_str(p->cells[0].vm, "qemu", "?"), "");
	fake_plan_deinit(&fake);
}

static void set_workload(struct plan *p, uint32_t cell, const char *text)
{
	js_unref(p->cells[cell].workloads);
	p->cells[cell].workloads = parse(text);
}

static void workloads_say_what_they_need_and_whether_on_the_host(void **state)
{
	static const char file[] = "[{\"kind\":\"block\",\"device\":\"/f\","
				   "\"size\":512,\"bs\":512}]";
	struct fake_plan fake;
	struct plan *p = fake_plan_init(&fake, 1, 1, false);
	CLEANUP(js_unrefp) struct js *needs = NULL;

	(void)state;
	set_vm(p, 0, "{\"accel\":\"native\"}");
	set_vm(p, 1, "{\"accel\":\"tcg\"}");
	for (uint32_t i = 0; i < 2; i++)
		set_workload(p, i, file);
	needs = preflight_needs(p, "");
	assert_js(js_get(needs, "workloads"),
		  "[{\"device\":\"/f\",\"kind\":\"block\",\"native\":true,"
		  "\"size\":512},"
		  "{\"device\":\"/f\",\"kind\":\"block\",\"size\":512}]");
	fake_plan_deinit(&fake);
}

static void cells_without_a_vm_need_no_memory(void **state)
{
	struct fake_plan fake;
	struct plan *p = fake_plan_init(&fake, 1, 1, false);
	CLEANUP(js_unrefp) struct js *needs = NULL;

	(void)state;
	for (uint32_t i = 0; i < 2; i++)
		set_vm(p, i,
		       "{\"accel\":\"native\",\"backing\":\"hugetlb-1G\","
		       "\"memory\":1073741824}");
	needs = preflight_needs(p, "");
	assert_js(js_get(needs, "pages"), "{}");
	assert_int_equal(js_get_int(needs, "memory", -1), 0);
	assert_int_equal(settings_of(p), 0);
	fake_plan_deinit(&fake);
}

static void require_changes_what_is_not_fine(void **state)
{
	static const struct {
		enum finding_level was;
		const char *require;
		enum finding_level is;
	} cases[] = {
		{ FINDING_WARN, "refuse", FINDING_REFUSE },
		{ FINDING_REFUSE, "warn", FINDING_WARN },
		{ FINDING_REFUSE, "ignore", FINDING_OK },
		{ FINDING_OK, "refuse", FINDING_OK },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(findings_deinit) struct findings f;

		findings_init(&f);
		findings_add(&f, &(struct finding){ .host = "local",
						    .check = "governor",
						    .what = "powersave",
						    .level = cases[i].was });
		findings_require(&f, "governor", cases[i].require);
		if (f.n != 1 || f.items[0].level != cases[i].is)
			fail_msg("%s %s: %s", finding_level_name(cases[i].was),
				 cases[i].require,
				 finding_level_name(f.items[0].level));
	}
}

static void what_is_required_and_was_not_looked_at_is_said(void **state)
{
	CLEANUP(findings_deinit) struct findings f;

	(void)state;
	findings_init(&f);
	findings_require(&f, "moon", "refuse");
	assert_int_equal(findings_count(&f, FINDING_WARN), 1);
	assert_string_equal(f.items[0].check, "moon");
}

static void the_table_lines_up_and_gives_the_fix(void **state)
{
	CLEANUP(findings_deinit) struct findings f;
	CLEANUP(buf_deinit) struct buf all = BUF_INIT;
	CLEANUP(buf_deinit) struct buf bad = BUF_INIT;

	(void)state;
	findings_init(&f);
	findings_add(&f, &(struct finding){ "local", "kvm", "boots", NULL,
					    FINDING_OK });
	findings_add(&f, &(struct finding){ "lab", "hugepages", "3 of 256",
					    "sysctl", FINDING_REFUSE });
	findings_print(&f, FINDING_OK, &all);
	assert_string_equal(buf_str(&all),
			    "ok      local  kvm        boots\n"
			    "refuse  lab    hugepages  3 of 256\n"
			    "                          fix: sysctl\n");
	findings_print(&f, FINDING_REFUSE, &bad);
	assert_null(strstr(buf_str(&bad), "kvm"));
}

static void findings_of_a_hostile_agent_are_refused(void **state)
{
	CLEANUP(findings_deinit) struct findings f;
	CLEANUP(js_unrefp)
	struct js *odd = parse("{\"check\":\"x\",\"level\":\"doom\","
			       "\"what\":\"y\"}");
	CLEANUP(js_unrefp) struct js *longer = js_object();
	char text[FINDING_TEXT_MAX + 2];
	struct err e = { 0 };

	(void)state;
	findings_init(&f);
	assert_int_equal(findings_add_message(&f, "h", odd, &e), -1);
	assert_int_equal(e.kind, ERR_HOST);
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	js_set_str(longer, "check", "x");
	js_set_str(longer, "level", "ok");
	js_set_str(longer, "what", text);
	assert_int_equal(findings_add_message(&f, "h", longer, &e), -1);
	assert_int_equal(f.n, 0);
}

static void plans_are_told_apart_by_path(void **state)
{
	static const struct {
		const char *a, *b, *says;
	} cases[] = {
		{ "{\"x\":1}", "{\"x\":1}", "" },
		{ "{\"x\":1}", "{\"x\":2}", "x: 1 in A, 2 in B\n" },
		{ "{\"x\":{\"y\":1}}", "{\"x\":{}}",
		  "x.y: 1 in A, nothing in B\n" },
		{ "{}", "{\"z\":\"q\"}", "z: nothing in A, \"q\" in B\n" },
		{ "{\"l\":[1,2]}", "{\"l\":[1,3]}", "l[1]: 2 in A, 3 in B\n" },
		{ "{\"l\":[1,2]}", "{\"l\":[1]}",
		  "number of l: 2 in A, 1 in B\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(js_unrefp) struct js *a = parse(cases[i].a);
		CLEANUP(js_unrefp) struct js *b = parse(cases[i].b);
		CLEANUP(buf_deinit) struct buf out = BUF_INIT;

		difference_print(a, "A", b, "B", &out);
		assert_string_equal(buf_str(&out), cases[i].says);
	}
}

// The limit is a host's: many hosts together may say more.
static void no_host_says_more_than_its_share(void **state)
{
	CLEANUP(findings_deinit) struct findings f = { 0 };
	CLEANUP(js_unrefp)
	struct js *body = parse("{\"check\":\"load\",\"level\":\"ok\","
				"\"what\":\"x\"}");
	struct err e = { 0 };

	(void)state;
	findings_init(&f);
	for (int i = 0; i < FINDINGS_MAX; i++)
		assert_int_equal(findings_add_message(&f, "a", body, &e), 0);
	assert_int_equal(findings_add_message(&f, "a", body, &e), -1);
	assert_int_equal(e.kind, ERR_HOST);
	assert_int_equal(findings_add_message(&f, "b", body, &e), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(needs_are_the_most_of_what_cells_ask),
		cmocka_unit_test(a_host_has_a_qemu_for_cells_that_name_none),
		cmocka_unit_test(
			workloads_say_what_they_need_and_whether_on_the_host),
		cmocka_unit_test(cells_without_a_vm_need_no_memory),
		cmocka_unit_test(require_changes_what_is_not_fine),
		cmocka_unit_test(
			what_is_required_and_was_not_looked_at_is_said),
		cmocka_unit_test(the_table_lines_up_and_gives_the_fix),
		cmocka_unit_test(findings_of_a_hostile_agent_are_refused),
		cmocka_unit_test(plans_are_told_apart_by_path),
		cmocka_unit_test(no_host_says_more_than_its_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
