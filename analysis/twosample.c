#include "analysis/twosample.h"

#include <math.h>

#include <gsl/gsl_sf_gamma.h>

#include "analysis/dist.h"

// A baseline whose mean is known no better than this makes no ratio.
#define TWOSAMPLE_DOUBTFUL 0.1

// Satterthwaite 1946: df of the sum of two variances of means.
static double satterthwaite(long double va, double df_a, long double vb,
			    double df_b)
{
	long double sum = va + vb;

	if (!(sum > 0))
		return NO_FIGURE;
	return (double)(sum * sum /
			(va * va / (long double)df_a +
			 vb * vb / (long double)df_b));
}

// Variance of the mean; NaN for n < 2.
static long double mean_var(const struct moments *m)
{
	return m->var / (long double)m->n;
}

// The same relative to the squared mean.
static long double relative_var(const struct moments *m)
{
	long double mean = (long double)m->mean;

	return mean_var(m) / (mean * mean);
}

static double degrees(const struct moments *m)
{
	return (double)m->n - 1;
}

struct welch twosample_welch(struct sample a, struct sample b, double conf)
{
	struct moments ma = sample_moments(a), mb = sample_moments(b);
	long double va = mean_var(&ma), vb = mean_var(&mb);
	double half;
	struct welch r = { .diff = mb.mean - ma.mean,
			   .se = (double)sqrtl(va + vb),
			   .df = satterthwaite(va, degrees(&ma), vb,
					       degrees(&mb)) };

	r.t = r.se > 0 ? r.diff / r.se : NO_FIGURE;
	r.p = dist_t_two_sided(r.t, r.df);
	half = dist_t_quantile(1 - (1 - conf) / 2, r.df) * r.se;
	r.lo = r.diff - half;
	r.hi = r.diff + half;
	return r;
}

struct effect twosample_ratio(struct sample a, struct sample b, double conf)
{
	struct moments ma = sample_moments(a), mb = sample_moments(b);
	long double ca, cb;
	double df;

	if (!(ma.mean > 0) || !(mb.mean > 0))
		return effect_undefined(conf);
	ca = relative_var(&ma);
	cb = relative_var(&mb);
	df = satterthwaite(ca, degrees(&ma), cb, degrees(&mb));
	return effect_make(log(mb.mean / ma.mean), (double)sqrtl(ca + cb), df,
			   conf);
}

struct fieller twosample_fieller(struct sample a, struct sample b, double conf)
{
	struct moments ma = sample_moments(a), mb = sample_moments(b);
	long double va = mean_var(&ma), vb = mean_var(&mb), t, qa, qb, qc, root;
	long double a_mean = (long double)ma.mean,
		    b_mean = (long double)mb.mean;
	struct fieller r = { .df = satterthwaite(va, degrees(&ma), vb,
						 degrees(&mb)),
			     .pct = 100 * (mb.mean / ma.mean - 1),
			     .lo_pct = NO_FIGURE,
			     .hi_pct = NO_FIGURE };

	t = (long double)dist_t_quantile(1 - (1 - conf) / 2, r.df);
	qa = a_mean * a_mean - t * t * va;
	qb = a_mean * b_mean;
	qc = b_mean * b_mean - t * t * vb;
	r.bounded = qa > 0;
	if (!r.bounded)
		return r;
	// With qa > 0 the discriminant is not negative but for rounding.
	root = sqrtl(fmaxl(0, qb * qb - qa * qc));
	r.lo_pct = (double)(100 * ((qb - root) / qa - 1));
	r.hi_pct = (double)(100 * ((qb + root) / qa - 1));
	return r;
}

bool twosample_ratio_doubtful(struct sample a)
{
	struct moments m = sample_moments(a);

	return sqrtl(relative_var(&m)) > (long double)TWOSAMPLE_DOUBTFUL;
}

// E(1/s) of a normal sample (Hedges 1981): turns d into an unbiased g.
static double hedges_j(double nu)
{
	return exp(gsl_sf_lngamma(nu / 2) - gsl_sf_lngamma((nu - 1) / 2)) /
	       sqrt(nu / 2);
}

struct hedges twosample_hedges(struct sample a, struct sample b, double conf)
{
	struct moments ma = sample_moments(a), mb = sample_moments(b);
	struct hedges r = { NO_FIGURE, NO_FIGURE, NO_FIGURE,
			    NO_FIGURE, NO_FIGURE, NO_FIGURE };
	double nu = degrees(&ma) + degrees(&mb), tail = (1 - conf) / 2;
	double pooled, unit;

	if (ma.n < 2 || mb.n < 2)
		return r;
	pooled = (double)sqrtl(((long double)degrees(&ma) * ma.var +
				(long double)degrees(&mb) * mb.var) /
			       (long double)nu);
	if (!(pooled > 0))
		return r;
	unit = sqrt(1 / (double)ma.n + 1 / (double)mb.n);
	r.d = (mb.mean - ma.mean) / pooled;
	r.j = hedges_j(nu);
	r.g = r.j * r.d;
	r.t_pooled = r.d / unit;
	r.lo = r.j * unit * dist_nct_ncp(1 - tail, r.t_pooled, nu);
	r.hi = r.j * unit * dist_nct_ncp(tail, r.t_pooled, nu);
	return r;
}
