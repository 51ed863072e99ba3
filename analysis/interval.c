#include "analysis/interval.h"

#include <math.h>

#include "analysis/dist.h"
#include "runner/base/compiler.h"

enum {
	INTERVAL_NEEDS_MAX = 100000
};

static struct interval_mean mean_interval(const struct moments *m, double n_eff,
					  double conf)
{
	struct interval_mean r = { .n = m->n,
				   .mean = m->mean,
				   .lo = NO_FIGURE,
				   .hi = NO_FIGURE,
				   .half = NO_FIGURE,
				   .half_rel = NO_FIGURE,
				   .df = n_eff > 0 ? n_eff - 1 : NO_FIGURE };

	if (m->n < 2)
		return r;
	r.half =
		dist_t_quantile(1 - (1 - conf) / 2, r.df) * m->sd / sqrt(n_eff);
	r.lo = m->mean - r.half;
	r.hi = m->mean + r.half;
	if (m->mean != 0)
		r.half_rel = r.half / fabs(m->mean);
	return r;
}

struct interval_mean interval_mean(struct sample x, double conf)
{
	struct moments m = sample_moments(x);

	return mean_interval(&m, (double)m.n, conf);
}

struct interval_mean interval_mean_neff(struct sample x, double n_eff,
					double conf)
{
	struct moments m = sample_moments(x);

	return mean_interval(&m, n_eff, conf);
}

// The largest l in 0..n with P(Bin(n,q) <= l-1) <= tail.
static size_t lower_rank(size_t n, double q, double tail)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = hi - (hi - lo) / 2;

		if (dist_binomial_cdf((long)mid - 1, q, n) <= tail)
			lo = mid;
		else
			hi = mid - 1;
	}
	return lo;
}

// The smallest u in 1..n+1 with P(Bin(n,q) >= u) <= tail: the mirror image,
// as P(Bin(n,q) >= u) = P(Bin(n,1-q) <= n-u).
static size_t upper_rank(size_t n, double q, double tail)
{
	return n + 1 - lower_rank(n, 1 - q, tail);
}

struct interval_quantile interval_quantile(struct sample x, double q,
					   double conf)
{
	CLEANUP(cleanup_free) double *v = NULL;
	struct interval_quantile r = { .lo = NO_FIGURE,
				       .hi = NO_FIGURE,
				       .conf_exact = NO_FIGURE };
	double tail = (1 - conf) / 2;
	size_t lo, hi;

	v = sample_sorted(x, &r.n);
	r.value = sample_quantile(v, r.n, q);
	lo = lower_rank(r.n, q, tail);
	hi = upper_rank(r.n, q, tail);
	r.available = r.n > 0 && lo >= 1 && hi <= r.n;
	if (!r.available)
		return r;
	r.k_lo = lo;
	r.k_hi = hi;
	r.lo = v[lo - 1];
	r.hi = v[hi - 1];
	r.conf_exact = dist_binomial_cdf((long)hi - 1, q, r.n) -
		       dist_binomial_cdf((long)lo - 1, q, r.n);
	return r;
}

struct interval_quantile interval_median(struct sample x, double conf)
{
	return interval_quantile(x, 0.5, conf);
}

size_t interval_quantile_needs(double q, double conf)
{
	double tail = (1 - conf) / 2;

	// Both extremes must be rarer than the tail: (1-q)^n and q^n.
	for (size_t n = 1; n <= INTERVAL_NEEDS_MAX; n++)
		if (pow(1 - q, (double)n) <= tail && pow(q, (double)n) <= tail)
			return n;
	return 0;
}

static double vangel_bound(double cv, double n, double chi2)
{
	double square = ((chi2 + 2) / n - 1) * cv * cv + chi2 / (n - 1);

	if (isnan(square))
		return NO_FIGURE;
	return square > 0 ? cv / sqrt(square) : HUGE_VAL;
}

struct interval_cv interval_cv_of(size_t count, double mean, double sd,
				  double conf)
{
	struct interval_cv r = {
		.n = count, .cv = NO_FIGURE, .lo = NO_FIGURE, .hi = NO_FIGURE
	};
	double n = (double)count, tail = (1 - conf) / 2;

	if (count < 2 || !(mean > 0))
		return r;
	r.cv = sd / mean;
	r.lo = vangel_bound(r.cv, n, dist_chi2_quantile(1 - tail, n - 1));
	r.hi = vangel_bound(r.cv, n, dist_chi2_quantile(tail, n - 1));
	return r;
}

struct interval_cv interval_cv(struct sample x, double conf)
{
	struct moments m = sample_moments(x);

	return interval_cv_of(m.n, m.mean, m.sd, conf);
}
