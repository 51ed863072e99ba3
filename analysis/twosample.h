// Two independent arms: imported data, or blocks that broke. A is the
// baseline. For blocked designs use paired.h: choose by the recorded design,
// never by the data.
#pragma once

#include <stdbool.h>

#include "analysis/effect.h"
#include "analysis/sample.h"

// Difference of means with unequal variances (Welch 1947; df after
// Satterthwaite 1946). An arm with n < 2: all but diff NaN. Both arms
// without variance: t, df, p, lo, hi NaN. One constant arm is fine: df is
// that of the other.
struct welch {
	double diff; // mean B - mean A
	double se, df, t, p;
	double lo, hi; // of diff
};

struct welch twosample_welch(struct sample a, struct sample b, double conf);

// ln(mB/mA) by the delta method: c = s^2/(n m^2), se^2 = cA + cB,
// df = (cA+cB)^2 / (cA^2/(nA-1) + cB^2/(nB-1)) (Kalibera & Jones 2013).
struct effect twosample_ratio(struct sample a, struct sample b, double conf);

// Ratio of means by Fieller 1954 with Welch df: a cross-check of
// twosample_ratio. Unbounded when mA^2 <= t^2 sA^2/nA, that is when the
// baseline's mean may be 0: then lo_pct, hi_pct are NaN.
struct fieller {
	bool bounded;
	double df;
	double pct, lo_pct, hi_pct;
};

struct fieller twosample_fieller(struct sample a, struct sample b, double conf);

// Is the baseline too noisy for a ratio: s/(m sqrt n) > 0.1?
bool twosample_ratio_doubtful(struct sample a);

// Standardised difference (Hedges 1981, exact J by the gamma function);
// interval by inverting the noncentral t of the pooled t. Printed beside
// others, never decides. n < 2 in an arm or no variance: NaN.
struct hedges {
	double d;	 // (mB - mA) / pooled SD
	double j;	 // small-sample correction
	double g;	 // j d
	double t_pooled; // Student's t
	double lo, hi;	 // of g
};

struct hedges twosample_hedges(struct sample a, struct sample b, double conf);
