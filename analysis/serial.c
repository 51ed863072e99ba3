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
	double n = (double)m.n, sum = 0;
	size_t used;

	v = sample_finite(x, &used);
	r.lag1 = sample_lag1(v, used);
	r.n_eff = n;
	if (used < 3 || !(m.var > 0))
		return r;
	for (size_t i = 1; i < used; i++)
		sum += (v[i] - v[i - 1]) * (v[i] - v[i - 1]);
	r.vn = sum / (m.var * (n - 1));
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

static void set_mann_kendall(struct serial_trend *r, struct sample x,
			     const double *v, size_t n)
{
	CLEANUP(cleanup_free) double *sorted = NULL;
	double m = (double)n;
	size_t used;

	sorted = sample_sorted(x, &used);
	r->s = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			r->s += (v[j] > v[i]) - (v[j] < v[i]);
	r->var = (m * (m - 1) * (2 * m + 5) - tie_term(sorted, used)) / 18;
	r->z = (r->s - (r->s > 0) + (r->s < 0)) / sqrt(r->var);
	r->p = 2 * dist_normal_upper(fabs(r->z));
}

static void set_slope(struct serial_trend *r, const double *v, size_t n)
{
	CLEANUP(cleanup_free) double *index = xcalloc(n, sizeof *index);
	double c0, cov00, cov01, var_slope, rest;

	for (size_t i = 0; i < n; i++)
		index[i] = (double)i;
	if (gsl_fit_linear(index, 1, v, 1, n, &c0, &r->slope, &cov00, &cov01,
			   &var_slope, &rest) != 0)
		return;
	r->slope_t = r->slope / sqrt(var_slope);
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
	set_mann_kendall(&r, x, v, n);
	set_slope(&r, v, n);
	if (m.mean != 0)
		r.drift_pct = 100 * r.slope * ((double)n - 1) / m.mean;
	return r;
}
