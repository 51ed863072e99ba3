#include "analysis/sample.h"

#include <math.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "runner/base/alloc.h"

double *sample_finite(struct sample s, size_t *n)
{
	double *out = xcalloc(s.n + 1, sizeof *out);

	*n = 0;
	for (size_t i = 0; i < s.n; i++)
		if (isfinite(s.x[i]))
			out[(*n)++] = s.x[i];
	return out;
}

double *sample_sorted(struct sample s, size_t *n)
{
	double *out = sample_finite(s, n);
	size_t i = 1;

	while (i < *n && out[i - 1] <= out[i])
		i++;
	if (i < *n)
		gsl_sort(out, 1, *n);
	return out;
}

// From the first value on, so that equal ones have it for their mean and no
// deviation from it, whatever a long double is.
static double mean_of(const double *x, size_t n)
{
	long double sum = 0;

	for (size_t i = 1; i < n; i++)
		sum += (long double)x[i] - (long double)x[0];
	return (double)((long double)x[0] + sum / (long double)n);
}

// In two passes, corrected for what the mean was rounded by (Chan, Golub &
// LeVeque 1983).
static long double variance_of(const double *x, size_t n, double mean)
{
	long double squares = 0, rest = 0;

	for (size_t i = 0; i < n; i++) {
		long double d = (long double)x[i] - (long double)mean;

		squares += d * d;
		rest += d;
	}
	squares -= rest * rest / (long double)n;
	return MAX(squares, 0) / (long double)(n - 1);
}

struct moments sample_moments(struct sample s)
{
	CLEANUP(cleanup_free) double *x = NULL;
	struct moments m = { .mean = NO_FIGURE,
			     .var = NO_FIGURE,
			     .sd = NO_FIGURE };

	x = sample_finite(s, &m.n);
	m.invalid = s.n - m.n;
	if (m.n >= 1)
		m.mean = mean_of(x, m.n);
	if (m.n >= 2) {
		m.var = variance_of(x, m.n, m.mean);
		m.sd = (double)sqrtl(m.var);
	}
	return m;
}

double sample_quantile(const double *sorted, size_t n, double q)
{
	return n == 0 ? NO_FIGURE
		      : gsl_stats_quantile_from_sorted_data(sorted, 1, n, q);
}

// The distances rise from the middle to either side: they are merged.
static void merge_distances(const double *sorted, size_t n, double middle,
			    double *out)
{
	size_t above = 0, below;

	while (above < n && sorted[above] < middle)
		above++;
	below = above; // what is left below it
	for (size_t i = 0; i < n; i++) {
		if (above == n || (below > 0 && middle - sorted[below - 1] <=
							sorted[above] - middle))
			out[i] = middle - sorted[--below];
		else
			out[i] = sorted[above++] - middle;
	}
}

double sample_mad(const double *sorted, size_t n)
{
	CLEANUP(cleanup_free) double *dev = NULL;

	if (n == 0)
		return NO_FIGURE;
	dev = xcalloc(n, sizeof *dev);
	merge_distances(sorted, n, sample_quantile(sorted, n, 0.5), dev);
	return sample_quantile(dev, n, 0.5);
}

double sample_lag1(const double *x, size_t n)
{
	long double num = 0, den = 0;
	double mean;

	if (n < 2)
		return NO_FIGURE;
	mean = mean_of(x, n);
	for (size_t i = 0; i < n; i++) {
		long double d = (long double)x[i] - (long double)mean;

		den += d * d;
		if (i + 1 < n)
			num += d * ((long double)x[i + 1] - (long double)mean);
	}
	return den > 0 ? (double)(num / den) : NO_FIGURE;
}
