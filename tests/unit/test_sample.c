#include "tests/unit/numbers.h"

#include "analysis/describe.h"

static void nothing_has_no_figures(void **state)
{
	struct describe d = describe(NOTHING);

	(void)state;
	assert_int_equal(d.n, 0);
	assert_nan(d.mean);
	assert_nan(d.sd);
	assert_nan(d.cv);
	assert_nan(d.median);
	assert_nan(d.mad);
	assert_nan(d.lag1);
	assert_nan(d.gmean);
}

static void one_value_has_a_mean_and_no_spread(void **state)
{
	struct describe d = describe(SAMPLE(42.5));

	(void)state;
	assert_close(d.mean, 42.5, 0);
	assert_close(d.q1, 42.5, 0);
	assert_nan(d.sd);
	assert_nan(d.sem);
	assert_nan(d.cv);
	assert_nan(d.lag1);
}

static void many_equal_values_have_no_variance_either(void **state)
{
	static const double values[] = {
		0.1, 0.3, 1e-300, 1e300, -7.7, 185119
	};
	double x[1000];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		struct describe d;

		for (size_t k = 0; k < ARRAY_LEN(x); k++)
			x[k] = values[i];
		d = describe((struct sample){ x, ARRAY_LEN(x) });
		if (d.mean != values[i] || d.sd != 0 || !isnan(d.lag1))
			fail_msg("%g: mean %.17g, sd %g, lag %g", values[i],
				 d.mean, d.sd, d.lag1);
	}
}

static void what_is_not_finite_is_left_out_and_counted(void **state)
{
	struct describe d =
		describe(SAMPLE(1, NO_FIGURE, 3, HUGE_VAL, 2, -HUGE_VAL));

	(void)state;
	assert_int_equal(d.n, 3);
	assert_int_equal(d.invalid, 3);
	assert_close(d.mean, 2, 0);
	assert_close(d.sd, 1, 0);
	assert_close(d.max, 3, 0);
}

static void equal_values_have_no_variance(void **state)
{
	struct describe d = describe(SAMPLE(0.1, 0.1, 0.1, 0.1, 0.1, 0.1));

	(void)state;
	assert_true(d.sd == 0);
	assert_true(d.cv == 0);
	assert_nan(d.lag1);
}

static void order_does_not_matter_but_to_lag1(void **state)
{
	struct describe a = describe(SAMPLE(3, 1, 4, 1, 5, 9, 2, 6));
	struct describe b = describe(SAMPLE(9, 6, 5, 4, 3, 2, 1, 1));

	(void)state;
	assert_close(a.mean, b.mean, 1e-15);
	assert_close(a.sd, b.sd, 1e-15);
	assert_close(a.q1, b.q1, 0);
	assert_close(a.mad, b.mad, 0);
	assert_true(fabs(a.lag1 - b.lag1) > 0.1);
}

static void a_great_offset_keeps_the_spread(void **state)
{
	struct describe a = describe(SAMPLE(1, 2, 3, 4));
	struct describe b =
		describe(SAMPLE(1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4));

	(void)state;
	assert_close(a.sd, b.sd, 1e-14);
	assert_close(a.lag1, b.lag1, 1e-14);
}

static void means_of_logs_need_positive_values(void **state)
{
	(void)state;
	assert_close(describe(SAMPLE(1, 4)).gmean, 2, 1e-15);
	assert_close(describe(SAMPLE(1, 4)).hmean, 1.6, 1e-15);
	assert_nan(describe(SAMPLE(0, 4)).gmean);
	assert_nan(describe(SAMPLE(-1, 4)).hmean);
	assert_nan(describe(SAMPLE(-1, 1)).cv);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_has_no_figures),
		cmocka_unit_test(one_value_has_a_mean_and_no_spread),
		cmocka_unit_test(what_is_not_finite_is_left_out_and_counted),
		cmocka_unit_test(equal_values_have_no_variance),
		cmocka_unit_test(many_equal_values_have_no_variance_either),
		cmocka_unit_test(order_does_not_matter_but_to_lag1),
		cmocka_unit_test(a_great_offset_keeps_the_spread),
		cmocka_unit_test(means_of_logs_need_positive_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
