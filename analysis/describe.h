// Descriptive figures of one sample. Whatever is undefined is NaN, never 0.
#pragma once

#include "analysis/sample.h"

// SD units of a normal sample per unit of raw MAD: 1/Phi^-1(3/4).
#define DESCRIBE_MAD_SCALE 1.482602218505602

struct describe {
	size_t n;	// finite values
	size_t invalid; // NaN and infinities, left out
	double mean;	// arithmetic: totals of time and throughput add up
	double sd, var; // divisor n-1; NaN for n < 2
	double sem;	// sd / sqrt n
	double cv;	// sd / mean; NaN when mean is 0
	double min, q1, median, q3, max; // quantiles of type 7
	double mad;			 // scaled, see DESCRIBE_MAD_SCALE
	double lag1;			 // NaN for n < 2 or no variance
	double gmean, hmean;		 // NaN unless all values are > 0
};

struct describe describe(struct sample x);
// The same for a caller that has sample_sorted(x) already.
struct describe describe_sorted(struct sample x, struct sample sorted);
