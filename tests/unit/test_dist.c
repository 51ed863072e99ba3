#include "tests/unit/numbers.h"

#include "analysis/dist.h"

static void outside_their_domain_all_are_nan(void **state)
{
	const double got[] = {
		dist_normal_cdf(NAN),	      dist_normal_quantile(0),
		dist_normal_quantile(1.5),    dist_t_upper(1, 0),
		dist_t_upper(NAN, 3),	      dist_t_quantile(1, 3),
		dist_t_quantile(.5, NAN),     dist_chi2_upper(-1, 3),
		dist_chi2_quantile(.5, -1),   dist_f_upper(1, 0, 3),
		dist_binomial_cdf(1, 2, 5),   dist_hypergeometric(1, 2, 3, 9),
		dist_nct_cdf(NAN, 3, 0),      dist_nct_cdf(1, -3, 0),
		dist_nct_cdf(1, 3, HUGE_VAL), dist_nct_ncp(0, 1, 3),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(got); i++)
		assert_nan(got[i]);
}

static void the_ends_are_certain(void **state)
{
	(void)state;
	assert_close(dist_t_upper(HUGE_VAL, 3), 0, 0);
	assert_close(dist_t_upper(-HUGE_VAL, 3), 1, 0);
	assert_close(dist_f_upper(HUGE_VAL, 2, 3), 0, 0);
	assert_close(dist_binomial_cdf(-1, .5, 5), 0, 0);
	assert_close(dist_binomial_cdf(5, .5, 5), 1, 0);
}

static void quantiles_invert_tails(void **state)
{
	static const double dfs[] = { 1, 2.3, 5, 17.5, 200 };

	(void)state;
	for (size_t i = 0; i < 99 * ARRAY_LEN(dfs); i++) {
		double p = .01 + .01 * (double)(i % 99), df = dfs[i / 99];
		double t = dist_t_quantile(p, df);
		double x = dist_chi2_quantile(p, df);

		assert_close(1 - dist_t_upper(t, df), p, 1e-11);
		assert_close(1 - dist_chi2_upper(x, df), p, 1e-11);
	}
}

static void the_central_case_is_students_t(void **state)
{
	(void)state;
	for (double df = 1; df < 500; df *= 1.9)
		for (double t = -6; t <= 6; t += .75)
			assert_close(dist_nct_cdf(t, df, 0),
				     1 - dist_t_upper(t, df), 1e-10);
}

// From R 4.2.2: pt(t, df, ncp).
static void the_noncentral_t_is_that_of_others(void **state)
{
	static const struct {
		double t, df, ncp, p;
	} cases[] = {
		{ 2, 5, 1, 0.778074662615947 },
		{ 8, 4, 6, 0.6817472129167826 },
		{ -1, 20, .5, 0.0708246210126604 },
		{ 30, 3, 20, 0.7207089657208827 },
		{ 1.5, 2.5, 3, 0.08477280659301467 },
		{ 0, 7, 1.5, 0.06680720126885807 },
		{ 0, 1, -2, 0.9772498680518208 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_close(
			dist_nct_cdf(cases[i].t, cases[i].df, cases[i].ncp),
			cases[i].p, 1e-10);
}

static void the_ncp_inverts_the_noncentral_t(void **state)
{
	(void)state;
	for (double t = -12; t <= 12; t += 3)
		for (double df = 1; df < 300; df *= 4)
			for (double p = .025; p < 1; p += .475)
				assert_close(
					dist_nct_cdf(t, df,
						     dist_nct_ncp(p, t, df)),
					p, 1e-9);
}

static double minus_two(double x, void *arg)
{
	(void)arg;
	return x * x - 2;
}

static void a_root_needs_a_change_of_sign(void **state)
{
	(void)state;
	assert_close(dist_root(minus_two, NULL, 0, 2), sqrt(2), 1e-12);
	assert_nan(dist_root(minus_two, NULL, 2, 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outside_their_domain_all_are_nan),
		cmocka_unit_test(the_ends_are_certain),
		cmocka_unit_test(quantiles_invert_tails),
		cmocka_unit_test(the_central_case_is_students_t),
		cmocka_unit_test(the_noncentral_t_is_that_of_others),
		cmocka_unit_test(the_ncp_inverts_the_noncentral_t),
		cmocka_unit_test(a_root_needs_a_change_of_sign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
