#include "analysis/noise.h"

#include <math.h>

#include "analysis/power.h"

static bool is_arm(const struct analysis_comparison *c,
		   const struct analysis_cell *cell)
{
	return cell->metric == c->metric &&
	       (cell->cell == c->cell || cell->cell == c->baseline);
}

// Root of the mean square over arms, and over hosts where there are several.
static double pooled_cv(const struct analysis *an,
			const struct analysis_comparison *c)
{
	bool apart = an->nhost_cells > 0;
	const struct analysis_cell *cells = apart ? an->host_cells : an->cells;
	size_t ncells = apart ? an->nhost_cells : an->ncells, n = 0;
	double sum = 0;

	for (size_t i = 0; i < ncells; i++) {
		double cv = cells[i].d.cv;

		if (!is_arm(c, &cells[i]) || !isfinite(cv))
			continue;
		sum += cv * cv;
		n++;
	}
	return n > 0 ? sqrt(sum / (double)n) : NO_FIGURE;
}

struct noise_floor noise_floor_of(const struct analysis *an,
				  const struct analysis_comparison *c)
{
	struct power_goal goal = { an->alpha, POWER_TARGET };
	double rounds = (double)c->n / (double)MAX(c->nhosts, (size_t)1);
	struct noise_floor f = {
		.metric = c->metric,
		.cv = pooled_cv(an, c),
		.sd_round = NO_FIGURE,
		.half_pct = (c->effect.hi_pct - c->effect.lo_pct) / 2,
		.mde = power_mde(&c->effect, goal),
	};

	if (c->estimator == COMPARE_BLOCKED)
		f.sd_round = expm1(c->effect.se * sqrt(rounds));
	return f;
}

// A small equivalent difference that is there all the same counts, too: there
// should be none.
bool noise_is_contradiction(const struct analysis_comparison *c)
{
	return c->verdict.significant ||
	       (c->verdict.reason != VERDICT_DECIDED &&
		c->verdict.reason != VERDICT_UNDECIDED);
}

static bool cell_warns(const struct analysis_cell *c)
{
	return c->clusters.warn || c->autocorrelated || c->trend.p < 0.01 ||
	       c->trend.slope_p < 0.01;
}

static bool comparison_warns(const struct analysis_comparison *c)
{
	return c->autocorrelated || c->ratio_doubtful || c->slot.p < 0.01 ||
	       fabs(c->warmup) > 3;
}

static bool any_warns(const struct analysis *an)
{
	bool warns = false;

	for (size_t i = 0; i < an->ncells; i++)
		warns |= cell_warns(&an->cells[i]);
	for (size_t i = 0; i < an->nhost_cells; i++)
		warns |= cell_warns(&an->host_cells[i]);
	for (size_t i = 0; i < an->ncomparisons; i++)
		warns |= comparison_warns(&an->comparisons[i]);
	return warns;
}

enum noise_trust noise_trust(const struct analysis *an)
{
	if (an->ncomparisons == 0)
		return NOISE_DISTRUSTED;
	for (size_t i = 0; i < an->ncomparisons; i++) {
		if (noise_is_contradiction(&an->comparisons[i]))
			return NOISE_DISTRUSTED;
	}
	return any_warns(an) ? NOISE_WARNED : NOISE_TRUSTED;
}
