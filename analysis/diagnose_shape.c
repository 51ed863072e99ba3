// The shape of one sample: outliers and two clusters.
#include <math.h>

#include "analysis/diagnose.h"
#include "runner/base/compiler.h"

#define DIAGNOSE_MILD_IQR   1.5
#define DIAGNOSE_SEVERE_IQR 3.0
#define DIAGNOSE_MODZ_WARN  3.5
// SD of a normal sample is raw MAD / this: Phi^-1(3/4).
#define DIAGNOSE_MODZ_UNIT 0.674489750196082

static enum diagnose_outlier fence(const struct diagnose_outliers *o, double x)
{
	double beyond = fmax(o->q1 - x, x - o->q3), iqr = o->q3 - o->q1;

	if (!isfinite(x) || beyond <= DIAGNOSE_MILD_IQR * iqr)
		return DIAGNOSE_INSIDE;
	return beyond > DIAGNOSE_SEVERE_IQR * iqr ? DIAGNOSE_SEVERE
						  : DIAGNOSE_MILD;
}

static double modified_z(double x, double median, double mad)
{
	double distance = fabs(x - median);

	return distance == 0 ? 0 : DIAGNOSE_MODZ_UNIT * distance / mad;
}

struct diagnose_outliers diagnose_outliers(struct sample x,
					   enum diagnose_outlier *flag)
{
	CLEANUP(cleanup_free) double *v = NULL;
	struct diagnose_outliers o = { .modz_max = NAN };
	double median, mad;
	size_t n;

	v = sample_sorted(x, &n);
	o.q1 = sample_quantile(v, n, 0.25);
	o.q3 = sample_quantile(v, n, 0.75);
	median = sample_quantile(v, n, 0.5);
	mad = sample_mad(v, n);
	if (n > 0)
		o.modz_max = fmax(modified_z(v[0], median, mad),
				  modified_z(v[n - 1], median, mad));
	for (size_t i = 0; i < x.n; i++) {
		enum diagnose_outlier f = fence(&o, x.x[i]);

		o.mild += f == DIAGNOSE_MILD;
		o.severe += f == DIAGNOSE_SEVERE;
		if (flag != NULL)
			flag[i] = f;
	}
	return o;
}

bool diagnose_outliers_warn(const struct diagnose_outliers *o)
{
	return o->mild + o->severe > 0 || o->modz_max > DIAGNOSE_MODZ_WARN;
}

// 99 % of the best split's r2 for a normal sample of n, each side at least
// max(2, 15 %): by simulation. Beyond the table the last one holds, which is
// too strict, never too lax.
static const struct critical {
	double n, r2;
} critical[] = {
	{ 5, .982 },  { 6, .967 },  { 8, .936 },  { 10, .908 },
	{ 15, .860 }, { 20, .831 }, { 30, .794 }, { 50, .757 },
};

static double critical_r2(double n)
{
	size_t last = ARRAY_LEN(critical) - 1;

	if (n < critical[0].n)
		return NO_FIGURE;
	for (size_t i = 0; i < last; i++) {
		const struct critical *a = &critical[i], *b = a + 1;

		if (n <= b->n)
			return a->r2 +
			       (b->r2 - a->r2) * (n - a->n) / (b->n - a->n);
	}
	return critical[last].r2;
}

// Finds the split with the greatest sum of squares between its two sides.
static double best_split(const double *v, size_t n, size_t least,
			 struct diagnose_clusters *c)
{
	double total = 0, low = 0, best = -1;

	for (size_t i = 0; i < n; i++)
		total += v[i];
	for (size_t k = 1; k < n; k++) {
		double m = (double)k, rest = (double)(n - k), apart, between;

		low += v[k - 1];
		apart = (total - low) / rest - low / m;
		between = m * rest / (double)n * apart * apart;
		if (k < least || n - k < least || between <= best)
			continue;
		best = between;
		c->split = k;
		c->low_mean = low / m;
		c->high_mean = (total - low) / rest;
	}
	return best;
}

struct diagnose_clusters diagnose_clusters(struct sample x, double min_frac)
{
	CLEANUP(cleanup_free) double *v = NULL;
	struct moments m = sample_moments(x);
	struct diagnose_clusters c = { .r2 = NAN,
				       .critical = critical_r2((double)m.n),
				       .low_mean = NAN,
				       .high_mean = NAN,
				       .apart = NAN };
	double n = (double)m.n, between;
	size_t used;

	v = sample_sorted(x, &used);
	if (used < 4 || !(m.var > 0))
		return c;
	// Standardised, so that sums keep their digits and range.
	for (size_t i = 0; i < used; i++)
		v[i] = (v[i] - m.mean) / m.sd;
	between = best_split(v, used, (size_t)fmax(2, ceil(min_frac * n)), &c);
	if (between < 0)
		return c;
	c.r2 = between / (n - 1);
	c.low_mean = m.mean + m.sd * c.low_mean;
	c.high_mean = m.mean + m.sd * c.high_mean;
	if (c.low_mean > 0)
		c.apart = c.high_mean / c.low_mean - 1;
	c.warn = c.r2 > c.critical;
	return c;
}
