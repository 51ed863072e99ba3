#include "analysis/reach.h"

#include <math.h>

#include "analysis/planning.h"
#include "analysis/power.h"

static double cv_of(const struct analysis *an, uint32_t metric, uint32_t cell)
{
	for (size_t i = 0; i < an->ncells; i++)
		if (an->cells[i].metric == metric && an->cells[i].cell == cell)
			return an->cells[i].d.cv;
	return NO_FIGURE;
}

// Hosts are averaged in the standard error already, so that it stands for as
// many rounds as one host has run.
static void need_rounds(const struct analysis_comparison *c,
			struct power_goal goal, struct reach *r)
{
	double rounds = (double)c->n / (double)c->nhosts;
	double sd = c->effect.se * sqrt(rounds);
	double upper = power_sd_upper(sd, c->effect.df, PLANNING_UPPER_LEVEL);

	r->needed = power_rounds_needed(r->goal, sd, goal);
	r->needed_upper = power_rounds_needed(r->goal, upper, goal);
}

static void need_trials(const struct analysis *an,
			const struct analysis_comparison *c,
			struct power_goal goal, struct reach *r)
{
	double a = cv_of(an, c->metric, c->baseline);
	double b = cv_of(an, c->metric, c->cell);
	double more = power_sd_upper(1, c->effect.df, PLANNING_UPPER_LEVEL);

	r->needed = power_trials_needed(r->goal, a, b, goal);
	r->needed_upper =
		power_trials_needed(r->goal, a * more, b * more, goal);
}

struct reach reach_of(const struct analysis *an,
		      const struct analysis_comparison *c)
{
	struct power_goal goal = {
		an->alpha / (double)MAX(an->family, (size_t)1), POWER_TARGET
	};
	struct reach r = { .goal = an->margin > 0 ? an->margin : PLANNING_SMALL,
			   .mde = power_mde(&c->effect, goal) };

	if (isnan(r.mde))
		return r;
	if (c->estimator == COMPARE_BLOCKED)
		need_rounds(c, goal, &r);
	else if (c->nhosts == 1)
		need_trials(an, c, goal, &r);
	return r;
}
