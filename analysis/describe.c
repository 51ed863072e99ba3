#include "analysis/describe.h"

#include <math.h>

#include "runner/base/compiler.h"

static void set_order(struct describe *d, const double *v, size_t n)
{
	d->min = sample_quantile(v, n, 0);
	d->q1 = sample_quantile(v, n, 0.25);
	d->median = sample_quantile(v, n, 0.5);
	d->q3 = sample_quantile(v, n, 0.75);
	d->max = sample_quantile(v, n, 1);
	d->mad = DESCRIBE_MAD_SCALE * sample_mad(v, n);
}

static void set_positive_means(struct describe *d, const double *x)
{
	long double logs = 0, inverses = 0;

	d->gmean = d->hmean = NO_FIGURE;
	if (d->n == 0 || !(d->min > 0))
		return;
	for (size_t i = 0; i < d->n; i++) {
		logs += (long double)log(x[i]);
		inverses += 1 / (long double)x[i];
	}
	d->gmean = (double)expl(logs / (long double)d->n);
	d->hmean = (double)((long double)d->n / inverses);
}

struct describe describe_sorted(struct sample x, struct sample sorted)
{
	CLEANUP(cleanup_free) double *v = NULL;
	struct moments m = sample_moments(x);
	struct describe d = { .n = m.n,
			      .invalid = m.invalid,
			      .mean = m.mean,
			      .sd = m.sd,
			      .var = (double)m.var };

	v = sample_finite(x, &d.n);
	d.sem = m.sd / sqrt((double)m.n);
	d.cv = m.mean != 0 ? m.sd / m.mean : NO_FIGURE;
	d.lag1 = sample_lag1(v, d.n);
	set_order(&d, sorted.x, sorted.n);
	set_positive_means(&d, v);
	return d;
}

struct describe describe(struct sample x)
{
	CLEANUP(cleanup_free) double *v = NULL;
	size_t n;

	v = sample_sorted(x, &n);
	return describe_sorted(x, (struct sample){ v, n });
}
