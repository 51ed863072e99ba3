#include "tests/unit/numbers.h"

#include "analysis/multiplicity.h"

typedef size_t adjust(const double *p, size_t n, double *adj);

static adjust *const methods[] = { multiplicity_holm, multiplicity_bh,
				   multiplicity_bonferroni };

static void one_p_stays_as_it_is(void **state)
{
	double p = .03, adj;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
		assert_int_equal(methods[i](&p, 1, &adj), 1);
		assert_close(adj, .03, 0);
	}
}

static void nan_leaves_the_family(void **state)
{
	double p[] = { .01, NAN, .03, NAN }, adj[4];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
		assert_int_equal(methods[i](p, 4, adj), 2);
		assert_nan(adj[1]);
		assert_nan(adj[3]);
		assert_close(adj[0], .02, 1e-15);
	}
}

static void an_adjusted_p_never_falls_and_never_passes_one(void **state)
{
	double p[] = { .9, .001, .5, .04, .5, .02, 1 }, adj[7];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
		methods[i](p, 7, adj);
		for (size_t k = 0; k < 7; k++)
			assert_true(adj[k] >= p[k] && adj[k] <= 1);
	}
}

static void methods_are_as_strict_as_known(void **state)
{
	double p[] = { .01, .04, .03, .005 };
	double holm[4], bh[4], bonferroni[4];

	(void)state;
	multiplicity_holm(p, 4, holm);
	multiplicity_bh(p, 4, bh);
	multiplicity_bonferroni(p, 4, bonferroni);
	for (size_t k = 0; k < 4; k++)
		assert_true(bh[k] <= holm[k] && holm[k] <= bonferroni[k]);
}

static void the_family_may_be_adjusted_in_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
		double p[] = { .01, .04, .03, .005 }, adj[4];

		methods[i](p, 4, adj);
		methods[i](p, 4, p);
		for (size_t k = 0; k < 4; k++)
			assert_close(p[k], adj[k], 0);
	}
}

static void an_empty_family_is_empty(void **state)
{
	double adj;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(methods); i++)
		assert_int_equal(methods[i](NULL, 0, &adj), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_p_stays_as_it_is),
		cmocka_unit_test(nan_leaves_the_family),
		cmocka_unit_test(
			an_adjusted_p_never_falls_and_never_passes_one),
		cmocka_unit_test(methods_are_as_strict_as_known),
		cmocka_unit_test(the_family_may_be_adjusted_in_place),
		cmocka_unit_test(an_empty_family_is_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
