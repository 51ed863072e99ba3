#include "tests/unit/numbers.h"

#include "analysis/diagnose.h"

static void arms_one_after_the_other_are_confounded(void **state)
{
	static const struct {
		const char *order;
		double auc;
		size_t max_run;
		bool confounded;
	} cases[] = {
		{ "AAAAABBBBB", 1, 5, true },
		{ "BBBBBAAAAA", 0, 5, true },
		{ "ABABABABAB", .6, 1, false },
		{ "ABBA", .5, 2, false },
		{ "AAABABBBBB", 23.0 / 24, 5, true },
		{ "AAAA", NAN, 4, false },
		{ "", NAN, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		bool is_b[16];
		size_t n = 0;
		struct diagnose_order o;

		for (const char *c = cases[i].order; *c != '\0'; c++)
			is_b[n++] = *c == 'B';
		o = diagnose_order(is_b, n, DIAGNOSE_ORDER_THRESHOLD);
		assert_named_close(cases[i].order, o.auc, cases[i].auc, 1e-12);
		assert_int_equal(o.max_run, cases[i].max_run);
		assert_int_equal(o.confounded, cases[i].confounded);
	}
}

// Fisher's tea: 3 of 4 right on either side gives 34/70.
static void fisher_is_exact(void **state)
{
	struct diagnose_arm a = { 3, 4 }, b = { 1, 4 }, none = { 0, 0 };

	(void)state;
	assert_close(diagnose_fisher(a, b), 34.0 / 70, 1e-12);
	assert_close(diagnose_fisher(b, a), 34.0 / 70, 1e-12);
	assert_nan(diagnose_fisher(a, none));
	assert_nan(diagnose_fisher((struct diagnose_arm){ 5, 4 }, b));
	assert_close(diagnose_fisher((struct diagnose_arm){ 0, 10 },
				     (struct diagnose_arm){ 0, 10 }),
		     1, 1e-12);
}

static void failures_tell_when_they_differ_or_abound(void **state)
{
	static const struct {
		struct diagnose_arm a, b;
		bool differ, too_many;
	} cases[] = {
		{ { 0, 10 }, { 0, 10 }, false, false },
		{ { 1, 10 }, { 0, 10 }, false, false },
		{ { 2, 10 }, { 2, 10 }, false, false },
		{ { 3, 10 }, { 3, 10 }, false, true },
		{ { 0, 40 }, { 7, 40 }, true, false },
		{ { 0, 0 }, { 0, 10 }, false, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct diagnose_failures f =
			diagnose_failures(cases[i].a, cases[i].b, .05);

		if (f.differ != cases[i].differ ||
		    f.too_many != cases[i].too_many)
			fail_msg("case %zu: p %g, shares %g, %g", i, f.p,
				 f.share_a, f.share_b);
	}
}

static void a_far_value_is_flagged_where_it_stands(void **state)
{
	enum diagnose_outlier flag[8];
	struct diagnose_outliers o = diagnose_outliers(
		SAMPLE(10, 14, NO_FIGURE, 9.9, 10.05, 9.95, 10.02, 10.1), flag);

	(void)state;
	assert_int_equal(flag[1], DIAGNOSE_SEVERE);
	assert_int_equal(flag[2], DIAGNOSE_INSIDE);
	assert_int_equal(o.severe, 1);
	assert_int_equal(o.mild, 0);
	assert_true(diagnose_outliers_warn(&o));
}

static void constant_values_have_no_outliers(void **state)
{
	struct diagnose_outliers o =
		diagnose_outliers(SAMPLE(7, 7, 7, 7), NULL);

	(void)state;
	assert_close(o.modz_max, 0, 0);
	assert_false(diagnose_outliers_warn(&o));
	o = diagnose_outliers(NOTHING, NULL);
	assert_nan(o.modz_max);
	assert_nan(o.q1);
	assert_false(diagnose_outliers_warn(&o));
}

static void two_modes_are_seen_whatever_the_unit(void **state)
{
	struct sample x = SAMPLE(1.0, 1.01, 0.99, 1.1, 1.11, 1.09, 1.0, 1.1);
	double y[8];
	struct diagnose_clusters c = diagnose_clusters(x, .15), d;

	(void)state;
	for (size_t i = 0; i < 8; i++)
		y[i] = 1e9 * x.x[7 - i];
	d = diagnose_clusters((struct sample){ y, 8 }, .15);
	assert_true(c.warn);
	assert_int_equal(c.split, 4);
	assert_close(c.apart, .1, 1e-9);
	assert_close(c.r2, d.r2, 1e-9);
	assert_close(c.apart, d.apart, 1e-9);
}

static void too_few_values_have_no_clusters(void **state)
{
	(void)state;
	assert_nan(diagnose_clusters(NOTHING, .15).r2);
	assert_nan(diagnose_clusters(SAMPLE(1, 2, 3), .15).r2);
	assert_nan(diagnose_clusters(SAMPLE(5, 5, 5, 5, 5), .15).r2);
	assert_false(diagnose_clusters(SAMPLE(1, 1, 2, 2), .15).warn);
}

static void normal_noise_seldom_looks_like_two_modes(void **state)
{
	static const size_t sizes[] = { 5, 8, 12, 25, 50 };
	struct rng r;

	(void)state;
	rng_seed(&r, 8);
	for (size_t k = 0; k < ARRAY_LEN(sizes); k++) {
		int warned = 0;

		for (int i = 0; i < 3000; i++) {
			double x[50];
			struct sample s = { x, sizes[k] };

			fill_normal(&r, x, s.n, 100, 1);
			warned += diagnose_clusters(s, .15).warn;
		}
		assert_between(warned / 3000.0, .003, .019);
	}
}

static void a_result_on_one_trial_is_fragile(void **state)
{
	bool in_a[3], in_b[5];
	struct diagnose_pair d = {
		SAMPLE(1392703, 1385091, 1324080),
		SAMPLE(1222859, 1341207, 1340184, 1305392, 1309725), false
	};
	struct diagnose_fragility f = diagnose_fragility(&d, .05, in_a, in_b);

	(void)state;
	assert_false(f.significant);
	assert_true(f.fragile);
	assert_int_equal(f.nflips, 1);
	assert_true(in_a[2]);
	assert_false(in_a[0] || in_b[0] || in_b[4]);
}

static void a_clear_result_is_not_fragile(void **state)
{
	struct diagnose_pair d = { SAMPLE(100, 101, 102, 103, 104),
				   SAMPLE(150, 151.2, 153.1, 154, 156), true };
	struct diagnose_fragility f = diagnose_fragility(&d, .05, NULL, NULL);

	(void)state;
	assert_true(f.significant);
	assert_false(f.fragile);
}

static void methods_are_compared_only_when_there_is_reason(void **state)
{
	struct sample w = SAMPLE(1, 2, 3, 4, 5, 6, 7, 80);

	(void)state;
	// All of one sign: p = 2/2^8 by flipping, while t sees the outlier.
	assert_true(diagnose_method_dependent(w, .2, true, .05));
	assert_false(diagnose_method_dependent(w, .2, false, .05));
	assert_false(diagnose_method_dependent(w, .01, true, .05));
	assert_false(diagnose_method_dependent(w, NO_FIGURE, true, .05));
	assert_false(diagnose_method_dependent(SAMPLE(1, 2, 3), .2, true, .05));
}

static void the_slot_shows_in_the_contrasts(void **state)
{
	static const bool first[] = { true, false, true, false, true, false };
	struct sample w = SAMPLE(.01, -.01, .011, -.009, .012, -.011);
	struct diagnose_slot s = diagnose_slot(w, first);
	struct diagnose_slot few = diagnose_slot(SAMPLE(1, 2, 3), first);

	(void)state;
	assert_close(s.diff, .021, 1e-12);
	assert_true(s.p < .01);
	assert_nan(few.p);
}

static void a_cold_first_round_stands_out(void **state)
{
	(void)state;
	assert_true(diagnose_warmup(SAMPLE(5, .1, -.1, .2, -.2, 0)) > 3);
	assert_between(diagnose_warmup(SAMPLE(.1, .1, -.1, .2, -.2, 0)), -2, 2);
	assert_nan(diagnose_warmup(SAMPLE(5, 1, 2)));
	assert_nan(diagnose_warmup(SAMPLE(5, 1, 1, 1)));
	assert_nan(diagnose_warmup(NOTHING));
}

static void a_coarse_figure_is_quantised(void **state)
{
	(void)state;
	assert_true(diagnose_quantised(
		SAMPLE(5, 5, 5, 5, 6, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5), 1));
	assert_false(diagnose_quantised(SAMPLE(5, 7, 3, 9), 1));
	assert_false(diagnose_quantised(SAMPLE(5), 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arms_one_after_the_other_are_confounded),
		cmocka_unit_test(fisher_is_exact),
		cmocka_unit_test(failures_tell_when_they_differ_or_abound),
		cmocka_unit_test(a_far_value_is_flagged_where_it_stands),
		cmocka_unit_test(constant_values_have_no_outliers),
		cmocka_unit_test(two_modes_are_seen_whatever_the_unit),
		cmocka_unit_test(too_few_values_have_no_clusters),
		cmocka_unit_test(normal_noise_seldom_looks_like_two_modes),
		cmocka_unit_test(a_result_on_one_trial_is_fragile),
		cmocka_unit_test(a_clear_result_is_not_fragile),
		cmocka_unit_test(
			methods_are_compared_only_when_there_is_reason),
		cmocka_unit_test(the_slot_shows_in_the_contrasts),
		cmocka_unit_test(a_cold_first_round_stands_out),
		cmocka_unit_test(a_coarse_figure_is_quantised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
