#include "analysis/paired.h"

#include <math.h>
#include <stdbool.h>

#include "analysis/dist.h"
#include "runner/base/alloc.h"

// The complete rounds of two arms, owned.
struct rounds {
	double *a, *b;
	size_t n, dropped;
	double mean_a, mean_b; // over complete rounds
};

static void rounds_deinit(struct rounds *r)
{
	free(r->a);
	free(r->b);
}

static void rounds_init(struct rounds *r, struct sample a, struct sample b)
{
	size_t all = MAX(a.n, b.n), both = MIN(a.n, b.n);

	*r = (struct rounds){ .a = xcalloc(all + 1, sizeof *r->a),
			      .b = xcalloc(all + 1, sizeof *r->b) };
	for (size_t i = 0; i < both; i++) {
		if (!isfinite(a.x[i]) || !isfinite(b.x[i]))
			continue;
		r->a[r->n] = a.x[i];
		r->b[r->n++] = b.x[i];
	}
	r->dropped = all - r->n;
	r->mean_a = sample_moments((struct sample){ r->a, r->n }).mean;
	r->mean_b = sample_moments((struct sample){ r->b, r->n }).mean;
}

static bool has_ratio(const struct rounds *r)
{
	return r->mean_a > 0 && r->mean_b > 0;
}

static double contrast(const struct rounds *r, size_t i)
{
	return r->b[i] / r->mean_b - r->a[i] / r->mean_a;
}

struct paired paired_ratio(struct sample a, struct sample b, double conf)
{
	CLEANUP(rounds_deinit) struct rounds r = { 0 };
	struct paired out = { .effect = effect_undefined(conf) };
	double n, sum = 0;

	rounds_init(&r, a, b);
	out.rounds = r.n;
	out.dropped = r.dropped;
	if (!has_ratio(&r))
		return out;
	for (size_t i = 0; i < r.n; i++)
		sum += contrast(&r, i) * contrast(&r, i);
	n = (double)r.n;
	out.effect = effect_make(log(r.mean_b / r.mean_a),
				 sqrt(sum / (n - 1) / n), n - 1, conf);
	return out;
}

double *paired_contrasts(struct sample a, struct sample b, size_t *n)
{
	CLEANUP(rounds_deinit) struct rounds r = { 0 };
	double *w;

	rounds_init(&r, a, b);
	*n = has_ratio(&r) ? r.n : 0;
	w = xcalloc(*n + 1, sizeof *w);
	for (size_t i = 0; i < *n; i++)
		w[i] = contrast(&r, i);
	return w;
}

struct paired paired_log(struct sample a, struct sample b, double conf)
{
	CLEANUP(rounds_deinit) struct rounds r = { 0 };
	struct paired out = { .effect = effect_undefined(conf) };
	struct moments m;

	rounds_init(&r, a, b);
	out.rounds = r.n;
	out.dropped = r.dropped;
	for (size_t i = 0; i < r.n; i++) {
		if (!(r.a[i] > 0) || !(r.b[i] > 0))
			return out;
		r.a[i] = log(r.b[i] / r.a[i]);
	}
	m = sample_moments((struct sample){ r.a, r.n });
	out.effect = effect_make(m.mean, m.sd / sqrt((double)m.n),
				 (double)m.n - 1, conf);
	return out;
}

struct paired_diff paired_diff(struct sample a, struct sample b, double conf)
{
	CLEANUP(rounds_deinit) struct rounds r = { 0 };
	struct paired_diff d = { 0 };
	struct moments m;
	double half;

	rounds_init(&r, a, b);
	for (size_t i = 0; i < r.n; i++)
		r.a[i] = r.b[i] - r.a[i];
	m = sample_moments((struct sample){ r.a, r.n });
	d.rounds = r.n;
	d.dropped = r.dropped;
	d.diff = m.mean;
	d.se = m.sd / sqrt((double)m.n);
	d.df = m.n >= 2 ? (double)m.n - 1 : NO_FIGURE;
	d.t = d.se > 0 ? d.diff / d.se : NO_FIGURE;
	d.p = dist_t_two_sided(d.t, d.df);
	half = dist_t_quantile(1 - (1 - conf) / 2, d.df) * d.se;
	if (!(d.se > 0))
		half = NO_FIGURE;
	d.lo = d.diff - half;
	d.hi = d.diff + half;
	return d;
}
