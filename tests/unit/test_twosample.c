#include "tests/unit/numbers.h"

#include "analysis/twosample.h"

enum {
	TRIES = 4000
};

static const struct sample arm_a = {
	(const double[]){ 1392703, 1385091, 1324080 }, 3
};
static const struct sample arm_b = {
	(const double[]){ 1222859, 1341207, 1340184, 1305392, 1309725 }, 5
};

static void swapping_the_arms_changes_the_sign(void **state)
{
	struct effect ab = twosample_ratio(arm_a, arm_b, .95);
	struct effect ba = twosample_ratio(arm_b, arm_a, .95);
	struct welch w = twosample_welch(arm_a, arm_b, .95);
	struct welch v = twosample_welch(arm_b, arm_a, .95);
	struct hedges g = twosample_hedges(arm_a, arm_b, .95);
	struct hedges h = twosample_hedges(arm_b, arm_a, .95);

	(void)state;
	assert_opposite_effects(&ab, &ba);
	assert_close(w.diff, -v.diff, 0);
	assert_close(w.lo, -v.hi, 1e-14);
	assert_close(w.p, v.p, 1e-14);
	assert_close(g.g, -h.g, 1e-14);
	assert_close(g.lo, -h.hi, 1e-8);
}

static void order_and_unit_do_not_matter(void **state)
{
	double a[3], b[5];
	struct effect e = twosample_ratio(arm_a, arm_b, .95), scaled;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		a[i] = arm_a.x[2 - i] * 1e-9;
	for (size_t i = 0; i < 5; i++)
		b[i] = arm_b.x[4 - i] * 1e-9;
	scaled = twosample_ratio((struct sample){ a, 3 },
				 (struct sample){ b, 5 }, .95);
	assert_same_effect(&e, &scaled);
}

// Squares of such figures are beyond the range of a double.
static void huge_and_tiny_figures_keep_their_spread(void **state)
{
	static const double units[] = { 1e-300, 1e-160, 1e160, 1e290 };
	struct welch w = twosample_welch(arm_a, arm_b, .95);
	struct effect e = twosample_ratio(arm_a, arm_b, .95);
	struct fieller f = twosample_fieller(arm_a, arm_b, .95);

	(void)state;
	for (size_t u = 0; u < ARRAY_LEN(units); u++) {
		double a[3], b[5];
		struct sample sa = { a, 3 }, sb = { b, 5 };

		for (size_t i = 0; i < 3; i++)
			a[i] = arm_a.x[i] * units[u];
		for (size_t i = 0; i < 5; i++)
			b[i] = arm_b.x[i] * units[u];
		assert_close(twosample_welch(sa, sb, .95).p, w.p, 1e-12);
		assert_close(twosample_welch(sa, sb, .95).lo, w.lo * units[u],
			     1e-12);
		assert_close(twosample_ratio(sa, sb, .95).lo_pct, e.lo_pct,
			     1e-12);
		assert_close(twosample_fieller(sa, sb, .95).hi_pct, f.hi_pct,
			     1e-12);
	}
}

static void an_arm_of_one_has_a_difference_and_no_test(void **state)
{
	struct welch w = twosample_welch(SAMPLE(10), SAMPLE(12, 13), .95);
	struct effect e = twosample_ratio(SAMPLE(10), SAMPLE(12, 13), .95);

	(void)state;
	assert_close(w.diff, 2.5, 0);
	assert_nan(w.p);
	assert_nan(w.lo);
	assert_close(e.pct, 25, 1e-12);
	assert_nan(e.p);
	assert_nan(e.lo_pct);
	assert_nan(twosample_hedges(SAMPLE(10), SAMPLE(12, 13), .95).g);
}

static void an_empty_arm_has_nothing(void **state)
{
	(void)state;
	assert_nan(twosample_welch(NOTHING, SAMPLE(1, 2), .95).diff);
	assert_nan(twosample_ratio(NOTHING, SAMPLE(1, 2), .95).pct);
	assert_false(twosample_fieller(NOTHING, SAMPLE(1, 2), .95).bounded);
	assert_nan(twosample_fieller(NOTHING, NOTHING, .95).pct);
}

static void two_constant_arms_have_no_p(void **state)
{
	struct sample a = SAMPLE(5, 5, 5), b = SAMPLE(6, 6);
	struct effect e = twosample_ratio(a, b, .95);

	(void)state;
	assert_nan(twosample_welch(a, b, .95).p);
	assert_nan(twosample_welch(a, b, .95).lo);
	assert_nan(e.p);
	assert_nan(e.lo_pct);
	assert_true(e.se == 0);
	assert_close(e.pct, 20, 1e-12);
	assert_nan(twosample_hedges(a, b, .95).g);
}

static void one_constant_arm_lends_its_df(void **state)
{
	struct sample a = SAMPLE(5, 5, 5), b = SAMPLE(6, 7, 8, 9);

	(void)state;
	assert_close(twosample_welch(a, b, .95).df, 3, 1e-14);
	assert_close(twosample_ratio(a, b, .95).df, 3, 1e-14);
}

static void a_mean_below_zero_has_no_ratio(void **state)
{
	struct effect e =
		twosample_ratio(SAMPLE(-1, 2, -3), SAMPLE(1, 2, 3), .95);

	(void)state;
	assert_nan(e.pct);
	assert_nan(e.p);
	assert_nan(e.se);
	assert_false(isnan(
		twosample_welch(SAMPLE(-1, 2, -3), SAMPLE(1, 2, 3), .95).p));
}

static void a_noisy_baseline_is_doubtful(void **state)
{
	(void)state;
	assert_true(twosample_ratio_doubtful(SAMPLE(1, 2, 3)));
	assert_false(twosample_ratio_doubtful(SAMPLE(100, 102, 101)));
	assert_false(twosample_ratio_doubtful(SAMPLE(1)));
}

static void ratio_and_fieller_cover_as_often_as_they_say(void **state)
{
	int ratio = 0, fieller = 0, hedges = 0;
	double truth = 100 * (103.0 / 100 - 1);
	struct rng r;

	(void)state;
	rng_seed(&r, 2);
	for (int i = 0; i < TRIES; i++) {
		double a[6], b[9];
		struct sample sa = { a, 6 }, sb = { b, 9 };
		struct effect e;
		struct fieller f;

		fill_normal(&r, a, 6, 100, 2);
		fill_normal(&r, b, 9, 103, 6);
		e = twosample_ratio(sa, sb, .95);
		f = twosample_fieller(sa, sb, .95);
		ratio += e.lo_pct <= truth && truth <= e.hi_pct;
		fieller += f.lo_pct <= truth && truth <= f.hi_pct;
		if (i < 100) {
			struct hedges g;

			// Equal SDs, as g assumes; true g is 1.
			fill_normal(&r, a, 6, 100, 3);
			fill_normal(&r, b, 9, 103, 3);
			g = twosample_hedges(sa, sb, .95);
			hedges += g.lo <= 1 && 1 <= g.hi;
		}
	}
	assert_between(ratio / (double)TRIES, .93, .966);
	assert_between(fieller / (double)TRIES, .93, .966);
	assert_between(hedges, 85, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(swapping_the_arms_changes_the_sign),
		cmocka_unit_test(order_and_unit_do_not_matter),
		cmocka_unit_test(huge_and_tiny_figures_keep_their_spread),
		cmocka_unit_test(an_arm_of_one_has_a_difference_and_no_test),
		cmocka_unit_test(an_empty_arm_has_nothing),
		cmocka_unit_test(two_constant_arms_have_no_p),
		cmocka_unit_test(one_constant_arm_lends_its_df),
		cmocka_unit_test(a_mean_below_zero_has_no_ratio),
		cmocka_unit_test(a_noisy_baseline_is_doubtful),
		cmocka_unit_test(ratio_and_fieller_cover_as_often_as_they_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
