#include "tests/unit/numbers.h"

#include "analysis/noise.h"

enum {
	ROUNDS = 20
};

// Two arms of ROUNDS rounds, lognormal; what the cases do to them.
struct source {
	double effect; // of the second arm
	double drift;  // over all rounds
	double mode;   // distance of a second mode, in every third round
	bool fails;    // every other trial of the second arm does
};

struct fixture {
	struct dataset *ds;
	struct analysis *an;
};

static double draw(const struct source *s, struct rng *r, uint32_t arm,
		   uint32_t round)
{
	double x = .01 * rng_normal(r);

	if (arm == 1 && s->fails && round % 2 == 0)
		return NO_FIGURE;
	x += arm * s->effect + s->drift * round / ROUNDS;
	return 100 * exp(x + (round % 3 == arm ? s->mode : 0));
}

static void add(struct dataset *ds, uint32_t arm, uint32_t round, double value)
{
	struct dataset_trial t = {
		.cell = arm,
		.trial = (uint32_t)ds->ntrials,
		.attempt = 1,
		.metric = DATASET_NONE,
		.block = round,
		.boot = ds->ntrials,
		.order = (double)ds->ntrials,
		.outcome = isnan(value) ? OUTCOME_FAILED : OUTCOME_OK,
		.reason = isnan(value) ? "no luck" : NULL,
	};
	struct err e = { 0 };
	size_t row;

	assert_int_equal(dataset_add_trial(ds, &t, &row, &e), 0);
	if (!isnan(value))
		dataset_set_value(ds, row, 0, value);
}

static void fill(struct dataset *ds, const struct source *s, uint64_t seed)
{
	struct rng r;

	rng_seed(&r, seed);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		// The one that is first changes from round to round.
		for (uint32_t i = 0; i < 2; i++) {
			uint32_t arm = (i + round * round / 3) % 2;

			add(ds, arm, round, draw(s, &r, arm, round));
		}
	}
}

static void setup(struct fixture *f, const struct source *s, uint64_t seed)
{
	static const struct level arms[] = { { "arm", "A1" }, { "arm", "A2" } };
	struct compare_spec spec = { .alpha = COMPARE_ALPHA, .margin = .02 };
	struct metric m = { "speed", 0, "1/s", BETTER_HIGHER };
	struct err e = { 0 };
	uint32_t ignored;

	f->ds = dataset_new();
	f->an = NULL;
	for (size_t i = 0; i < ARRAY_LEN(arms); i++)
		assert_int_equal(
			dataset_add_cell(f->ds, &arms[i], 1, &ignored, &e), 0);
	assert_int_equal(dataset_add_metric(f->ds, &m, &ignored, &e), 0);
	fill(f->ds, s, seed);
	assert_int_equal(compare_run(f->ds, &spec, &f->an, &e), 0);
}

static void teardown(struct fixture *f)
{
	analysis_free(f->an);
	dataset_free(f->ds);
}

static void what_is_wrong_with_a_setup_is_found(void **state)
{
	static const struct {
		const char *name;
		struct source source;
		enum noise_trust want;
	} cases[] = {
		{ "sound", { .drift = 0 }, NOISE_TRUSTED },
		{ "the arms differ", { .effect = .05 }, NOISE_DISTRUSTED },
		{ "an arm fails", { .fails = true }, NOISE_DISTRUSTED },
		{ "it drifts", { .drift = .1 }, NOISE_WARNED },
		{ "two modes", { .mode = .3 }, NOISE_WARNED },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture f;

		setup(&f, &cases[i].source, 3);
		if (noise_trust(f.an) != cases[i].want)
			fail_msg("%s: %d", cases[i].name,
				 (int)noise_trust(f.an));
		teardown(&f);
	}
}

static void sound_setups_are_rarely_distrusted(void **state)
{
	static const struct source sound = { .drift = 0 };
	int distrusted = 0, tries = 1000;

	(void)state;
	for (int i = 0; i < tries; i++) {
		struct fixture f;

		setup(&f, &sound, 100 + (uint64_t)i);
		distrusted += noise_trust(f.an) == NOISE_DISTRUSTED;
		teardown(&f);
	}
	assert_between(distrusted / (double)tries, .02, .08);
}

static void the_floor_is_what_the_noise_makes_it(void **state)
{
	static const struct source sound = { .drift = 0 };
	struct noise_floor f;
	struct fixture x;

	(void)state;
	setup(&x, &sound, 3);
	f = noise_floor_of(x.an, &x.an->comparisons[0]);
	// 1 % a trial; sqrt 2 of it a round; t_19 / sqrt 20 of that.
	assert_between(f.cv, .006, .014);
	assert_between(f.sd_round, .009, .020);
	assert_close(f.half_pct, 100 * f.sd_round * 2.093 / sqrt(ROUNDS), .02);
	assert_between(f.mde, .9 * 2.97 / 2.093 * f.half_pct / 100,
		       1.1 * 2.97 / 2.093 * f.half_pct / 100);
	teardown(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_wrong_with_a_setup_is_found),
		cmocka_unit_test(sound_setups_are_rarely_distrusted),
		cmocka_unit_test(the_floor_is_what_the_noise_makes_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
