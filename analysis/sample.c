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

	gsl_sort(out, 1, *n);
	return out;
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
		m.mean = gsl_stats_mean(x, 1, m.n);
	if (m.n >= 2) {
		m.var = gsl_stats_variance_m(x, 1, m.n, m.mean);
		m.sd = sqrt(m.var);
	}
	return m;
}

double sample_quantile(const double *sorted, size_t n, double q)
{
	return n == 0 ? NO_FIGURE
		      : gsl_stats_quantile_from_sorted_data(sorted, 1, n, q);
}

double sample_mad(const double *sorted, size_t n)
{
	CLEANUP(cleanup_free) double *dev = NULL;
	double median = sample_quantile(sorted, n, 0.5);

	if (n == 0)
		return NO_FIGURE;
	dev = xcalloc(n, sizeof *dev);
	for (size_t i = 0; i < n; i++)
		dev[i] = fabs(sorted[i] - median);
	gsl_sort(dev, 1, n);
	return sample_quantile(dev, n, 0.5);
}

double sample_lag1(const double *x, size_t n)
{
	long double num = 0, den = 0;
	double mean;

	if (n < 2)
		return NO_FIGURE;
	mean = gsl_stats_mean(x, 1, n);
	for (size_t i = 0; i < n; i++) {
		long double d = (long double)x[i] - (long double)mean;

		den += d * d;
		if (i + 1 < n)
			num += d * ((long double)x[i + 1] - (long double)mean);
	}
	return den > 0 ? (double)(num / den) : NO_FIGURE;
}
