#include "analysis/serial.h"

#include <math.h>

#include <gsl/gsl_fit.h>

#include "analysis/dist.h"
#include "runner/base/alloc.h"

// Autocorrelation is never believed beyond this.
#define SERIAL_R_MAX 0.95

static double effective_n(double n, double lag1)
{
	double r = lag1 + (1 + 3 * lag1) / n;

	r = fmin(SERIAL_R_MAX, fmax(0, r));
	return fmax(2, n * (1 - r) / (1 + r));
}

struct serial_vn serial_von_neumann(struct sample x)
{
	CLEANUP(cleanup_free) double *v = NULL;
	struct moments m = sample_moments(x);
	struct serial_vn r = { .vn = NAN, .z = NAN, .p_pos = NAN };
	double n = (double)m.n;
	long double sum = 0;
	size_t used;

	v = sample_finite(x, &used);
	r.lag1 = sample_lag1(v, used);
	r.n_eff = n;
	if (used < 3 || !(m.var > 0))
		return r;
	for (size_t i = 1; i < used; i++) {
		long double step = (long double)v[i] - (long double)v[i - 1];

		sum += step * step;
	}
	r.vn = (double)(sum / (m.var * (long double)(m.n - 1)));
	r.z = (r.vn - 2) / sqrt(4 * (n - 2) / (n * n - 1));
	r.p_pos = dist_normal_cdf(r.z);
	r.n_eff = effective_n(n, r.lag1);
	return r;
}

// Variance of S lost to ties: each group of t equal values takes
// t(t-1)(2t+5) (Kendall 1975).
static double tie_term(const double *sorted, size_t n)
{
	double sum = 0;

	for (size_t i = 0, j; i < n; i = j) {
		double t;

		for (j = i + 1; j < n && sorted[j] == sorted[i]; j++)
			;
		t = (double)(j - i);
		sum += t * (t - 1) * (2 * t + 5);
	}
	return sum;
}

// Merges the ascending halves v[0..half) and v[half..n) through `out`. Returns
// the pairs across the halves that rise, less those that fall.
static double merge(double *v, size_t half, size_t n, double *out)
{
	size_t below = 0, not_above = 0, i = 0, k = half;
	double s = 0;

	// For each right value: how many left ones are below and not above it.
	for (size_t r = half; r < n; r++) {
		while (below < half && v[below] < v[r])
			below++;
		while (not_above < half && v[not_above] <= v[r])
			not_above++;
		s += (double)below - (double)(half - not_above);
	}
	for (size_t o = 0; o < n; o++)
		out[o] = k == n || (i < half && v[i] <= v[k]) ? v[i++] : v[k++];
	for (size_t o = 0; o < n; o++)
		v[o] = out[o];
	return s;
}

// Kendall's S, the rising pairs less the falling ones, in n log n (Knight
// 1966). Sorts v.
static double kendall_s(double *v, size_t n, double *scratch)
{
	size_t half = n / 2;

	if (n < 2)
		return 0;
	return kendall_s(v, half, scratch) +
	       kendall_s(v + half, n - half, scratch) +
	       merge(v, half, n, scratch);
}

static void set_mann_kendall(struct serial_trend *r, const double *v, size_t n)
{
	CLEANUP(cleanup_free) double *sorted = xcalloc(n, sizeof *sorted);
	CLEANUP(cleanup_free) double *scratch = xcalloc(n, sizeof *scratch);
	double m = (double)n;

	for (size_t i = 0; i < n; i++)
		sorted[i] = v[i];
	r->s = kendall_s(sorted, n, scratch);
	r->var = (m * (m - 1) * (2 * m + 5) - tie_term(sorted, n)) / 18;
	r->z = (r->s - (r->s > 0) + (r->s < 0)) / sqrt(r->var);
	r->p = 2 * dist_normal_upper(fabs(r->z));
}

static void set_slope(struct serial_trend *r, const double *v, size_t n,
		      double sd)
{
	CLEANUP(cleanup_free) double *index = xcalloc(n, sizeof *index);
	CLEANUP(cleanup_free) double *scaled = xcalloc(n, sizeof *scaled);
	double c0, cov00, cov01, var_slope, rest;

	for (size_t i = 0; i < n; i++)
		index[i] = (double)i;
	// In units of the SD, whose squares are in a double's range.
	for (size_t i = 0; i < n; i++)
		scaled[i] = v[i] / sd;
	if (gsl_fit_linear(index, 1, scaled, 1, n, &c0, &r->slope, &cov00,
			   &cov01, &var_slope, &rest) != 0)
		return;
	r->slope_t = r->slope / sqrt(var_slope);
	r->slope *= sd;
	r->slope_p = dist_t_two_sided(r->slope_t, (double)n - 2);
}

struct serial_trend serial_trend(struct sample x)
{
	CLEANUP(cleanup_free) double *v = NULL;
	struct moments m = sample_moments(x);
	struct serial_trend r = { NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
	size_t n;

	v = sample_finite(x, &n);
	if (n < 3 || !(m.var > 0))
		return r;
	set_mann_kendall(&r, v, n);
	set_slope(&r, v, n, m.sd);
	if (m.mean != 0)
		r.drift_pct = 100 * r.slope * ((double)n - 1) / m.mean;
	return r;
}
