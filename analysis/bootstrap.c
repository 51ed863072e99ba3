#include "analysis/bootstrap.h"

#include <float.h>
#include <math.h>

#include <gsl/gsl_rng.h>
#include <gsl/gsl_sf_gamma.h>

#include "analysis/dist.h"
#include "runner/base/alloc.h"

enum {
	BOOTSTRAP_SEED = 20240229
};

// Estimates that differ by less are the same resample in another order.
#define BOOTSTRAP_TIE 1e-12

// One point of a bootstrap distribution.
struct point {
	double value, weight;
};

struct points {
	struct point *v;
	size_t n, cap;
};

static void points_deinit(struct points *p)
{
	free(p->v);
}

static void points_add(struct points *p, double value, double weight)
{
	p->v = xgrow(p->v, &p->cap, p->n + 1, sizeof *p->v);
	p->v[p->n++] = (struct point){ value, weight };
}

static int compare_points(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

// --- the distribution of one arm's mean ---------------------------------

// Walks the multisets of n out of n values: `left` draws to be spread over
// values from `i` on.
struct walk {
	const double *x;
	size_t n;
	struct points *out;
};

static void walk_multisets(const struct walk *w, size_t i, size_t left,
			   struct point so_far)
{
	double n = (double)w->n;

	if (i + 1 == w->n) {
		double c = (double)left;

		points_add(w->out, (so_far.value + c * w->x[i]) / n,
			   exp(so_far.weight - gsl_sf_lngamma(c + 1)));
		return;
	}
	for (size_t c = 0; c <= left; c++) {
		double m = (double)c;
		struct point next = { so_far.value + m * w->x[i],
				      so_far.weight - gsl_sf_lngamma(m + 1) };

		walk_multisets(w, i + 1, left - c, next);
	}
}

// Weights n!/(c_1! ... c_n!) / n^n.
static void enumerate_means(const double *x, size_t n, struct points *out)
{
	struct walk w = { x, n, out };
	double m = (double)n;
	struct point start = { 0, gsl_sf_lngamma(m + 1) - m * log(m) };

	walk_multisets(&w, 0, n, start);
}

static double draw_mean(const double *x, size_t n, gsl_rng *rng)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[gsl_rng_uniform_int(rng, n)];
	return sum / (double)n;
}

// How many multisets of n out of n there are: C(2n-1, n).
static double multisets(size_t n)
{
	double m = (double)n;

	return exp(gsl_sf_lngamma(2 * m) - gsl_sf_lngamma(m + 1) -
		   gsl_sf_lngamma(m));
}

// --- BCa from a distribution --------------------------------------------

static double bias_correction(const struct points *p, double estimate)
{
	double tie = BOOTSTRAP_TIE * fmax(fabs(estimate), DBL_MIN), below = 0;
	double all = 0;

	for (size_t i = 0; i < p->n; i++) {
		double d = p->v[i].value - estimate;

		all += p->v[i].weight;
		if (fabs(d) <= tie)
			below += p->v[i].weight / 2;
		else if (d < 0)
			below += p->v[i].weight;
	}
	return dist_normal_quantile(below / all);
}

// The least value whose cumulative weight reaches `level` of all.
static double points_quantile(const struct points *p, double level)
{
	double all = 0, seen = 0;

	if (isnan(level))
		return NO_FIGURE;
	for (size_t i = 0; i < p->n; i++)
		all += p->v[i].weight;
	for (size_t i = 0; i < p->n; i++) {
		seen += p->v[i].weight;
		if (seen >= level * all)
			return p->v[i].value;
	}
	return p->v[p->n - 1].value;
}

static double adjusted_level(const struct bootstrap *r, double level)
{
	double z = r->z0 + dist_normal_quantile(level);

	return dist_normal_cdf(r->z0 + z / (1 - r->accel * z));
}

static void set_interval(struct bootstrap *r, struct points *p, double conf)
{
	if (p->n == 0)
		return;
	qsort(p->v, p->n, sizeof *p->v, compare_points);
	r->z0 = bias_correction(p, r->estimate);
	r->alpha_lo = adjusted_level(r, (1 - conf) / 2);
	r->alpha_hi = adjusted_level(r, 1 - (1 - conf) / 2);
	r->lo = points_quantile(p, r->alpha_lo);
	r->hi = points_quantile(p, r->alpha_hi);
}

// --- jackknife ----------------------------------------------------------

struct influence {
	double squares, cubes;
};

static double jackknife_value(double sum, double x, double n, bool logs)
{
	double mean = (sum - x) / (n - 1);

	return logs ? log(mean) : mean;
}

// Adds the jackknife influences of one arm, (n-1)/n times sign * (mean of the
// leave-one-out estimates - each): the weight of an arm of several (Davison &
// Hinkley 1997, section 5.3.2).
static void add_influence(struct influence *f, struct sample s, double sign,
			  bool logs)
{
	double n = (double)s.n, sum = 0, centre = 0;
	double weight = sign * (n - 1) / n;

	for (size_t i = 0; i < s.n; i++)
		sum += s.x[i];
	for (size_t i = 0; i < s.n; i++)
		centre += jackknife_value(sum, s.x[i], n, logs) / n;
	for (size_t i = 0; i < s.n; i++) {
		double left_out = jackknife_value(sum, s.x[i], n, logs);
		double u = weight * (centre - left_out);

		f->squares += u * u;
		f->cubes += u * u * u;
	}
}

static double acceleration(const struct influence *f)
{
	return f->cubes / (6 * pow(f->squares, 1.5));
}

// --- entries ------------------------------------------------------------

static struct bootstrap no_interval(double estimate)
{
	return (struct bootstrap){ .estimate = estimate,
				   .z0 = NAN,
				   .accel = NAN,
				   .alpha_lo = NAN,
				   .alpha_hi = NAN,
				   .lo = NAN,
				   .hi = NAN };
}

// How the distribution is had: by enumeration, or by draws.
struct method {
	bool exact;
	size_t draws;
	gsl_rng *rng;
};

static int resample_means(struct sample s, const struct method *m,
			  struct points *out)
{
	if (m->exact) {
		enumerate_means(s.x, s.n, out);
		return 0;
	}
	if (m->rng == NULL || m->draws == 0)
		return -1;
	for (size_t i = 0; i < m->draws; i++)
		points_add(out, draw_mean(s.x, s.n, m->rng), 1);
	return 0;
}

static gsl_rng *seeded(void)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	if (rng != NULL)
		gsl_rng_set(rng, BOOTSTRAP_SEED);
	return rng;
}

static void rng_freep(gsl_rng **rng)
{
	gsl_rng_free(*rng);
}

struct bootstrap bootstrap_mean(struct sample x, double conf, size_t draws)
{
	CLEANUP(cleanup_free) double *v = NULL;
	CLEANUP(points_deinit) struct points p = { 0 };
	CLEANUP(rng_freep) gsl_rng *rng = seeded();
	struct moments m = sample_moments(x);
	struct bootstrap r = no_interval(m.mean);
	struct method how = { multisets(m.n) <= BOOTSTRAP_EXACT_MAX, draws,
			      rng };
	struct influence f = { 0 };
	struct sample s = { .n = m.n };

	s.x = v = sample_finite(x, &s.n);
	if (!(m.var > 0) || resample_means(s, &how, &p) != 0)
		return r;
	r.exact = how.exact;
	add_influence(&f, s, 1, false);
	r.accel = acceleration(&f);
	set_interval(&r, &p, conf);
	return r;
}

// ln(b/a) over all pairs of the arms' distributions, or draw by draw.
static int pair_up(const struct points *a, const struct points *b, bool cross,
		   struct points *out)
{
	for (size_t i = 0; i < b->n; i++) {
		size_t from = cross ? 0 : i, to = cross ? a->n : i + 1;

		for (size_t k = from; k < to; k++) {
			double ratio = b->v[i].value / a->v[k].value;

			if (!(a->v[k].value > 0) || !(b->v[i].value > 0))
				return -1;
			points_add(out, log(ratio),
				   a->v[k].weight * b->v[i].weight);
		}
	}
	return 0;
}

struct bootstrap bootstrap_log_ratio(struct sample a, struct sample b,
				     double conf, size_t draws)
{
	CLEANUP(cleanup_free) double *va = NULL;
	CLEANUP(cleanup_free) double *vb = NULL;
	CLEANUP(points_deinit) struct points pa = { 0 };
	CLEANUP(points_deinit) struct points pb = { 0 };
	CLEANUP(points_deinit) struct points p = { 0 };
	CLEANUP(rng_freep) gsl_rng *rng = seeded();
	struct moments ma = sample_moments(a), mb = sample_moments(b);
	struct bootstrap r = no_interval(log(mb.mean / ma.mean));
	struct influence f = { 0 };
	struct method how = { .draws = draws, .rng = rng };

	if (!(ma.mean > 0) || !(mb.mean > 0))
		return no_interval(NO_FIGURE);
	a.x = va = sample_finite(a, &a.n);
	b.x = vb = sample_finite(b, &b.n);
	if (!(ma.var + mb.var > 0))
		return r;
	how.exact = multisets(a.n) * multisets(b.n) <= BOOTSTRAP_EXACT_MAX;
	if (resample_means(a, &how, &pa) != 0 ||
	    resample_means(b, &how, &pb) != 0 ||
	    pair_up(&pa, &pb, how.exact, &p) != 0)
		return no_interval(NO_FIGURE);
	add_influence(&f, a, -1, true);
	add_influence(&f, b, 1, true);
	r.exact = how.exact;
	r.accel = acceleration(&f);
	set_interval(&r, &p, conf);
	return r;
}
