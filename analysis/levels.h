// How much of a cell's noise is between trials of one boot, and how much
// between boots: one-way random effects by analysis of variance, hosts apart
// (Searle, Casella & McCulloch 1992, 3.6; Kalibera & Jones 2013). What is slow,
// a drift from round to round, counts as between boots.
#pragma once

#include "analysis/arms.h"
#include "analysis/power.h"

struct levels {
	size_t trials, boots; // with figures
	double mean;
	double var_trial; // of a trial in its boot; NaN: no boot has two
	double var_boot;  // of a boot's true mean, at least 0; NaN: one boot
};

struct levels levels_of(const struct arms_index *ix, uint32_t cell,
			uint32_t metric);

// The cheapest number of trials in a boot (power_repetitions). `trial` and
// `boot` are what one more of them costs, in any unit. NaN where the variances
// are; infinite when boots do not differ.
double levels_repetitions(const struct levels *l, double trial, double boot);
