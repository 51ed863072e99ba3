// Distribution functions and the numerics under them: the only file that
// calls GSL's special functions, integration and root finding. It switches
// GSL's aborting error handler off for the whole program, before main.
//
// Everything is a pure function. Arguments that are NaN or outside the
// domain, and numerical failure, give NaN; nothing aborts.
#pragma once

#include <stddef.h>

double dist_normal_cdf(double z);
double dist_normal_upper(double z);    // P(Z > z)
double dist_normal_quantile(double p); // 0 < p < 1

// Student's t; df > 0, may be fractional.
double dist_t_upper(double t, double df);     // P(T > t)
double dist_t_two_sided(double t, double df); // P(|T| > |t|)
double dist_t_quantile(double p, double df);  // 0 < p < 1

double dist_chi2_upper(double x, double df);
double dist_chi2_quantile(double p, double df);
double dist_f_upper(double f, double df1, double df2);

// P(Bin(n, p) <= k); 0 for k < 0.
double dist_binomial_cdf(long k, double p, size_t n);
// P(X = k): k marked ones in a draw of `draws` out of marked + plain.
double dist_hypergeometric(unsigned k, unsigned marked, unsigned plain,
			   unsigned draws);

// P(T <= t) for the noncentral t: the integral of Phi(t s - ncp) over the
// density of s = sqrt(chi2_df / df) (Owen 1968). Good to about 1e-11.
double dist_nct_cdf(double t, double df, double ncp);
// The ncp at which dist_nct_cdf(t, df, ncp) is p.
double dist_nct_ncp(double p, double t, double df);

// A zero of f between lo and hi, where its signs differ (Brent 1973); NaN if
// they do not.
double dist_root(double (*f)(double x, void *arg), void *arg, double lo,
		 double hi);
