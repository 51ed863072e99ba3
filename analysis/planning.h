// What a planned experiment can see, from the noise of its rounds: power.h
// applied to one comparison of a plan. Standard deviations are of a round's
// contrast ln(b/a) on one host; hosts are averaged, so k of them divide it by
// sqrt k.
#pragma once

#include <stddef.h>

#include "analysis/stopping.h"

enum {
	PLANNING_CAMPAIGNS = 4000, // simulated for each expectation
	PLANNING_TRUTHS = 3,
};

#define PLANNING_SMALL	     0.01 // a difference that people ask for
#define PLANNING_UPPER_LEVEL 0.8  // of the limit of a pilot's SD

struct planning_design {
	size_t rounds, hosts;
	double alpha;  // of one comparison
	double margin; // ratio; NaN: none
};

struct planning {
	double sd_log; // of a round, hosts averaged
	double mde;    // ratio that is detected with POWER_TARGET; NaN: none
	size_t rounds_small;  // needed for PLANNING_SMALL; 0: more than can be
	size_t rounds_margin; // likewise for the margin; 0 without one
};

struct planning planning_make(const struct planning_design *d, double sd_log);

// The SD of a contrast of two trials with this coefficient of variation each,
// independent: rounds that share some of it are better than that. Exact for
// log-normal figures.
double planning_sd_of_cv(double cv);

// The true effects at which a stopping rule is looked at: none, the margin
// (or PLANNING_SMALL) and twice that.
void planning_truths(double margin, double out[PLANNING_TRUTHS]);
