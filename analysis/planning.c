#include "analysis/planning.h"

#include <math.h>

#include "analysis/power.h"

struct planning planning_make(const struct planning_design *d, double sd_log)
{
	struct power_goal goal = { d->alpha, POWER_TARGET };
	double n = (double)d->rounds, sd = sd_log / sqrt((double)d->hosts);
	struct effect e = effect_make(0, sd / sqrt(n),
				      n > 1 ? n - 1 : NO_FIGURE, 1 - d->alpha);
	struct planning p = { .sd_log = sd, .mde = power_mde(&e, goal) };

	p.rounds_small = power_rounds_needed(PLANNING_SMALL, sd, goal);
	if (d->margin > 0)
		p.rounds_margin = power_rounds_needed(d->margin, sd, goal);
	return p;
}

double planning_sd_of_cv(double cv)
{
	return sqrt(2 * log1p(cv * cv));
}

void planning_truths(double margin, double out[PLANNING_TRUTHS])
{
	double unit = margin > 0 ? margin : PLANNING_SMALL;

	for (int i = 0; i < PLANNING_TRUTHS; i++)
		out[i] = i * unit;
}
