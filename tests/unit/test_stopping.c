#include "tests/unit/numbers.h"

#include "analysis/stopping.h"

enum {
	CELLS = 3,
	ROUNDS = 12,
	MIN_ROUNDS = 4,
	WARMUP = 2,
};

// Cell 0 has 100 in every round; the other ones what `ratio` says, by round.
struct fixture {
	struct dataset *ds;
	struct stopping_test test;
	struct compare_spec spec;
	struct level baseline;
	struct stopping *s;
};

typedef double ratio_fn(uint32_t cell, uint32_t round, uint32_t host);

static void add_trial(struct fixture *f, uint32_t cell, uint32_t round,
		      uint32_t host, double value)
{
	static const char *const names[] = { "one", "two" };
	struct dataset_trial t = {
		.cell = cell,
		.trial = (uint32_t)f->ds->ntrials,
		.attempt = 1,
		.host = names[host],
		.metric = DATASET_NONE,
		.block = round + WARMUP,
		.boot = f->ds->ntrials,
		.order = (double)f->ds->ntrials,
		.outcome = isnan(value) ? OUTCOME_FAILED : OUTCOME_OK,
		.reason = isnan(value) ? "no luck" : NULL,
	};
	struct err e = { 0 };
	size_t row;

	assert_int_equal(dataset_add_trial(f->ds, &t, &row, &e), 0);
	if (!isnan(value))
		dataset_set_value(f->ds, row, 0, value);
}

static void declare(struct fixture *f, uint32_t cells)
{
	static const char *const texts[] = { "a", "b", "c" };
	struct metric m = { .name = "speed",
			    .unit = "1/s",
			    .better = BETTER_HIGHER };
	struct err e = { 0 };
	uint32_t ignored;

	for (uint32_t c = 0; c < cells; c++) {
		struct level l = { .factor = "arm", .text = texts[c] };

		assert_int_equal(dataset_add_cell(f->ds, &l, 1, &ignored, &e),
				 0);
	}
	assert_int_equal(dataset_add_metric(f->ds, &m, &ignored, &e), 0);
	f->baseline = (struct level){ .factor = "arm", .text = "a" };
	f->spec = (struct compare_spec){ .baseline = &f->baseline,
					 .nbaseline = 1,
					 .margin = .02,
					 .alpha = COMPARE_ALPHA };
}

static void setup(struct fixture *f, uint32_t cells, uint32_t hosts,
		  ratio_fn *ratio)
{
	*f = (struct fixture){ .ds = dataset_new() };
	f->ds->warmup_rounds = WARMUP;
	declare(f, cells);
	for (uint32_t r = 0; r < ROUNDS; r++)
		for (uint32_t h = 0; h < hosts; h++)
			for (uint32_t c = 0; c < cells; c++)
				add_trial(f, c, r, h,
					  c == 0 ? 100 : 100 * ratio(c, r, h));
	f->test.rule = (struct stopping_rule){ .min_rounds = MIN_ROUNDS,
					       .max_rounds = ROUNDS,
					       .alpha = COMPARE_ALPHA,
					       .family = cells - 1,
					       .margin = NO_FIGURE,
					       .half_width = NO_FIGURE };
	stopping_bounds_init(&f->test.bounds, ROUNDS - MIN_ROUNDS + 1);
	for (size_t k = 0; k < f->test.bounds.n; k++) {
		f->test.bounds.crit[k] = 6;
		f->test.bounds.crit_eq[k] = 5;
	}
}

static const struct stopping_comparison *look(struct fixture *f, size_t rounds)
{
	struct err e = { 0 };

	stopping_freep(&f->s);
	f->s = stopping_look(f->ds, &f->spec, &f->test, rounds, &e);
	if (f->s == NULL)
		fail_msg("%s", e.msg);
	return f->s->comparisons;
}

static void teardown(struct fixture *f)
{
	stopping_free(f->s);
	stopping_bounds_deinit(&f->test.bounds);
	dataset_free(f->ds);
}

// Up to half a per cent to and fro around `middle`; two rounds cancel.
static double near(double middle, uint32_t round)
{
	double off = 1 + .001 * (round / 2 % 6);

	return middle * (round % 2 == 0 ? off : 1 / off);
}

static double ten_percent(uint32_t cell, uint32_t round, uint32_t host)
{
	(void)cell;
	(void)host;
	return near(1.1, round);
}

static double nothing(uint32_t cell, uint32_t round, uint32_t host)
{
	(void)cell;
	(void)host;
	return near(1, round);
}

static void a_clear_difference_stops_at_the_first_look(void **state)
{
	const struct stopping_comparison *c;
	struct fixture f;

	(void)state;
	setup(&f, 2, 1, ten_percent);
	for (size_t rounds = 0; rounds < MIN_ROUNDS; rounds++) {
		c = look(&f, rounds);
		assert_int_equal(c->action, SEQUENTIAL_CONTINUE);
		assert_int_equal(c->look.n, 0);
		assert_false(f.s->stopped);
	}
	// Later rounds change nothing any more.
	for (size_t rounds = MIN_ROUNDS; rounds <= ROUNDS + 1; rounds++) {
		c = look(&f, rounds);
		assert_int_equal(c->action, SEQUENTIAL_DIFFERENT);
		assert_int_equal(c->round, MIN_ROUNDS);
		assert_int_equal(c->look.n, MIN_ROUNDS);
		assert_close(c->look.mean, log(1.1), 1e-12);
		assert_true(f.s->stopped);
		assert_int_equal(f.s->at, MIN_ROUNDS);
	}
	teardown(&f);
}

static void every_answer_can_be_reached(void **state)
{
	static const struct {
		ratio_fn *ratio;
		double margin, half_width;
		enum sequential_action want;
	} cases[] = {
		{ ten_percent, .02, NO_FIGURE, SEQUENTIAL_DIFFERENT },
		{ nothing, .02, NO_FIGURE, SEQUENTIAL_EQUIVALENT },
		{ nothing, NO_FIGURE, .02, SEQUENTIAL_PRECISE },
		{ nothing, NO_FIGURE, NO_FIGURE, SEQUENTIAL_EXHAUSTED },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture f;

		setup(&f, 2, 1, cases[i].ratio);
		f.test.rule.margin = cases[i].margin;
		f.test.rule.half_width = cases[i].half_width;
		look(&f, ROUNDS);
		if (f.s->comparisons->action != cases[i].want)
			fail_msg(
				"case %zu: %s", i,
				stopping_action_text(f.s->comparisons->action));
		assert_true(f.s->stopped);
		teardown(&f);
	}
}

// The third cell differs from round 8 on only.
static double late(uint32_t cell, uint32_t round, uint32_t host)
{
	(void)host;
	if (cell == 1)
		return near(1.1, round);
	return near(round < 6 ? 1 : 1.3, round);
}

static void the_campaign_stops_when_every_comparison_is_decided(void **state)
{
	const struct stopping_comparison *c;
	struct fixture f;

	(void)state;
	setup(&f, CELLS, 1, late);
	c = look(&f, MIN_ROUNDS);
	assert_int_equal(c[0].action, SEQUENTIAL_DIFFERENT);
	assert_int_equal(c[1].action, SEQUENTIAL_CONTINUE);
	assert_false(f.s->stopped);
	c = look(&f, ROUNDS);
	assert_int_equal(c[0].round, MIN_ROUNDS);
	assert_int_equal(c[1].action, SEQUENTIAL_EXHAUSTED);
	assert_int_equal(f.s->at, ROUNDS);
	assert_true(f.s->stopped);
	teardown(&f);
}

static double two_hosts(uint32_t cell, uint32_t round, uint32_t host)
{
	(void)cell;
	return near(host == 0 ? 1.2 : 1, round);
}

static void hosts_are_averaged_per_round(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, 2, 2, two_hosts);
	look(&f, MIN_ROUNDS);
	assert_close(f.s->comparisons->look.mean, log(1.2) / 2, 1e-12);
	assert_int_equal(f.s->comparisons->look.n, MIN_ROUNDS);
	teardown(&f);
}

static double often_fails(uint32_t cell, uint32_t round, uint32_t host)
{
	(void)cell;
	(void)host;
	return round % 3 == 1 ? NO_FIGURE : near(1.1, round);
}

static void alpha_is_spent_on_figures_not_on_rounds(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, 2, 1, often_fails);
	f.test.bounds.crit[0] = HUGE_VAL;
	look(&f, ROUNDS);
	// Rounds 1, 3, 4, 6, 7 are whole.
	assert_int_equal(f.s->comparisons->look.n, MIN_ROUNDS + 1);
	assert_int_equal(f.s->comparisons->round, 7);
	teardown(&f);
}

// A slow wave: each round is much like the one before.
static double wave(uint32_t cell, uint32_t round, uint32_t host)
{
	(void)cell;
	(void)host;
	return 1.02 + .01 * sin(round * .6);
}

static void autocorrelated_rounds_take_longer(void **state)
{
	const struct stopping_comparison *c;
	struct sequential_look plain;
	struct fixture f;

	(void)state;
	setup(&f, 2, 1, wave);
	f.test.rule.min_rounds = ROUNDS - 1;
	c = look(&f, ROUNDS);
	assert_int_equal(c->action, SEQUENTIAL_EXHAUSTED);
	assert_true(c->autocorrelated);
	// Without the discount it would have been decided.
	plain = c->look;
	plain.se = .0072 / sqrt(ROUNDS);
	assert_true(plain.se < c->look.se);
	assert_int_equal(sequential_decide(&plain), SEQUENTIAL_DIFFERENT);
	teardown(&f);
}

static void the_rule_takes_the_place_of_the_tests(void **state)
{
	struct analysis_comparison *c;
	struct analysis *an = NULL;
	struct err e = { 0 };
	struct fixture f;

	(void)state;
	setup(&f, 2, 1, ten_percent);
	for (size_t k = 0; k < f.test.bounds.n; k++)
		f.test.bounds.crit[k] = 1e6; // nothing is ever proven
	look(&f, ROUNDS);
	assert_int_equal(compare_run(f.ds, &f.spec, &an, &e), 0);
	c = &an->comparisons[0];
	assert_int_equal(c->verdict.kind, VERDICT_FASTER);
	stopping_apply(f.s, an);
	assert_int_equal(c->verdict.kind, VERDICT_INCONCLUSIVE);
	assert_int_equal(c->verdict.reason, VERDICT_UNDECIDED);
	assert_nan(c->effect.p);
	assert_nan(c->p_holm);
	assert_close(c->effect.pct, 10, 1e-9);
	assert_true(c->effect.lo_pct < -50);

	for (size_t k = 0; k < f.test.bounds.n; k++)
		f.test.bounds.crit[k] = 6;
	look(&f, ROUNDS);
	stopping_apply(f.s, an);
	assert_int_equal(c->verdict.kind, VERDICT_FASTER);
	assert_true(c->verdict.beyond_margin);

	c->verdict = (struct verdict){ .reason = VERDICT_FAILURES };
	stopping_apply(f.s, an);
	assert_int_equal(c->verdict.reason, VERDICT_FAILURES);
	analysis_free(an);
	teardown(&f);
}

static void a_margin_makes_a_verdict_even_if_it_was_not_to_stop(void **state)
{
	struct analysis *an = NULL;
	struct err e = { 0 };
	struct fixture f;

	(void)state;
	setup(&f, 2, 1, nothing);
	look(&f, ROUNDS);
	assert_int_equal(f.s->comparisons->action, SEQUENTIAL_EXHAUSTED);
	assert_int_equal(compare_run(f.ds, &f.spec, &an, &e), 0);
	stopping_apply(f.s, an);
	assert_int_equal(an->comparisons[0].verdict.kind, VERDICT_EQUIVALENT);
	analysis_free(an);
	teardown(&f);
}

static void bad_rules_are_refused(void **state)
{
	static const struct stopping_rule cases[] = {
		{ 6, 5, .05, 1, NAN, NAN },
		{ 1, 5, .05, 1, NAN, NAN },
		{ 2, STOPPING_ROUNDS_MAX + 1, .05, 1, NAN, NAN },
		{ 2, 5, .05, 0, NAN, NAN },
		{ 2, 5, 0, 1, NAN, NAN },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct stopping_bounds b = { 0 };

		if (stopping_calibrate(&cases[i], 1000, &b) == 0)
			fail_msg("case %zu is taken", i);
		assert_null(b.crit);
	}
}

// The design's table: 30 rounds at most, margin 2 %, SD of a contrast 2.65 %.
static void it_keeps_alpha_and_saves_rounds(void **state)
{
	static const struct {
		double effect, rounds, different, equivalent;
	} cases[] = {
		{ 0, 19.3, .040, .943 },   { .01, 21.5, .390, .523 },
		{ .02, 17.1, .941, .040 }, { .03, 12.0, 1, 0 },
		{ .1, 5.6, 1, 0 },
	};
	struct stopping_test t = { { 5, 30, .05, 1, .02, NO_FIGURE }, { 0 } };

	(void)state;
	assert_int_equal(stopping_calibrate(&t.rule, 100000, &t.bounds), 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct stopping_truth truth = { cases[i].effect, .0265 };
		struct stopping_expectation x =
			stopping_expect(&t, truth, 4000);

		print_message("effect %g: %.2f rounds, %.3f different, %.3f "
			      "equivalent\n",
			      truth.effect, x.rounds, x.different,
			      x.equivalent);
		assert_close(x.rounds, cases[i].rounds, .03);
		assert_between(x.different, cases[i].different - .03,
			       cases[i].different + .03);
		assert_between(x.equivalent, cases[i].equivalent - .03,
			       cases[i].equivalent + .03);
	}
	stopping_bounds_deinit(&t.bounds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clear_difference_stops_at_the_first_look),
		cmocka_unit_test(every_answer_can_be_reached),
		cmocka_unit_test(
			the_campaign_stops_when_every_comparison_is_decided),
		cmocka_unit_test(hosts_are_averaged_per_round),
		cmocka_unit_test(alpha_is_spent_on_figures_not_on_rounds),
		cmocka_unit_test(autocorrelated_rounds_take_longer),
		cmocka_unit_test(the_rule_takes_the_place_of_the_tests),
		cmocka_unit_test(
			a_margin_makes_a_verdict_even_if_it_was_not_to_stop),
		cmocka_unit_test(bad_rules_are_refused),
		cmocka_unit_test(it_keeps_alpha_and_saves_rounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
