#include "tests/unit/unit.h"

#include <math.h>
#include <string.h>

#include "runner/agent/workload.h"
#include "runner/base/arena.h"
#include "runner/base/compiler.h"

struct outcome_of {
	struct result *r;
	struct arena *a;
	unsigned stages;
};

static void count_stage(void *arg, const char *stage)
{
	struct outcome_of *o = arg;

	assert_non_null(stage);
	o->stages++;
}

static struct outcome_of run(const char *json)
{
	struct outcome_of o = { .a = arena_new() };
	struct workload_run proto = {
		.place = { 1, 2, 3 },
		.stage = count_stage,
		.stage_arg = &o,
	};
	struct err e = { 0 };
	CLEANUP(js_unrefp)
	struct js *list = js_parse(json, strlen(json), "test", &e);

	assert_non_null(list);
	o.r = workload_run_all(list, &proto, o.a);
	return o;
}

static void forget(struct outcome_of *o)
{
	js_unref(o->r->hists);
	js_unref(o->r->facts);
	arena_free(o->a);
}

static const struct metric *find(const struct result *r, const char *name)
{
	for (size_t i = 0; i < r->nmetrics; i++) {
		if (strcmp(r->metrics[i].name, name) == 0)
			return &r->metrics[i];
	}
	fail_msg("no metric %s", name);
	return NULL;
}

static void what_is_malformed_fails_with_a_reason(void **state)
{
	static const struct {
		const char *json, *want;
	} cases[] = {
		{ "{}", "list of 1 to" },
		{ "[]", "list of 1 to" },
		{ "[3]", "unknown workload" },
		{ "[{}]", "unknown workload" },
		{ "[{\"kind\": \"blok\"}]",
		  "unknown workload \"blok\" (have block, synthetic)" },
		{ "[{\"kind\": \"synthetic\", \"name\": \"\"}]", "name" },
		{ "[{\"kind\": \"synthetic\", \"colour\": 1}]",
		  "synthetic: unknown parameter \"colour\"" },
		{ "[{\"kind\": \"synthetic\", \"name\": \"load\", \"cv\": "
		  "-1}]",
		  "load: cv: -1" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(forget) struct outcome_of o = run(cases[i].json);

		if (o.r->outcome != OUTCOME_FAILED)
			fail_msg("%s: %s", cases[i].json,
				 outcome_name(o.r->outcome));
		if (strstr(o.r->reason, cases[i].want) == NULL)
			fail_msg("%s: \"%s\" lacks \"%s\"", cases[i].json,
				 o.r->reason, cases[i].want);
	}
}

static void figures_carry_the_name_of_their_workload(void **state)
{
	CLEANUP(forget)
	struct outcome_of o =
		run("[{\"kind\": \"synthetic\", \"mean\": 5, \"cv\": 0, "
		    "\"unit\": \"s\", \"better\": \"lower\"},"
		    " {\"kind\": \"synthetic\", \"name\": \"two\", \"mean\": "
		    "7, \"cv\": 0}]");
	const struct metric *one = find(o.r, "synthetic.value");

	(void)state;
	assert_int_equal(o.r->outcome, OUTCOME_OK);
	assert_null(o.r->reason);
	assert_null(o.r->stage);
	assert_true(one->value == 5);
	assert_string_equal(one->unit, "s");
	assert_int_equal(one->better, BETTER_LOWER);
	assert_true(find(o.r, "two.value")->value == 7);
	assert_int_equal(o.stages, 2);
}

static void a_failure_names_its_stage_and_stops_the_list(void **state)
{
	CLEANUP(forget)
	struct outcome_of o =
		run("[{\"kind\": \"synthetic\", \"fail\": 1},"
		    " {\"kind\": \"synthetic\", \"name\": \"two\"}]");

	(void)state;
	assert_int_equal(o.r->outcome, OUTCOME_FAILED);
	assert_string_equal(o.r->stage, "synthetic.measure");
	assert_int_equal(o.r->nmetrics, 0);
	assert_int_equal(o.stages, 1);
}

static void a_treatment_that_did_not_take_effect_is_invalid(void **state)
{
	CLEANUP(forget)
	struct outcome_of o = run("[{\"kind\": \"synthetic\", \"invalid\": "
				  "1}]");

	(void)state;
	assert_int_equal(o.r->outcome, OUTCOME_INVALID);
	assert_int_equal(o.r->nchecks, 1);
	assert_int_equal(o.r->checks[0].status, CHECK_FAILED);
	assert_non_null(strstr(o.r->reason, "did not take effect"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_malformed_fails_with_a_reason),
		cmocka_unit_test(figures_carry_the_name_of_their_workload),
		cmocka_unit_test(a_failure_names_its_stage_and_stops_the_list),
		cmocka_unit_test(
			a_treatment_that_did_not_take_effect_is_invalid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
