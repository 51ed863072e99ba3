// Planning: what an experiment can see, and how large one must be. Two-sided
// t tests by the noncentral t (Owen 1968, Cohen 1988), effects as ratios
// (0.01 is one per cent), standard deviations on the log scale, where an SD
// is a CV for small ones.
#pragma once

#include <stddef.h>

#include "analysis/effect.h"
#include "analysis/sample.h"

enum {
	POWER_N_MAX = 10000000, // beyond: 0, "more than can be run"
};

#define POWER_TARGET 0.8

// Power of a t test with df for the noncentrality ncp = ln(1+d)/se.
double power_of(double ncp, double df, double alpha);

// One arm against another in n rounds, sd_log the SD of ln(b_r/a_r) or w_r.
double power_paired(size_t rounds, double delta, double sd_log, double alpha);

struct power_goal {
	double alpha;
	double power; // POWER_TARGET by habit
};

// The least number of rounds (>= 2) with the wanted power; 0: none, or
// nothing to plan from (delta 0, NaN).
size_t power_rounds_needed(double delta, double sd_log, struct power_goal g);
// The least number of trials in each of two unpaired arms, from their CVs.
size_t power_trials_needed(double delta, double cv_a, double cv_b,
			   struct power_goal g);

// Minimal detectable effect of the experiment that gave `e`: the ratio 1+d
// above 1 that its se and df show with the wanted power, as d. NaN without a
// standard error.
double power_mde(const struct effect *e, struct power_goal g);

// Upper `level` limit of an SD estimated with df: sd sqrt(df/chi2_{1-level}).
// A pilot's SD is itself uncertain; 0.8 is the habit here.
double power_sd_upper(double sd, double df, double level);

// The cheapest number of repetitions inside one unit of the level above:
// sqrt((cost_above/cost)(var/var_above)), at least 1 (Kalibera & Jones 2013).
// cost: of one repetition; cost_above: of one more unit. NaN without
// variances.
struct power_level {
	double cost, var;
};

double power_repetitions(struct power_level inner, struct power_level above);
