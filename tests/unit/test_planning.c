#include "tests/unit/numbers.h"

#include "analysis/planning.h"

// R: power.t.test(type = "paired", strict = TRUE), sd = sqrt(2 log(1 + cv^2)).
static void figures_are_those_of_r(void **state)
{
	static const struct {
		double cv;
		size_t rounds;
		double mde_log; // R's delta
		size_t small, margin;
	} cases[] = {
		{ .03, 10, 0.0422472563, 145, 38 },
		{ .02, 40, 0.0128470419, 66, 19 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct planning_design d = { cases[i].rounds, 1, .05, .02 };
		struct planning p =
			planning_make(&d, planning_sd_of_cv(cases[i].cv));

		assert_close(log1p(p.mde), cases[i].mde_log, 1e-8);
		assert_int_equal(p.rounds_small, cases[i].small);
		assert_int_equal(p.rounds_margin, cases[i].margin);
	}
}

static void four_hosts_halve_the_noise(void **state)
{
	struct planning_design one = { 10, 1, .05, .02 };
	struct planning_design four = { 10, 4, .05, .02 };

	(void)state;
	assert_close(planning_make(&four, .04).sd_log, .02, 1e-12);
	assert_close(planning_make(&four, .04).mde,
		     planning_make(&one, .02).mde, 1e-12);
}

static void what_cannot_be_planned_is_left_open(void **state)
{
	struct planning_design d = { 1, 1, .05, NO_FIGURE };
	struct planning p = planning_make(&d, .02);

	(void)state;
	assert_nan(p.mde);
	assert_int_equal(p.rounds_margin, 0);
	assert_true(p.rounds_small > 0);
	p = planning_make(&d, NO_FIGURE);
	assert_int_equal(p.rounds_small, 0);
}

static void truths_are_multiples_of_the_margin(void **state)
{
	double out[PLANNING_TRUTHS];

	(void)state;
	planning_truths(.03, out);
	assert_close(out[0], 0, 0);
	assert_close(out[1], .03, 1e-12);
	assert_close(out[2], .06, 1e-12);
	planning_truths(NO_FIGURE, out);
	assert_close(out[1], PLANNING_SMALL, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_those_of_r),
		cmocka_unit_test(four_hosts_halve_the_noise),
		cmocka_unit_test(what_cannot_be_planned_is_left_open),
		cmocka_unit_test(truths_are_multiples_of_the_margin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
