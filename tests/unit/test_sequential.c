#include "tests/unit/numbers.h"

#include "analysis/sequential.h"

enum {
	LOOKS = 8,
	TRIES = 4000
};

static const size_t looks[LOOKS] = { 5, 6, 7, 8, 9, 10, 11, 12 };

static struct sequential_plan plan(void)
{
	return (struct sequential_plan){ .looks = looks,
					 .n = LOOKS,
					 .n_max = 12,
					 .alpha = .05,
					 .spend = SEQUENTIAL_KD2,
					 .paths = 100000,
					 .seed = SEQUENTIAL_SEED };
}

static void all_of_alpha_is_spent_at_the_end(void **state)
{
	(void)state;
	for (int s = SEQUENTIAL_KD2; s <= SEQUENTIAL_POCOCK; s++) {
		enum sequential_spend spend = (enum sequential_spend)s;
		double before = 0;

		assert_close(sequential_spent(spend, .05, 1), .05, 1e-12);
		assert_close(sequential_spent(spend, .05, 2), .05, 1e-12);
		assert_close(sequential_spent(spend, .05, 0), 0, 0);
		for (double t = .1; t < 1; t += .1) {
			assert_true(sequential_spent(spend, .05, t) > before);
			before = sequential_spent(spend, .05, t);
		}
	}
}

// Published: Jennison & Turnbull 2000; Lan & DeMets 1983.
static void normal_boundaries_are_the_published_ones(void **state)
{
	static const double info[] = { .2, .4, .6, .8, 1 };
	static const double obf[] = { 4.877, 3.357, 2.680, 2.290, 2.031 };
	static const double pocock[] = { 2.438, 2.427, 2.410, 2.397, 2.386 };
	double z[5];

	(void)state;
	assert_int_equal(sequential_z_bounds(info, 5, SEQUENTIAL_OBF, .05, z),
			 0);
	for (size_t k = 0; k < 5; k++)
		assert_close(z[k], obf[k], 3e-4);
	assert_int_equal(
		sequential_z_bounds(info, 5, SEQUENTIAL_POCOCK, .05, z), 0);
	for (size_t k = 0; k < 5; k++)
		assert_close(z[k], pocock[k], 3e-4);
}

static void one_look_is_the_plain_test(void **state)
{
	static const double info[] = { 1 };
	double z;

	(void)state;
	assert_int_equal(sequential_z_bounds(info, 1, SEQUENTIAL_KD2, .05, &z),
			 0);
	assert_close(z, 1.959963984540054, 1e-9);
}

static void bad_plans_are_refused(void **state)
{
	static const double falls[] = { .5, .4 }, beyond[] = { .5, 1.2 };
	static const size_t back[] = { 5, 4 }, one[] = { 1 };
	struct sequential_plan p = plan();
	double out[LOOKS];

	(void)state;
	assert_int_equal(
		sequential_z_bounds(falls, 2, SEQUENTIAL_KD2, .05, out), -1);
	assert_int_equal(
		sequential_z_bounds(beyond, 2, SEQUENTIAL_KD2, .05, out), -1);
	assert_int_equal(sequential_z_bounds(NULL, 0, SEQUENTIAL_KD2, .05, out),
			 -1);
	p.n_max = 11;
	assert_int_equal(sequential_t_bounds(&p, out), -1);
	p = plan();
	p.looks = back;
	p.n = 2;
	assert_int_equal(sequential_t_bounds(&p, out), -1);
	p.looks = one;
	p.n = 1;
	assert_int_equal(sequential_t_bounds(&p, out), -1);
	p = plan();
	p.n = 0;
	assert_int_equal(sequential_t_bounds(&p, out), -1);
}

static void the_same_seed_gives_the_same_boundaries(void **state)
{
	struct sequential_plan p = plan();
	double a[LOOKS], b[LOOKS];

	(void)state;
	p.paths = 20000;
	assert_int_equal(sequential_t_bounds(&p, a), 0);
	assert_int_equal(sequential_t_bounds(&p, b), 0);
	for (size_t k = 0; k < LOOKS; k++)
		assert_close(a[k], b[k], 0);
}

struct rates {
	int group, naive, anytime;
};

// One path of rounds without an effect: which rule would have stopped it?
static void walk_path(struct rng *r, const double *crit, struct rates *rates)
{
	double x[12];
	bool group = false, naive = false, anytime = false;

	fill_normal(r, x, 12, 0, 3);
	for (size_t k = 0; k < LOOKS; k++) {
		struct moments m =
			sample_moments((struct sample){ x, looks[k] });
		struct effect e = effect_make(m.mean, m.sd / sqrt((double)m.n),
					      (double)m.n - 1, .95);

		group |= fabs(e.t) >= crit[k];
		naive |= e.p <= .05;
		anytime |= sequential_anytime(m.n, e.t, 1, .05).p <= .05;
	}
	rates->group += group;
	rates->naive += naive;
	rates->anytime += anytime;
}

static void looking_often_costs_no_false_claims(void **state)
{
	struct sequential_plan p = plan();
	struct rates rates = { 0 };
	double crit[LOOKS];
	struct rng r;

	(void)state;
	assert_int_equal(sequential_t_bounds(&p, crit), 0);
	rng_seed(&r, 10);
	for (int i = 0; i < TRIES; i++)
		walk_path(&r, crit, &rates);
	assert_between(rates.group / (double)TRIES, .036, .064);
	assert_between(rates.anytime / (double)TRIES, 0, .05);
	// What the rule is for.
	assert_true(rates.naive / (double)TRIES > .08);
}

static void a_look_stops_for_the_first_reason_that_holds(void **state)
{
	static const struct {
		const char *name;
		struct sequential_look k;
		enum sequential_action want;
	} cases[] = {
		{ "equivalent",
		  { 10, 30, .001, .002, 4, 3, .02, NAN },
		  SEQUENTIAL_EQUIVALENT },
		{ "different",
		  { 10, 30, .1, .01, 4, 3, .02, NAN },
		  SEQUENTIAL_DIFFERENT },
		{ "no margin, different",
		  { 10, 30, .01, .002, 4, 3, NAN, NAN },
		  SEQUENTIAL_DIFFERENT },
		{ "precise",
		  { 10, 30, .01, .005, 4, 3, NAN, .02 },
		  SEQUENTIAL_PRECISE },
		{ "go on",
		  { 10, 30, .01, .01, 4, 3, .02, NAN },
		  SEQUENTIAL_CONTINUE },
		{ "exhausted",
		  { 30, 30, .01, .01, 4, 3, .02, NAN },
		  SEQUENTIAL_EXHAUSTED },
		{ "no variance",
		  { 10, 30, .1, 0, 4, 3, .02, .1 },
		  SEQUENTIAL_CONTINUE },
		{ "nothing to spend",
		  { 10, 30, .1, .01, HUGE_VAL, HUGE_VAL, .5, .1 },
		  SEQUENTIAL_CONTINUE },
		{ "no figures",
		  { 10, 30, NAN, NAN, 4, 3, .02, .1 },
		  SEQUENTIAL_CONTINUE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (sequential_decide(&cases[i].k) != cases[i].want)
			fail_msg("%s: %d", cases[i].name,
				 (int)sequential_decide(&cases[i].k));
}

static void the_interval_is_as_wide_as_the_boundary(void **state)
{
	struct sequential_look k = { .mean = .01, .se = .005, .crit = 4 };
	struct sequential_interval i = sequential_interval(&k);

	(void)state;
	assert_close(i.lo_pct, 100 * expm1(-.01), 1e-12);
	assert_close(i.hi_pct, 100 * expm1(.03), 1e-12);
	k.crit = HUGE_VAL;
	i = sequential_interval(&k);
	assert_close(i.lo_pct, -100, 0);
	assert_close(i.hi_pct, HUGE_VAL, 0);
}

static void the_anytime_boundary_is_where_p_is_alpha(void **state)
{
	(void)state;
	for (size_t n = 5; n < 200; n += 13) {
		double crit = sequential_anytime(n, 0, 1, .05).crit;

		if (isfinite(crit))
			assert_close(sequential_anytime(n, crit, 1, .05).p, .05,
				     1e-9);
	}
	assert_close(sequential_anytime(2, 5, 1, .05).crit, HUGE_VAL, 0);
	assert_nan(sequential_anytime(1, 5, 1, .05).p);
	assert_nan(sequential_anytime(10, NAN, 1, .05).p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_alpha_is_spent_at_the_end),
		cmocka_unit_test(normal_boundaries_are_the_published_ones),
		cmocka_unit_test(one_look_is_the_plain_test),
		cmocka_unit_test(bad_plans_are_refused),
		cmocka_unit_test(the_same_seed_gives_the_same_boundaries),
		cmocka_unit_test(looking_often_costs_no_false_claims),
		cmocka_unit_test(a_look_stops_for_the_first_reason_that_holds),
		cmocka_unit_test(the_interval_is_as_wide_as_the_boundary),
		cmocka_unit_test(the_anytime_boundary_is_where_p_is_alpha),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
