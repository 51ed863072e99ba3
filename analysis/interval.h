// Confidence intervals for one sample. `conf` is the level, 0 < conf < 1.
#pragma once

#include <stdbool.h>

#include "analysis/sample.h"

// Mean: m +- t_{n-1} s / sqrt n (Student 1908). n < 2: lo, hi, half NaN.
struct interval_mean {
	size_t n;
	double mean, lo, hi;
	double half;	 // (hi - lo) / 2
	double half_rel; // half / |mean|; NaN when mean is 0
	double df;	 // n - 1; NaN for n = 0
};

struct interval_mean interval_mean(struct sample x, double conf);
// As interval_mean for an autocorrelated series: s / sqrt n_eff, df
// n_eff - 1 (n_eff from serial_von_neumann; at least 2).
struct interval_mean interval_mean_neff(struct sample x, double n_eff,
					double conf);

// Quantile by order statistics, exact whatever the distribution:
// k_lo = largest l with P(Bin(n,q) <= l-1) <= a/2, k_hi = smallest u with
// P(Bin(n,q) >= u) <= a/2 (Hahn & Meeker 1991, section 5.2).
struct interval_quantile {
	size_t n;
	double value;	   // the sample quantile, type 7
	bool available;	   // false: n is too small for conf; lo, hi are NaN
	size_t k_lo, k_hi; // ranks, from 1; 0 when not available
	double lo, hi;
	double conf_exact; // attained level >= conf; NaN when not available
};

struct interval_quantile interval_quantile(struct sample x, double q,
					   double conf);
// q = 1/2: needs n >= 6 for conf 0.95.
struct interval_quantile interval_median(struct sample x, double conf);
// The least n for which interval_quantile is available: what to say when it
// is not. 0 if none up to 100000 is.
size_t interval_quantile_needs(double q, double conf);

// Coefficient of variation (Vangel 1996, "modified McKay"). For positive
// data of CV below about 1/3. n < 2, mean <= 0: NaN. hi is Inf when the
// upper bound does not exist.
struct interval_cv {
	size_t n;
	double cv, lo, hi;
};

struct interval_cv interval_cv(struct sample x, double conf);
struct interval_cv interval_cv_of(size_t n, double mean, double sd,
				  double conf);
