// The effect of B relative to A: a log ratio of means with its standard
// error. Every estimator (unpaired, blocked, over hosts) gives one of these
// and every decision (TOST, verdict, power) takes one.
//
// Sign: B over A. Antisymmetric: swapping A and B negates log_ratio and t,
// keeps se, df and p.
// Undefined (an arm without figures, a mean <= 0): all NaN.
// n too small for a variance: log_ratio and pct stand, the rest is NaN.
// No variance (se = 0): t, p and the interval are NaN, never 0 or 1.
#pragma once

#include <stdbool.h>

struct effect {
	double log_ratio;	    // ln(mean B / mean A)
	double se;		    // of log_ratio
	double df;		    // degrees of freedom, may be fractional
	double t, p;		    // H0 log_ratio = 0; p is two-sided
	double conf;		    // level of lo_pct, hi_pct
	double pct, lo_pct, hi_pct; // 100 (exp(.) - 1)
};

struct effect effect_make(double log_ratio, double se, double df, double conf);
struct effect effect_undefined(double conf);

// The same effect from n autocorrelated contrasts that are worth n_eff
// (serial_von_neumann): se sqrt(n / n_eff), df n_eff - 1.
struct effect effect_autocorrelated(const struct effect *e, double n,
				    double n_eff);

// Two one-sided tests on the log scale with D = ln(1 + margin), symmetric
// about 0 there (Schuirmann 1987). margin > 0 as a ratio (0.02); anything
// else, NaN included, gives NaN and `equivalent` false.
struct tost {
	double margin_log;	 // D
	double t_lower, t_upper; // (L + D)/se, (L - D)/se
	double p_lower, p_upper; // P(T > t_lower), P(T < t_upper)
	double p;		 // the greater of the two
	double lo_pct, hi_pct;	 // interval of level 1 - 2 alpha
	bool equivalent;	 // p <= alpha
};

struct tost effect_tost(const struct effect *e, double margin, double alpha);
