// A sample: numbers in the order they were measured, borrowed from the caller
// for the length of a call. NaN and infinities mean "no figure": every
// function of the analysis leaves them out and says how many it used.
#pragma once

#include <stddef.h>

// "No figure" as a double; NAN is a float, which ?: would have to widen.
#define NO_FIGURE __builtin_nan("")

struct sample {
	const double *x; // may be NULL when n is 0
	size_t n;
};

// Moments of the finite values. n = 0: mean and var NaN; n = 1: var NaN.
struct moments {
	size_t n;	// finite values
	size_t invalid; // NaN and infinities
	double mean;
	long double var; // divisor n-1; squares of any double are in its range
	double sd;
};

struct moments sample_moments(struct sample s);

// The finite values in their order; caller frees. `*n` is how many; the
// result is never NULL.
double *sample_finite(struct sample s, size_t *n);
// The finite values, ascending; caller frees.
double *sample_sorted(struct sample s, size_t *n);

// The q-quantile, 0 <= q <= 1, of ascending values, by linear interpolation
// between order statistics: type 7 of Hyndman & Fan 1996 (GSL, R, NumPy).
// n = 0: NaN.
double sample_quantile(const double *sorted, size_t n, double q);
// Median of |x - median|, unscaled. n = 0: NaN.
double sample_mad(const double *sorted, size_t n);
// Lag-1 autocorrelation: sum (x_i-m)(x_{i+1}-m) / sum (x_i-m)^2 of finite
// values in order. n < 2 or no variance: NaN.
double sample_lag1(const double *x, size_t n);
