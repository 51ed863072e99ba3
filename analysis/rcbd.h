// Randomised complete block design: two-way additive analysis of variance
// (Fisher 1935; Yates 1936). What did blocking buy?
#pragma once

#include <stddef.h>

// y[block * treatments + treatment]. A block with a figure that is not finite
// is dropped. Fewer than 2 blocks or treatments: the sums that exist, the
// rest NaN; without error variance F is NaN.
struct rcbd {
	size_t blocks, dropped;
	double grand; // mean of all
	double ss_block, ss_treat, ss_error;
	double df_block, df_treat, df_error;
	double ms_error;
	double f, p;		 // treatments
	double f_block, p_block; // blocks
	// ((b-1) MSB + b (t-1) MSE) / ((bt-1) MSE): a design without blocks
	// needs this many times the trials.
	double rel_eff;
};

// `treat_means`, unless NULL, has room for `treatments`.
struct rcbd rcbd(const double *y, size_t blocks, size_t treatments,
		 double *treat_means);
