#include "tests/unit/unit.h"

#include <string.h>

#include "runner/agent/hook_output.h"

static void metric_lines_become_figures_of_the_hook(void **state)
{
	static const char text[] = "Linux counts\n"
				   "metric exits 1200 1\n"
				   "metric rate 3.5e2 1/s lower\n"
				   "  metric indented 1 1\n"
				   "metrics are fine\n"
				   "metric\tbw 7 MB/s higher\r\n"
				   "metric last -1 %";
	static const struct metric want[] = {
		{ "h.exits", 1200, "1", BETTER_NEITHER },
		{ "h.rate", 350, "1/s", BETTER_LOWER },
		{ "h.bw", 7, "MB/s", BETTER_HIGHER },
		{ "h.last", -1, "%", BETTER_NEITHER },
	};
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct result *r = result_new(a);
	struct err e = { 0 };

	(void)state;
	if (hook_output_read("h", text, a, r, &e) < 0)
		fail_msg("%s", e.msg);
	assert_int_equal(r->nmetrics, ARRAY_LEN(want));
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		assert_string_equal(r->metrics[i].name, want[i].name);
		assert_true(r->metrics[i].value == want[i].value);
		assert_string_equal(r->metrics[i].unit, want[i].unit);
		assert_int_equal(r->metrics[i].better, want[i].better);
	}
}

static void what_is_no_metric_is_refused_with_its_line(void **state)
{
	static const char *const lines[] = {
		"metric ",
		"metric exits",
		"metric exits 12",
		"metric exits twelve 1",
		"metric exits nan 1",
		"metric exits inf 1",
		"metric exits 1e999 1",
		"metric exits 12 1 best",
		"metric exits 12 1 lower then",
		"metric ex;its 12 1",
		"metric exits 12 \x1b[31m",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		struct result *r = result_new(a);
		struct err e = { 0 };

		if (hook_output_read("h", lines[i], a, r, &e) == 0 ||
		    strstr(e.msg, "metric NAME VALUE UNIT") == NULL)
			fail_msg("%s: \"%s\"", lines[i], e.msg);
	}
}

static void a_name_that_is_too_long_is_refused(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct result *r = result_new(a);
	struct err e = { 0 };

	(void)state;
	buf_printf(&text, "metric %0*d 1 1\n", HOOK_NAME_MAX, 1);
	assert_int_equal(hook_output_read("h", buf_str(&text), a, r, &e), 0);
	buf_clear(&text);
	buf_printf(&text, "metric %0*d 1 1\n", HOOK_NAME_MAX + 1, 1);
	assert_int_equal(hook_output_read("h", buf_str(&text), a, r, &e), -1);
}

static void a_flood_of_metrics_is_refused(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct result *r = result_new(a);
	struct err e = { 0 };

	(void)state;
	for (int i = 0; i <= HOOK_METRICS_MAX; i++)
		buf_printf(&text, "metric m%d 1 1\n", i);
	assert_int_equal(hook_output_read("h", buf_str(&text), a, r, &e), -1);
	assert_non_null(strstr(e.msg, "more than 256"));
}

static void ready_is_a_line_of_its_own(void **state)
{
	static const struct {
		const char *text;
		bool ready;
	} cases[] = {
		{ "", false },
		{ "ready", false },
		{ "ready\n", true },
		{ "already\n", false },
		{ "perf is ready\n", false },
		{ "one\nready\ntwo", true },
		{ "ready \n", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (hook_output_is_ready(cases[i].text) != cases[i].ready)
			fail_msg("\"%s\"", cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(metric_lines_become_figures_of_the_hook),
		cmocka_unit_test(what_is_no_metric_is_refused_with_its_line),
		cmocka_unit_test(a_name_that_is_too_long_is_refused),
		cmocka_unit_test(a_flood_of_metrics_is_refused),
		cmocka_unit_test(ready_is_a_line_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
