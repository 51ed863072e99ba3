#include "tests/unit/numbers.h"

#include "analysis/paired.h"
#include "analysis/power.h"

enum {
	TRIES = 4000
};

static const struct power_goal goal = { .05, .8 };

static void what_is_needed_is_the_least_that_suffices(void **state)
{
	static const double deltas[] = { .005, .01, .02, .05, .2 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(deltas); i++) {
		size_t n = power_rounds_needed(deltas[i], .0265, goal);

		assert_true(power_paired(n, deltas[i], .0265, .05) >= .8);
		assert_true(n == 2 ||
			    power_paired(n - 1, deltas[i], .0265, .05) < .8);
	}
}

static void the_detectable_effect_has_the_wanted_power(void **state)
{
	struct effect e = effect_make(.01, .02, 5.3, .95);
	double d = power_mde(&e, goal);

	(void)state;
	assert_close(power_of(log1p(d) / e.se, e.df, .05), .8, 1e-9);
}

static void power_is_what_a_simulation_sees(void **state)
{
	int claims = 0;
	struct rng r;

	(void)state;
	rng_seed(&r, 9);
	for (int i = 0; i < TRIES; i++) {
		double a[6], b[6];

		for (size_t k = 0; k < 6; k++) {
			a[k] = 1;
			b[k] = exp(log(1.02) + .015 * rng_normal(&r));
		}
		claims += paired_log((struct sample){ a, 6 },
				     (struct sample){ b, 6 }, .95)
				  .effect.p <= .05;
	}
	assert_close(claims / (double)TRIES, power_paired(6, .02, .015, .05),
		     .03);
}

static void no_effect_leaves_the_error_of_the_test(void **state)
{
	(void)state;
	assert_close(power_of(0, 7, .05), .05, 1e-9);
	assert_close(power_of(-2, 7, .05), power_of(2, 7, .05), 1e-9);
}

static void nothing_to_plan_from_gives_nothing(void **state)
{
	struct effect none = effect_undefined(.95);
	struct effect exact = effect_make(.1, 0, 5, .95);

	(void)state;
	assert_int_equal(power_rounds_needed(0, .01, goal), 0);
	assert_int_equal(power_rounds_needed(.01, NAN, goal), 0);
	assert_int_equal(power_rounds_needed(.01, 0, goal), 0);
	assert_int_equal(power_rounds_needed(1e-9, .1, goal), 0);
	assert_int_equal(power_trials_needed(.01, NAN, .1, goal), 0);
	assert_nan(power_paired(1, .01, .01, .05));
	assert_nan(power_mde(&none, goal));
	assert_nan(power_mde(&exact, goal));
}

static void a_small_pilot_may_be_far_too_narrow(void **state)
{
	(void)state;
	assert_close(power_sd_upper(1, 2, .8), 2.117, 1e-3);
	assert_close(power_sd_upper(1, 4, .8), 1.557, 1e-3);
	assert_nan(power_sd_upper(1, 0, .8));
}

static void repetitions_follow_costs_and_variances(void **state)
{
	struct power_level trial = { 5, 4 }, boot = { 20, 1 };

	(void)state;
	assert_close(power_repetitions(trial, boot), 4, 1e-12);
	assert_close(power_repetitions((struct power_level){ 5, 0.01 }, boot),
		     1, 0);
	assert_nan(power_repetitions((struct power_level){ 5, NAN }, boot));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_needed_is_the_least_that_suffices),
		cmocka_unit_test(the_detectable_effect_has_the_wanted_power),
		cmocka_unit_test(power_is_what_a_simulation_sees),
		cmocka_unit_test(no_effect_leaves_the_error_of_the_test),
		cmocka_unit_test(nothing_to_plan_from_gives_nothing),
		cmocka_unit_test(a_small_pilot_may_be_far_too_narrow),
		cmocka_unit_test(repetitions_follow_costs_and_variances),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
