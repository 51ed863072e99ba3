#include "tests/unit/numbers.h"

#include "analysis/exact.h"

static void nothing_has_no_p(void **state)
{
	(void)state;
	assert_nan(exact_sign_flip(NOTHING).p);
	assert_nan(exact_signed_rank(NOTHING).p);
	assert_nan(exact_signed_rank(SAMPLE(0, 0)).p);
	assert_nan(exact_mann_whitney(NOTHING, SAMPLE(1)).p_exact);
}

static void five_flips_cannot_reach_five_per_cent(void **state)
{
	struct exact_flip f = exact_sign_flip(SAMPLE(1, 2, 3, 4, 5));

	(void)state;
	assert_close(f.p, .0625, 0);
	assert_close(f.p_min, .0625, 0);
}

static void equal_sums_are_ties_whatever_the_rounding(void **state)
{
	// Any two of the three signs give the observed sum of .1.
	struct exact_flip f = exact_sign_flip(SAMPLE(.1, .1, -.1));

	(void)state;
	assert_close(f.p, 1, 0);
}

static void flipping_all_signs_changes_nothing(void **state)
{
	struct sample d = SAMPLE(1.5, -.2, .7, 2.2, -1, .3);
	struct sample e = SAMPLE(-1.5, .2, -.7, -2.2, 1, -.3);

	(void)state;
	assert_close(exact_sign_flip(d).p, exact_sign_flip(e).p, 0);
	assert_close(exact_signed_rank(d).p, exact_signed_rank(e).p, 0);
	assert_close(exact_signed_rank(d).v + exact_signed_rank(e).v, 21, 0);
}

static void many_values_are_drawn_and_agree_with_t(void **state)
{
	double x[40];
	struct rng r;
	struct exact_flip f;

	(void)state;
	rng_seed(&r, 6);
	fill_normal(&r, x, 40, .3, 1);
	f = exact_sign_flip((struct sample){ x, 40 });
	assert_between(f.p, .0001, .5);
	// The same sign throughout is as extreme as can be.
	for (size_t i = 0; i < 40; i++)
		x[i] = fabs(x[i]);
	f = exact_sign_flip((struct sample){ x, 40 });
	assert_between(f.p, 1e-6, 2e-5);
}

static void ranks_with_ties_are_shared(void **state)
{
	struct exact_signed_rank r = exact_signed_rank(SAMPLE(1, 1, -1, 2));

	(void)state;
	// |d| ranks 2, 2, 2, 4.
	assert_close(r.v, 8, 0);
}

static void swapping_the_arms_mirrors_u(void **state)
{
	struct sample a = SAMPLE(1, 4, 4, 9), b = SAMPLE(2, 4, 7, 8, 10);
	struct exact_mann_whitney ab = exact_mann_whitney(a, b);
	struct exact_mann_whitney ba = exact_mann_whitney(b, a);

	(void)state;
	assert_close(ab.u_a + ba.u_a, 20, 0);
	assert_close(ab.p_exact, ba.p_exact, 1e-15);
	assert_close(ab.p_asym, ba.p_asym, 1e-15);
}

static void equal_arms_are_no_evidence(void **state)
{
	struct exact_mann_whitney u =
		exact_mann_whitney(SAMPLE(3, 3, 3), SAMPLE(3, 3, 3));

	(void)state;
	assert_close(u.p_exact, 1, 0);
	assert_nan(u.p_asym);
}

static void large_samples_are_left_to_the_approximation(void **state)
{
	double x[EXACT_RANK_MAX];

	(void)state;
	for (size_t i = 0; i < EXACT_RANK_MAX; i++)
		x[i] = (double)i;
	assert_nan(exact_mann_whitney((struct sample){ x, EXACT_RANK_MAX },
				      SAMPLE(1))
			   .p_exact);
	assert_false(isnan(
		exact_signed_rank((struct sample){ x, EXACT_RANK_MAX }).p));
}

static void exact_and_normal_agree_for_fifty(void **state)
{
	double a[50], b[50];
	struct exact_mann_whitney u;
	struct rng r;

	(void)state;
	rng_seed(&r, 7);
	fill_normal(&r, a, 50, 0, 1);
	fill_normal(&r, b, 50, .3, 1);
	u = exact_mann_whitney((struct sample){ a, 50 },
			       (struct sample){ b, 50 });
	assert_close(u.p_exact, u.p_asym, .005);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_has_no_p),
		cmocka_unit_test(five_flips_cannot_reach_five_per_cent),
		cmocka_unit_test(equal_sums_are_ties_whatever_the_rounding),
		cmocka_unit_test(flipping_all_signs_changes_nothing),
		cmocka_unit_test(many_values_are_drawn_and_agree_with_t),
		cmocka_unit_test(ranks_with_ties_are_shared),
		cmocka_unit_test(swapping_the_arms_mirrors_u),
		cmocka_unit_test(equal_arms_are_no_evidence),
		cmocka_unit_test(large_samples_are_left_to_the_approximation),
		cmocka_unit_test(exact_and_normal_agree_for_fifty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
