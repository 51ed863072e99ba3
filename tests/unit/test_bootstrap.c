#include "tests/unit/numbers.h"

#include "analysis/bootstrap.h"

static void nothing_and_one_have_no_interval(void **state)
{
	(void)state;
	assert_nan(bootstrap_mean(NOTHING, .95, 100).estimate);
	assert_close(bootstrap_mean(SAMPLE(3), .95, 100).estimate, 3, 0);
	assert_nan(bootstrap_mean(SAMPLE(3), .95, 100).lo);
	assert_nan(bootstrap_mean(SAMPLE(3, 3, 3), .95, 100).lo);
	assert_nan(
		bootstrap_log_ratio(NOTHING, SAMPLE(1, 2), .95, 100).estimate);
	assert_nan(
		bootstrap_log_ratio(SAMPLE(2, 2), SAMPLE(3, 3), .95, 100).lo);
}

static void a_resample_below_zero_has_no_ratio(void **state)
{
	(void)state;
	assert_nan(bootstrap_log_ratio(SAMPLE(-1, 5, 6), SAMPLE(1, 2), .95, 100)
			   .estimate);
}

static void order_and_unit_do_not_matter(void **state)
{
	struct bootstrap a = bootstrap_mean(SAMPLE(1, 5, 2, 8, 3), .95, 100);
	struct bootstrap b =
		bootstrap_mean(SAMPLE(3e6, 8e6, 1e6, 2e6, 5e6), .95, 100);

	(void)state;
	assert_true(a.exact && b.exact);
	assert_close(a.lo, b.lo / 1e6, 1e-12);
	assert_close(a.hi, b.hi / 1e6, 1e-12);
	assert_close(a.z0, b.z0, 1e-9);
	assert_close(a.accel, b.accel, 1e-9);
}

static void swapping_the_arms_changes_the_sign(void **state)
{
	struct sample x = SAMPLE(10, 11, 13), y = SAMPLE(12, 15, 13, 14);
	struct bootstrap a = bootstrap_log_ratio(x, y, .95, 100);
	struct bootstrap b = bootstrap_log_ratio(y, x, .95, 100);

	(void)state;
	assert_close(a.estimate, -b.estimate, 1e-14);
	assert_close(a.accel, -b.accel, 1e-9);
	assert_close(a.z0, -b.z0, 1e-9);
	assert_close(a.lo, -b.hi, .02);
}

static void many_values_are_drawn_with_a_fixed_seed(void **state)
{
	double x[30], y[25];
	struct sample s = { x, 30 }, t = { y, 25 };
	struct bootstrap a, b;
	struct rng r;

	(void)state;
	rng_seed(&r, 11);
	fill_normal(&r, x, 30, 100, 5);
	fill_normal(&r, y, 25, 110, 5);
	a = bootstrap_mean(s, .95, 20000);
	b = bootstrap_mean(s, .95, 20000);
	assert_false(a.exact);
	assert_close(a.lo, b.lo, 0);
	// About the t interval: half a width of 2.05 * 5 / sqrt 30.
	assert_between(a.hi - a.lo, 2.4, 5);
	assert_true(a.lo < a.estimate && a.estimate < a.hi);
	a = bootstrap_log_ratio(s, t, .95, 20000);
	assert_between(a.estimate - a.lo, .015, .04);
	assert_nan(bootstrap_mean(s, .95, 0).lo);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_and_one_have_no_interval),
		cmocka_unit_test(a_resample_below_zero_has_no_ratio),
		cmocka_unit_test(order_and_unit_do_not_matter),
		cmocka_unit_test(swapping_the_arms_changes_the_sign),
		cmocka_unit_test(many_values_are_drawn_with_a_fixed_seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
