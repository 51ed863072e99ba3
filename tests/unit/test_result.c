#include "tests/unit/unit.h"

#include <math.h>
#include <string.h>

#include "runner/record/result.h"

static struct js *parse(const char *text)
{
	struct err e = { 0 };
	struct js *j = js_parse(text, strlen(text), "test", &e);

	if (j == NULL)
		fail_msg("%s: %s", text, e.msg);
	return j;
}

static void names_and_values_agree(void **state)
{
	(void)state;
	for (int i = OUTCOME_OK; i <= OUTCOME_LOST; i++) {
		enum outcome o = OUTCOME_OK;

		assert_int_equal(
			outcome_from_name(outcome_name((enum outcome)i), &o),
			0);
		assert_int_equal(o, i);
	}
	for (int i = BETTER_HIGHER; i <= BETTER_NEITHER; i++) {
		enum better b = BETTER_HIGHER;

		assert_int_equal(
			better_from_name(better_name((enum better)i), &b), 0);
		assert_int_equal(b, i);
	}
}

static void an_unknown_name_is_refused(void **state)
{
	enum outcome o = OUTCOME_LOST;
	enum better b = BETTER_LOWER;

	(void)state;
	assert_int_equal(outcome_from_name("okay", &o), -1);
	assert_int_equal(outcome_from_name(NULL, &o), -1);
	assert_int_equal(o, OUTCOME_LOST);
	assert_int_equal(better_from_name("", &b), -1);
	assert_int_equal(b, BETTER_LOWER);
}

// A worse outcome replaces a better one; the first of equals stands.
static void the_worst_outcome_stands(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct result *r = result_new(a);

	(void)state;
	assert_int_equal(r->outcome, OUTCOME_OK);
	result_fail(a, r, OUTCOME_INVALID, "backing is %s", "4k");
	assert_int_equal(r->outcome, OUTCOME_INVALID);
	assert_string_equal(r->reason, "backing is 4k");
	result_fail(a, r, OUTCOME_INVALID, "another");
	assert_string_equal(r->reason, "backing is 4k");
	result_fail(a, r, OUTCOME_FAILED, "QEMU died");
	assert_int_equal(r->outcome, OUTCOME_FAILED);
	result_fail(a, r, OUTCOME_INVALID, "late");
	assert_string_equal(r->reason, "QEMU died");
}

static struct result *full_result(struct arena *a)
{
	struct result *r = result_new(a);
	char name[32] = "block.iops";

	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "w%d.iops", i);
		result_metric(a, r,
			      &(struct metric){ name, i + 0.1, "IOPS",
						BETTER_HIGHER });
		result_check(a, r,
			     &(struct check){ name, "a", "b", "smaps",
					      CHECK_UNVERIFIED });
	}
	result_metric(
		a, r,
		&(struct metric){ "x.nan", (double)NAN, "1", BETTER_NEITHER });
	result_note(a, r, "%d pages", 3);
	return r;
}

static void a_built_result_keeps_all_that_was_put_in(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const struct result *r = full_result(a);

	(void)state;
	assert_int_equal(r->nmetrics, 101);
	assert_int_equal(r->nchecks, 100);
	assert_string_equal(r->metrics[0].name, "w0.iops");
	assert_string_equal(r->metrics[99].name, "w99.iops");
	assert_true(r->metrics[99].value == 99.1);
	assert_string_equal(r->checks[42].parameter, "w42.iops");
	assert_string_equal(r->notes[0], "3 pages");
}

static void json_gives_the_same_result_back(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(js_unrefp) struct js *extra = parse("{\"boot_ns\":5}");
	CLEANUP(js_unrefp) struct js *first = NULL;
	CLEANUP(js_unrefp) struct js *second = NULL;
	CLEANUP(buf_deinit) struct buf x = BUF_INIT;
	CLEANUP(buf_deinit) struct buf y = BUF_INIT;
	struct result *r = full_result(a), back = { 0 };
	struct err e = { 0 };

	(void)state;
	r->times = extra;
	r->stage = "run";
	r->final = true;
	result_fail(a, r, OUTCOME_TIMEOUT, "no answer");
	first = result_to_js(r);
	if (result_from_js(first, a, &back, &e) < 0)
		fail_msg("%s", e.msg);
	second = result_to_js(&back);
	js_print(first, &x);
	js_print(second, &y);
	assert_string_equal(x.data, y.data);
	assert_true(isnan(back.metrics[100].value));
	assert_null(back.hists);
	assert_true(back.final);
}

#define METRIC(value)                                                         \
	"{\"outcome\":\"ok\",\"metrics\":[{\"name\":\"a.b\",\"value\":" value \
	",\"unit\":\"1\",\"better\":\"lower\"}]}"

static void a_result_that_lies_is_refused(void **state)
{
	static const char *const lies[] = {
		"[]",
		"{}",
		"{\"outcome\":\"good\"}",
		"{\"outcome\":7}",
		"{\"outcome\":\"ok\",\"metrics\":{}}",
		"{\"outcome\":\"ok\",\"metrics\":[7]}",
		"{\"outcome\":\"ok\",\"metrics\":[{\"name\":\"a.b\"}]}",
		METRIC("\"5\""),
		METRIC("true"),
		METRIC("[]"),
		METRIC("{}"),
		"{\"outcome\":\"ok\",\"checks\":[{\"parameter\":\"x\"}]}",
		"{\"outcome\":\"ok\",\"checks\":[{\"parameter\":\"x\","
		"\"expected\":\"1\",\"seen\":\"1\",\"source\":\"s\","
		"\"status\":\"fine\"}]}",
		"{\"outcome\":\"ok\",\"notes\":[1]}",
		"{\"outcome\":\"ok\",\"hists\":[]}",
		"{\"outcome\":\"ok\",\"times\":1}",
		"{\"outcome\":\"ok\",\"facts\":\"x\"}",
	};
	CLEANUP(arena_freep) struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lies); i++) {
		CLEANUP(js_unrefp) struct js *j = parse(lies[i]);
		struct result r = { .outcome = OUTCOME_LOST };
		struct err e = { 0 };

		if (result_from_js(j, a, &r, &e) == 0)
			fail_msg("accepted: %s", lies[i]);
		assert_int_equal(r.outcome, OUTCOME_LOST);
		assert_int_equal(e.kind, ERR_HOST);
		assert_memory_equal(e.msg, "result: ", 8);
	}
}

static void numbers_whole_or_missing_are_taken(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(js_unrefp) struct js *whole = parse(METRIC("5"));
	CLEANUP(js_unrefp) struct js *none = parse(METRIC("null"));
	struct result r = { 0 };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(result_from_js(whole, a, &r, &e), 0);
	assert_true(r.metrics[0].value == 5);
	assert_int_equal(result_from_js(none, a, &r, &e), 0);
	assert_true(isnan(r.metrics[0].value));
}

// One more note than the limit allows.
static void lists_have_a_limit(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(js_unrefp) struct js *j = parse("{\"outcome\":\"ok\"}");
	struct js *notes = js_array();
	struct result r = { 0 };
	struct err e = { 0 };

	(void)state;
	js_set(j, "notes", notes);
	for (int i = 0; i < RESULT_NOTES_MAX; i++)
		js_append(notes, js_string("n"));
	assert_int_equal(result_from_js(j, a, &r, &e), 0);
	assert_int_equal(r.nnotes, RESULT_NOTES_MAX);
	js_append(notes, js_string("n"));
	assert_int_equal(result_from_js(j, a, &r, &e), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_values_agree),
		cmocka_unit_test(an_unknown_name_is_refused),
		cmocka_unit_test(the_worst_outcome_stands),
		cmocka_unit_test(a_built_result_keeps_all_that_was_put_in),
		cmocka_unit_test(json_gives_the_same_result_back),
		cmocka_unit_test(a_result_that_lies_is_refused),
		cmocka_unit_test(numbers_whole_or_missing_are_taken),
		cmocka_unit_test(lists_have_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
