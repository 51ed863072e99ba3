#include "analysis/dist.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_roots.h>
#include <gsl/gsl_sf_gamma.h>

#include "analysis/sample.h"

enum {
	DIST_QAG_INTERVALS = 200,
	DIST_ROOT_STEPS = 200,
	DIST_WIDENINGS = 10, // doublings of a bracket before giving up
};

// Chi of df > 0 lies within this many SD of 1 but for 1e-30.
#define DIST_CHI_REACH 14.0

// GSL aborts on a domain error unless told not to. A constructor, so that no
// caller can forget it.
__attribute__((constructor)) static void dist_init(void)
{
	gsl_set_error_handler_off();
}

static bool is_probability(double p)
{
	return p > 0 && p < 1;
}

double dist_normal_cdf(double z)
{
	return isnan(z) ? NO_FIGURE : gsl_cdf_ugaussian_P(z);
}

double dist_normal_upper(double z)
{
	return isnan(z) ? NO_FIGURE : gsl_cdf_ugaussian_Q(z);
}

double dist_normal_quantile(double p)
{
	return is_probability(p) ? gsl_cdf_ugaussian_Pinv(p) : NO_FIGURE;
}

double dist_t_upper(double t, double df)
{
	if (isnan(t) || !(df > 0))
		return NO_FIGURE;
	if (isinf(t))
		return t > 0 ? 0 : 1;
	return gsl_cdf_tdist_Q(t, df);
}

double dist_t_two_sided(double t, double df)
{
	return 2 * dist_t_upper(fabs(t), df);
}

double dist_t_quantile(double p, double df)
{
	return is_probability(p) && df > 0 ? gsl_cdf_tdist_Pinv(p, df)
					   : NO_FIGURE;
}

double dist_chi2_upper(double x, double df)
{
	return x >= 0 && df > 0 ? gsl_cdf_chisq_Q(x, df) : NO_FIGURE;
}

double dist_chi2_quantile(double p, double df)
{
	return is_probability(p) && df > 0 ? gsl_cdf_chisq_Pinv(p, df)
					   : NO_FIGURE;
}

double dist_f_upper(double f, double df1, double df2)
{
	if (!(f >= 0) || !(df1 > 0) || !(df2 > 0))
		return NO_FIGURE;
	return isinf(f) ? 0 : gsl_cdf_fdist_Q(f, df1, df2);
}

double dist_binomial_cdf(long k, double p, size_t n)
{
	if (!(p >= 0 && p <= 1) || n > UINT_MAX)
		return NO_FIGURE;
	if (k < 0)
		return 0;
	if ((size_t)k >= n)
		return 1;
	return gsl_cdf_binomial_P((unsigned)k, p, (unsigned)n);
}

double dist_hypergeometric(unsigned k, unsigned marked, unsigned plain,
			   unsigned draws)
{
	if (draws > marked + plain)
		return NO_FIGURE;
	return gsl_ran_hypergeometric_pdf(k, marked, plain, draws);
}

double dist_root(double (*f)(double x, void *arg), void *arg, double lo,
		 double hi)
{
	gsl_function fn = { .function = f, .params = arg };
	gsl_root_fsolver *s = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
	double root = NO_FIGURE;
	int status = GSL_CONTINUE;

	if (s == NULL)
		return NO_FIGURE;
	if (gsl_root_fsolver_set(s, &fn, lo, hi) != GSL_SUCCESS)
		status = GSL_EINVAL;
	for (int i = 0; status == GSL_CONTINUE && i < DIST_ROOT_STEPS; i++) {
		if (gsl_root_fsolver_iterate(s) != GSL_SUCCESS)
			break;
		status = gsl_root_test_interval(gsl_root_fsolver_x_lower(s),
						gsl_root_fsolver_x_upper(s),
						DBL_MIN, 1e-13);
	}
	if (status == GSL_SUCCESS)
		root = gsl_root_fsolver_root(s);
	gsl_root_fsolver_free(s);
	return root;
}

struct nct {
	double t, df, ncp;
	double log_norm; // of the chi density
};

static double nct_integrand(double s, void *arg)
{
	const struct nct *k = arg;
	double log_density;

	if (s <= 0)
		return 0;
	log_density = k->log_norm + (k->df - 1) * log(s) - k->df * s * s / 2;
	return gsl_cdf_ugaussian_P(k->t * s - k->ncp) * exp(log_density);
}

double dist_nct_cdf(double t, double df, double ncp)
{
	struct nct k = { .t = t, .df = df, .ncp = ncp };
	gsl_function fn = { .function = nct_integrand, .params = &k };
	gsl_integration_workspace *w;
	double reach, value, error;
	int status;

	if (!isfinite(t) || !(df > 0) || !isfinite(df) || !isfinite(ncp))
		return NO_FIGURE;
	w = gsl_integration_workspace_alloc(DIST_QAG_INTERVALS);
	if (w == NULL)
		return NO_FIGURE;
	k.log_norm = M_LN2 + df / 2 * log(df / 2) - gsl_sf_lngamma(df / 2);
	reach = DIST_CHI_REACH / sqrt(2 * df);
	status = gsl_integration_qag(&fn, fmax(0, 1 - reach), 1 + reach, 1e-13,
				     1e-11, DIST_QAG_INTERVALS,
				     GSL_INTEG_GAUSS61, w, &value, &error);
	gsl_integration_workspace_free(w);
	// GSL_EROUND: the error is at the limit of the arithmetic.
	if (status != GSL_SUCCESS && !(status == GSL_EROUND && error < 1e-9))
		return NO_FIGURE;
	return fmin(1, fmax(0, value));
}

struct nct_inverse {
	double p, t, df;
};

static double nct_excess(double ncp, void *arg)
{
	const struct nct_inverse *k = arg;

	return dist_nct_cdf(k->t, k->df, ncp) - k->p;
}

double dist_nct_ncp(double p, double t, double df)
{
	struct nct_inverse k = { p, t, df };

	if (!is_probability(p) || !isfinite(t) || !(df > 0))
		return NO_FIGURE;
	// The estimate t has an SD of about sqrt(1 + t^2 / 2 df).
	for (int i = 1; i <= DIST_WIDENINGS; i++) {
		double w = ldexp(sqrt(1 + t * t / (2 * df)), i);

		if (nct_excess(t - w, &k) > 0 && nct_excess(t + w, &k) < 0)
			return dist_root(nct_excess, &k, t - w, t + w);
	}
	return NO_FIGURE;
}
