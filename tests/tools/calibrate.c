// calibrate [CAMPAIGNS]: how often the analysis is right about campaigns whose
// truth is known, as two tables in Markdown. Deterministic: seeds 1, 2, ...
// Fails when a figure is outside of what is promised: 5 % of false positives
// and 95 % of coverage, to 1 %; 35 % of the rounds saved at no effect and 60 %
// at 3 %.
#include <stdlib.h>

#include "tests/fake/calibration.h"

enum {
	CAMPAIGNS = 20000,
	CAMPAIGNS_MIN = 1000,
};

static int missed;

static void promise(bool kept, const char *what, const char *of)
{
	if (kept)
		return;
	fprintf(stderr, "calibrate: %s of \"%s\" is not as promised\n", what,
		of);
	missed = 1;
}

static bool is_near(double share, double want)
{
	return fabs(share - want) <= 0.01;
}

static void fixed_row(const struct calibration_noise *noise, unsigned rounds,
		      size_t campaigns)
{
	struct calibration aa = { .rounds = rounds,
				  .first_seed = 1,
				  .campaigns = campaigns };
	struct calibration ab = { .rounds = rounds,
				  .effect = 0.02,
				  .first_seed = 1 + (uint32_t)campaigns,
				  .campaigns = campaigns };

	calibration_run(noise, &aa);
	calibration_run(noise, &ab);
	printf("| %s | %u | %.4f | %.4f | %.4f | %.3f | %.2f %% |\n",
	       noise->name, rounds, calibration_share(aa.significant, &aa),
	       calibration_share(aa.claims, &aa),
	       calibration_share(ab.covered, &ab),
	       calibration_share(ab.claims, &ab), ab.width_pct);
	fflush(stdout);
	promise(is_near(calibration_share(aa.significant, &aa), 0.05),
		"the share of false positives", noise->name);
	promise(is_near(calibration_share(ab.covered, &ab), 0.95),
		"the coverage", noise->name);
}

static void fixed_table(size_t campaigns)
{
	static const unsigned rounds[] = { 5, 10, 30 };

	printf("| noise | rounds | A/A: p <= .05 | A/A: claims | coverage at "
	       "+2 %% | claims at +2 %% | width |\n"
	       "|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < CALIBRATION_NOISES; i++)
		for (size_t k = 0; k < ARRAY_LEN(rounds); k++)
			fixed_row(&calibration_noises[i], rounds[k], campaigns);
}

static const struct stop_case {
	double effect;
	bool margin;
	double saves; // share of the rounds, at least
	double claims_most;
} stops[] = {
	{ 0, false, 0, 0.06 }, { 0, true, 0.35, 0.05 }, { 0.01, true, 0, 1 },
	{ 0.02, true, 0, 1 },  { 0.03, true, 0.60, 1 }, { 0.05, true, 0.60, 1 },
};

static void stop_table(size_t campaigns)
{
	printf("\n| effect | stops when equivalent | different | equivalent | "
	       "rounds | saved |\n|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < ARRAY_LEN(stops); i++) {
		struct calibration_stop s = { .effect = stops[i].effect,
					      .margin = stops[i].margin,
					      .campaigns = campaigns };
		double n = (double)campaigns;

		calibration_stop(&s, SEQUENTIAL_PATHS);
		printf("| %.0f %% | %s | %.4f | %.4f | %.1f | %.1f %% |\n",
		       100 * s.effect, s.margin ? "yes" : "no",
		       (double)s.different / n, (double)s.equivalent / n,
		       s.rounds, 100 * calibration_saved(&s));
		fflush(stdout);
		promise(calibration_saved(&s) >= stops[i].saves,
			"what is saved", "stop");
		promise((double)s.different / n <= stops[i].claims_most,
			"the share of claims", "stop");
	}
}

int main(int argc, char **argv)
{
	char *end = NULL;
	unsigned long n = argc > 1 ? strtoul(argv[1], &end, 10) : CAMPAIGNS;

	if (argc > 2 || (end != NULL && *end != '\0') || n < CAMPAIGNS_MIN ||
	    n > INT32_MAX) {
		fprintf(stderr, "usage: calibrate [CAMPAIGNS], %d or more\n",
			CAMPAIGNS_MIN);
		return 2;
	}
	printf("%lu campaigns in each row.\n\n", n);
	fixed_table(n);
	stop_table(n);
	return missed;
}
