#include "tests/unit/unit.h"

#include <string.h>

#include "runner/base/fd.h"
#include "runner/tool/hyperfine_json.h"

enum {
	FILE_MAX = 1 << 20
};

static int read_text(const char *text, struct arena *a, struct hyperfine *out,
		     struct err *e)
{
	CLEANUP(js_unrefp) struct js *root = NULL;

	root = js_parse_foreign(text, strlen(text), "test", e);
	if (root == NULL)
		fail_msg("%s: %s", text, e->msg);
	assert_true(hyperfine_json_is(root));
	return hyperfine_json_read(root, a, out, e);
}

static void every_run_of_a_real_file_is_read(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct hyperfine h;
	struct err e = { 0 };

	(void)state;
	if (file_read("tests/data/tool-output/hyperfine-1.15.json", FILE_MAX,
		      &text, ERR_USAGE, &e) < 0 ||
	    read_text(buf_str(&text), a, &h, &e) < 0)
		fail_msg("%s", e.msg);
	assert_int_equal(h.n, 2);
	assert_string_equal(h.results[0].command, "seq 1000");
	assert_string_equal(h.results[1].parameters[0].name, "n");
	assert_string_equal(h.results[1].parameters[0].value, "20000");
	for (size_t i = 0; i < h.n; i++) {
		assert_int_equal(h.results[i].nruns, 12);
		for (size_t k = 0; k < 12; k++)
			assert_false(h.results[i].runs[k].failed);
	}
}

static void a_status_or_a_signal_is_a_failure(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct hyperfine h;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(read_text("{\"results\": [{\"command\": \"x\", "
				   "\"times\": [1, 2.5, 3], "
				   "\"exit_codes\": [0, 1, null]}]}",
				   a, &h, &e),
			 0);
	assert_true(h.results[0].runs[1].seconds == 2.5);
	assert_false(h.results[0].runs[0].failed);
	assert_true(h.results[0].runs[1].failed);
	assert_true(h.results[0].runs[2].failed);
	assert_int_equal(h.results[0].nparameters, 0);
}

#define RESULT(members) "{\"results\": [{" members "}]}"

static const struct refusal {
	const char *text, *why;
} refusals[] = {
	{ "{\"results\": []}", "no list of 1 to" },
	{ "{\"results\": [7]}", "a result without its command" },
	{ RESULT("\"command\": \"x\""), "\"x\" has no list of 1 to" },
	{ RESULT("\"command\": \"x\", \"times\": []"), "no list of 1 to" },
	{ RESULT("\"command\": \"x\", \"times\": [1, \"2\"]"),
	  "\"x\": time 2 is none" },
	{ RESULT("\"command\": \"x\", \"times\": [-1]"), "time 1 is none" },
	{ RESULT("\"command\": \"x\", \"times\": [1, 1e300]"),
	  "time 2 is none" },
	{ RESULT("\"command\": \"x\", \"times\": [1e-300]"), "time 1 is none" },
	{ RESULT("\"command\": \"x\", \"times\": [1], \"exit_codes\": [0, 0]"),
	  "1 times but 2 exit codes" },
	{ RESULT("\"command\": \"x\", \"times\": [1], "
		 "\"parameters\": {\"n\": 1}"),
	  "parameter \"n\" is no text" },
};

static void what_is_no_result_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		struct hyperfine h;
		struct err e = { 0 };

		if (read_text(refusals[i].text, a, &h, &e) == 0)
			fail_msg("taken: %s", refusals[i].text);
		if (strstr(e.msg, refusals[i].why) == NULL)
			fail_msg("%s: %s", refusals[i].text, e.msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_run_of_a_real_file_is_read),
		cmocka_unit_test(a_status_or_a_signal_is_a_failure),
		cmocka_unit_test(what_is_no_result_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
