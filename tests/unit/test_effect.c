#include "tests/unit/numbers.h"

static void without_variance_nothing_is_claimed(void **state)
{
	struct effect e = effect_make(.1, 0, 5, .95);
	struct tost t = effect_tost(&e, .5, .05);

	(void)state;
	assert_nan(e.t);
	assert_nan(e.p);
	assert_nan(e.lo_pct);
	assert_nan(t.p);
	assert_false(t.equivalent);
}

static void equivalence_is_the_inner_interval_inside_the_margin(void **state)
{
	(void)state;
	for (double l = -.06; l <= .06; l += .003) {
		struct effect e = effect_make(l, .01, 7.3, .95);
		struct tost t = effect_tost(&e, .05, .05);
		double top = 5, bottom = 100 * (1 / 1.05 - 1);

		assert_int_equal(t.equivalent,
				 t.lo_pct >= bottom && t.hi_pct <= top);
	}
}

static void equivalence_does_not_know_which_arm_is_the_baseline(void **state)
{
	struct effect e = effect_make(.013, .01, 7.3, .95);
	struct effect f = effect_make(-.013, .01, 7.3, .95);

	(void)state;
	assert_close(effect_tost(&e, .05, .05).p, effect_tost(&f, .05, .05).p,
		     1e-14);
}

static void without_a_margin_nothing_is_equivalent(void **state)
{
	static const double margins[] = { 0, -.1, NAN };
	struct effect e = effect_make(0, .001, 10, .95);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(margins); i++) {
		struct tost t = effect_tost(&e, margins[i], .05);

		assert_nan(t.p);
		assert_false(t.equivalent);
	}
}

static void an_undefined_effect_stays_undefined(void **state)
{
	struct effect u = effect_undefined(.95);
	struct effect c = effect_autocorrelated(&u, 10, 5);

	(void)state;
	assert_nan(effect_tost(&u, .05, .05).p);
	assert_nan(c.pct);
	assert_nan(c.p);
}

static void autocorrelation_widens_the_interval(void **state)
{
	struct effect e = effect_make(.1, .02, 9, .95);
	struct effect same = effect_autocorrelated(&e, 10, 10);
	struct effect wide = effect_autocorrelated(&e, 10, 2.5);

	(void)state;
	assert_same_effect(&e, &same);
	assert_close(wide.se, .04, 1e-14);
	assert_close(wide.df, 1.5, 1e-14);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_variance_nothing_is_claimed),
		cmocka_unit_test(
			equivalence_is_the_inner_interval_inside_the_margin),
		cmocka_unit_test(
			equivalence_does_not_know_which_arm_is_the_baseline),
		cmocka_unit_test(without_a_margin_nothing_is_equivalent),
		cmocka_unit_test(an_undefined_effect_stays_undefined),
		cmocka_unit_test(autocorrelation_widens_the_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
