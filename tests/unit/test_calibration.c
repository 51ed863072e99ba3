// Campaigns whose truth is known, each through the whole pipeline. Seeds are
// fixed, so that a run repeats; the bounds are what a sound analysis keeps for
// almost any seeds: a share lies within 4 standard deviations of the binomial,
// and of 2,000 campaigns within 1 %, too. `make calibration` has more.
#include "tests/unit/numbers.h"

#include <string.h>

#include "analysis/twosample.h"
#include "tests/fake/calibration.h"

enum {
	CAMPAIGNS = 400, // of each noise: 2,000 of each length
	PATHS = 50000,
	STOP_CAMPAIGNS = 1000,
	PEEK_CAMPAIGNS = 400, // each is analysed after every round
};

#define SIGMAS 4

static double share_sd(double p, size_t n)
{
	return sqrt(p * (1 - p) / (double)n);
}

static void assert_share(const char *what, size_t hits, size_t n, double want)
{
	double got = (double)hits / (double)n;
	double off = SIGMAS * share_sd(want, n);

	print_message("%s: %.4f of %zu\n", what, got, n);
	if (!(fabs(got - want) <= off))
		fail_msg("%s is %.4f of %zu, not %.3f +- %.4f", what, got, n,
			 want, off);
}

// `effect` 0 counts false positives, else the intervals that miss the truth.
static size_t errors_of(const struct calibration *c)
{
	return c->effect == 0 ? c->significant : c->campaigns - c->covered;
}

// Of 2,000 campaigns 1 % is 2 standard deviations.
static void check_errors(unsigned rounds, double effect)
{
	size_t errors = 0, n = 0;
	double share;

	for (size_t i = 0; i < CALIBRATION_NOISES; i++) {
		struct calibration c = { .rounds = rounds,
					 .effect = effect,
					 .first_seed = effect > 0 ? 100001 : 1,
					 .campaigns = CAMPAIGNS };

		calibration_run(&calibration_noises[i], &c);
		assert_share(calibration_noises[i].name, errors_of(&c),
			     c.campaigns, COMPARE_ALPHA);
		errors += errors_of(&c);
		n += c.campaigns;
	}
	share = (double)errors / (double)n;
	print_message("%u rounds, effect %g: errors %.4f of %zu\n", rounds,
		      effect, share, n);
	assert_between(share, 0.04, 0.06);
}

static void five_per_cent_of_aa_campaigns_are_significant(void **state)
{
	(void)state;
	check_errors(10, 0);
	check_errors(30, 0);
}

static void intervals_hold_the_truth_in_95_per_cent(void **state)
{
	(void)state;
	check_errors(10, 0.02);
	check_errors(30, 0.02);
}

// Sequential looks would give 23 % of false claims with the plain test.
static void the_stopping_rule_keeps_five_per_cent(void **state)
{
	struct calibration_stop s = { .campaigns = STOP_CAMPAIGNS };

	(void)state;
	calibration_stop(&s, PATHS);
	assert_share("claims without an effect", s.different, s.campaigns,
		     COMPARE_ALPHA);
}

static size_t claims_of_peeking(double effect, bool interim)
{
	struct calibration_peek p = { .effect = effect,
				      .interim = interim,
				      .campaigns = PEEK_CAMPAIGNS };

	calibration_peek(&p);
	print_message("peeking at %g%s: %.4f\n", effect,
		      interim ? ", anytime-valid" : "",
		      (double)p.claims / PEEK_CAMPAIGNS);
	return p.claims;
}

// After every round, as if each were the last: 2.2 % against more than 20 %.
static void looking_at_every_round_makes_no_false_claims(void **state)
{
	(void)state;
	assert_true(claims_of_peeking(0, false) > PEEK_CAMPAIGNS / 5);
	assert_true(claims_of_peeking(0, true) < PEEK_CAMPAIGNS * 4 / 100);
	assert_between((double)claims_of_peeking(0.02, true) / PEEK_CAMPAIGNS,
		       0.78, 0.88);
}

static const struct saving {
	double effect, share;
} savings[] = {
	{ 0, 0.35 },
	{ 0.03, 0.60 },
};

// 4 standard deviations of the mean of STOP_CAMPAIGNS.
#define SAVING_OFF 0.02

static void the_stopping_rule_saves_rounds(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(savings); i++) {
		struct calibration_stop s = { .effect = savings[i].effect,
					      .margin = true,
					      .campaigns = STOP_CAMPAIGNS };

		calibration_stop(&s, PATHS);
		print_message("effect %g: %.1f rounds, %.1f %% saved\n",
			      s.effect, s.rounds, 100 * calibration_saved(&s));
		assert_between(calibration_saved(&s),
			       savings[i].share - SAVING_OFF, 1);
	}
}

// One boot for each arm: boots differ by 2 %, the trials in them by 1 %.
static const char one_boot_yaml[] =
	"name: boots\n"
	"factors: {memory: [256M, 512M]}\n"
	"fixed: {accel: tcg}\n"
	"workloads: [synthetic: {cv: 1%, boot-cv: 2%}]\n"
	"compare: {metric: synthetic.value, baseline: {memory: 256M}, "
	"margin: 2%}\n"
	"design: {rounds: 1, repeat: 10}\n";

enum {
	BOOT_CAMPAIGNS = 1000,
	BOOT_TRIALS = 10,
};

// What a table of 10 and 10 figures says to one who takes them as independent.
static bool is_naively_significant(const struct dataset *ds)
{
	double x[2][BOOT_TRIALS];
	size_t n[2] = { 0 };

	for (size_t t = 0; t < ds->ntrials; t++) {
		uint32_t c = ds->cell[t];

		assert_true(c < 2 && n[c] < BOOT_TRIALS);
		x[c][n[c]++] = ds->values[0][t];
	}
	return twosample_welch((struct sample){ x[0], n[0] },
			       (struct sample){ x[1], n[1] }, 1 - COMPARE_ALPHA)
		       .p <= COMPARE_ALPHA;
}

static void assert_confounded(const struct campaign_drawn *d)
{
	CLEANUP(analysis_freep) struct analysis *an = NULL;
	struct compare_spec spec = results_spec(d->plan);
	const struct analysis_comparison *c;
	struct err e = { 0 };

	campaigns_need(compare_run(d->ds, &spec, &an, &e), &e);
	c = &an->comparisons[0];
	assert_int_equal(c->n, 1); // boots, not trials
	assert_true(c->boot_confounded);
	assert_int_equal(c->verdict.kind, VERDICT_INCONCLUSIVE);
	assert_int_equal(c->verdict.reason, VERDICT_CONFOUNDED);
}

static void trials_of_one_boot_are_not_independent(void **state)
{
	CLEANUP(matrix_freep)
	struct matrix *m = campaigns_matrix(one_boot_yaml);
	size_t naive = 0;

	(void)state;
	for (uint32_t seed = 1; seed <= BOOT_CAMPAIGNS; seed++) {
		CLEANUP(campaign_drawn_deinit)
		struct campaign_drawn d = campaigns_draw(m, seed, false);

		assert_int_equal(d.ds->ntrials, 2 * BOOT_TRIALS);
		naive += is_naively_significant(d.ds);
		assert_confounded(&d);
	}
	// P(|t18| > t / sqrt(1 + 10 x 2^2)) with t its .975 quantile is .746.
	assert_share("false positives of the naive test", naive, BOOT_CAMPAIGNS,
		     0.746);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(five_per_cent_of_aa_campaigns_are_significant),
		cmocka_unit_test(intervals_hold_the_truth_in_95_per_cent),
		cmocka_unit_test(the_stopping_rule_keeps_five_per_cent),
		cmocka_unit_test(the_stopping_rule_saves_rounds),
		cmocka_unit_test(looking_at_every_round_makes_no_false_claims),
		cmocka_unit_test(trials_of_one_boot_are_not_independent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
