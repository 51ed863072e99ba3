#include "tests/unit/numbers.h"

#include "analysis/serial.h"

enum {
	TRIES = 4000
};

static void few_or_equal_values_have_no_structure(void **state)
{
	static const double same[] = { 5, 5, 5, 5, 5 };

	(void)state;
	for (size_t n = 0; n <= 5; n++) {
		struct sample s = { same, n };

		assert_nan(serial_von_neumann(s).p_pos);
		assert_close(serial_von_neumann(s).n_eff, (double)n, 0);
		assert_nan(serial_trend(s).p);
		assert_nan(serial_trend(s).slope_p);
	}
	assert_nan(serial_von_neumann(SAMPLE(1, 2)).vn);
	assert_nan(serial_trend(SAMPLE(1, 2)).p);
}

static void reversing_a_series_reverses_its_trend(void **state)
{
	struct serial_trend a = serial_trend(SAMPLE(1, 2, 2, 4, 3, 7));
	struct serial_trend b = serial_trend(SAMPLE(7, 3, 4, 2, 2, 1));

	(void)state;
	assert_close(a.s, -b.s, 0);
	assert_close(a.p, b.p, 1e-15);
	assert_close(a.slope, -b.slope, 1e-14);
	assert_close(a.drift_pct, -b.drift_pct, 1e-12);
	assert_close(serial_von_neumann(SAMPLE(1, 2, 2, 4, 3, 7)).vn,
		     serial_von_neumann(SAMPLE(7, 3, 4, 2, 2, 1)).vn, 1e-14);
}

static void kendalls_s_counts_all_pairs(void **state)
{
	struct rng r;

	(void)state;
	rng_seed(&r, 12);
	for (size_t n = 3; n < 40; n++) {
		double x[40], s = 0;

		// Few different values: many ties.
		for (size_t i = 0; i < n; i++)
			x[i] = (double)rng_below(&r, 9);
		for (size_t i = 0; i < n * n; i++)
			if (i / n < i % n)
				s += (x[i % n] > x[i / n]) -
				     (x[i % n] < x[i / n]);
		assert_close(serial_trend((struct sample){ x, n }).s, s, 0);
	}
}

static void drift_is_per_cent_over_the_run(void **state)
{
	// From 90 to 110 around 100.
	struct serial_trend r = serial_trend(SAMPLE(90, 95, 100, 105, 110));

	(void)state;
	assert_close(r.slope, 5, 1e-12);
	assert_close(r.drift_pct, 20, 1e-12);
}

static void independent_values_alarm_as_often_as_they_should(void **state)
{
	int vn = 0, trend = 0, slope = 0;
	struct rng r;

	(void)state;
	rng_seed(&r, 4);
	for (int i = 0; i < TRIES; i++) {
		double x[20];
		struct sample s = { x, 20 };

		fill_normal(&r, x, 20, 100, 3);
		vn += serial_von_neumann(s).p_pos < .05;
		trend += serial_trend(s).p < .05;
		slope += serial_trend(s).slope_p < .05;
	}
	assert_between(vn / (double)TRIES, .03, .065);
	assert_between(trend / (double)TRIES, .03, .065);
	assert_between(slope / (double)TRIES, .035, .065);
}

static void autocorrelation_is_worth_fewer_values(void **state)
{
	double sum = 0;
	struct rng r;

	(void)state;
	rng_seed(&r, 5);
	for (int i = 0; i < 500; i++) {
		double x[30], last = 0;

		for (size_t k = 0; k < 30; k++)
			x[k] = last = .8 * last + rng_normal(&r);
		sum += serial_von_neumann((struct sample){ x, 30 }).n_eff;
	}
	// True: 30 (1-.8)/(1+.8) = 3.3; the estimate is known to be timid.
	assert_between(sum / 500, 2.5, 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_or_equal_values_have_no_structure),
		cmocka_unit_test(reversing_a_series_reverses_its_trend),
		cmocka_unit_test(kendalls_s_counts_all_pairs),
		cmocka_unit_test(drift_is_per_cent_over_the_run),
		cmocka_unit_test(
			independent_values_alarm_as_often_as_they_should),
		cmocka_unit_test(autocorrelation_is_worth_fewer_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
