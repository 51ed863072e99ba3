#include "tests/unit/numbers.h"

#include "analysis/interval.h"

enum {
	TRIES = 4000
};

static void too_few_values_have_no_interval(void **state)
{
	struct interval_mean none = interval_mean(NOTHING, 0.95);
	struct interval_mean one = interval_mean(SAMPLE(10), 0.95);

	(void)state;
	assert_nan(none.mean);
	assert_nan(none.lo);
	assert_nan(none.df);
	assert_close(one.mean, 10, 0);
	assert_nan(one.lo);
	assert_nan(one.half);
	assert_nan(interval_cv(SAMPLE(10), 0.95).cv);
	assert_false(interval_median(NOTHING, 0.95).available);
	assert_nan(interval_median(NOTHING, 0.95).value);
}

static void constant_values_have_an_interval_of_no_width(void **state)
{
	struct interval_mean m = interval_mean(SAMPLE(7, 7, 7), 0.95);

	(void)state;
	assert_close(m.lo, 7, 0);
	assert_close(m.hi, 7, 0);
	assert_close(m.half_rel, 0, 0);
}

static void a_mean_interval_scales_and_shifts(void **state)
{
	struct interval_mean a = interval_mean(SAMPLE(1, 2, 4, 8), 0.95);
	struct interval_mean b =
		interval_mean(SAMPLE(103, 106, 112, 124), 0.95);

	(void)state;
	assert_close(b.lo, 100 + 3 * a.lo, 1e-12);
	assert_close(b.hi, 100 + 3 * a.hi, 1e-12);
}

static void a_median_interval_needs_six_values(void **state)
{
	static const struct {
		double q, conf;
		size_t n;
	} cases[] = {
		{ .5, .95, 6 },	 { .5, .9, 5 },	    { .5, .99, 8 },
		{ .9, .95, 36 }, { .99, .95, 368 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(
			interval_quantile_needs(cases[i].q, cases[i].conf),
			cases[i].n);
	assert_false(interval_median(SAMPLE(1, 2, 3, 4, 5), .95).available);
	assert_true(interval_median(SAMPLE(1, 2, 3, 4, 5, 6), .95).available);
}

static void what_is_needed_is_what_suffices(void **state)
{
	double x[400];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(x); i++)
		x[i] = (double)i;
	for (double q = .05; q < 1; q += .05) {
		size_t n = interval_quantile_needs(q, .95);
		struct sample s = { x, n }, less = { x, n - 1 };

		assert_true(interval_quantile(s, q, .95).available);
		assert_false(interval_quantile(less, q, .95).available);
	}
}

static void a_quantile_interval_attains_its_level(void **state)
{
	double x[60];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(x); i++)
		x[i] = (double)i;
	for (size_t n = 6; n <= ARRAY_LEN(x); n++) {
		struct interval_quantile r =
			interval_median((struct sample){ x, n }, .95);

		assert_true(r.conf_exact >= .95);
		// Symmetric, as the median is.
		assert_int_equal(r.k_lo + r.k_hi, n + 1);
	}
}

static void intervals_cover_as_often_as_they_say(void **state)
{
	int mean = 0, median = 0, cv = 0;
	struct rng r;

	(void)state;
	rng_seed(&r, 1);
	for (int i = 0; i < TRIES; i++) {
		double x[12];
		struct sample s = { x, ARRAY_LEN(x) };
		struct interval_mean m;
		struct interval_quantile q;
		struct interval_cv c;

		fill_normal(&r, x, s.n, 100, 5);
		m = interval_mean(s, .95);
		q = interval_median(s, .95);
		c = interval_cv(s, .95);
		mean += m.lo <= 100 && 100 <= m.hi;
		median += q.lo <= 100 && 100 <= q.hi;
		cv += c.lo <= .05 && .05 <= c.hi;
	}
	// 4 standard errors of the simulation are 1.4 %.
	assert_between(mean / (double)TRIES, .936, .964);
	assert_between(cv / (double)TRIES, .936, .964);
	assert_between(median / (double)TRIES, .947, 1);
}

static void autocorrelation_widens_the_interval(void **state)
{
	struct sample s = SAMPLE(1, 2, 3, 4, 5, 6, 7, 8);
	struct interval_mean a = interval_mean(s, .95);
	struct interval_mean b = interval_mean_neff(s, 8, .95);
	struct interval_mean c = interval_mean_neff(s, 2.5, .95);

	(void)state;
	assert_close(a.half, b.half, 1e-14);
	assert_true(c.half > 2 * a.half);
	assert_close(c.df, 1.5, 0);
}

static void a_noisy_cv_has_no_upper_bound(void **state)
{
	struct interval_cv c = interval_cv(SAMPLE(0.1, 10, 0.2), .95);

	(void)state;
	assert_true(isinf(c.hi));
	assert_true(c.lo > 0);
	assert_nan(interval_cv(SAMPLE(-1, -2, -3), .95).cv);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(too_few_values_have_no_interval),
		cmocka_unit_test(constant_values_have_an_interval_of_no_width),
		cmocka_unit_test(a_mean_interval_scales_and_shifts),
		cmocka_unit_test(a_median_interval_needs_six_values),
		cmocka_unit_test(what_is_needed_is_what_suffices),
		cmocka_unit_test(a_quantile_interval_attains_its_level),
		cmocka_unit_test(intervals_cover_as_often_as_they_say),
		cmocka_unit_test(autocorrelation_widens_the_interval),
		cmocka_unit_test(a_noisy_cv_has_no_upper_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
