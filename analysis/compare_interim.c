// A comparison that is looked at before its campaign has come to its planned
// end: how many rounds there are may depend on the figures, so that tests of
// fixed size do not hold. The anytime-valid t test does at every look
// (sequential.h), at the price of a wider interval.
#include "analysis/compare_parts.h"

#include <math.h>

#include "analysis/sequential.h"
#include "analysis/serial.h"
#include "analysis/stopping.h"

// Variance of the mixture over effect sizes.
#define INTERIM_C2 1.0

// Mean of the contrasts and its standard error.
struct looked {
	size_t n;
	double mean, se;
};

// Rounds that anything is recorded of, without the warm-up ones.
static size_t count_rounds(const struct dataset *ds)
{
	size_t n = 0;

	for (size_t t = 0; t < ds->ntrials; t++)
		if (ds->block[t] != DATASET_NONE)
			n = MAX(n, (size_t)ds->block[t] + 1);
	return n - MIN(n, (size_t)ds->warmup_rounds);
}

// By round, hosts averaged, as the stopping rule looks. Positively
// autocorrelated contrasts carry less than their number says.
static struct looked look_at_rounds(const struct compare_ctx *cx,
				    struct analysis_comparison *c)
{
	CLEANUP(cleanup_free) double *d = NULL;
	struct sample x = { .n = count_rounds(cx->ds) };
	struct serial_vn vn;
	struct moments m;
	double n;

	x.x = d = stopping_contrasts(&cx->ix, c, x.n);
	m = sample_moments(x);
	n = (double)m.n;
	vn = serial_von_neumann(x);
	c->autocorrelated = vn.p_pos < 0.01;
	return (struct looked){ m.n, m.mean,
				m.sd / sqrt(c->autocorrelated ? vn.n_eff : n) };
}

// Without rounds to look at, what the degrees of freedom stand for.
static struct looked look_at_effect(const struct effect *e)
{
	bool usable = e->df >= 1;

	return (struct looked){ usable ? (size_t)e->df + 1 : 0, e->log_ratio,
				e->se };
}

static struct sequential_anytime test(const struct looked *l, double off,
				      double alpha)
{
	return sequential_anytime(l->n, (l->mean - off) / l->se, INTERIM_C2,
				  alpha);
}

static struct effect effect_of(const struct looked *l, double conf)
{
	struct sequential_anytime a = test(l, 0, 1 - conf);
	struct effect e = effect_make(l->mean, l->se, (double)l->n - 1, conf);

	e.p = e.se > 0 ? a.p : NO_FIGURE;
	e.lo_pct = e.hi_pct = NO_FIGURE;
	if (e.se > 0 && isfinite(a.crit)) {
		e.lo_pct = 100 * expm1(l->mean - a.crit * l->se);
		e.hi_pct = 100 * expm1(l->mean + a.crit * l->se);
	}
	return e;
}

// Both one-sided nulls, each by the two-sided test at its own bound: the
// crossings of one that lies beyond the bound are rarer still.
static struct tost tost_of(const struct looked *l,
			   const struct compare_spec *spec)
{
	double d = log1p(spec->margin);
	struct tost t = { .margin_log = d,
			  .t_lower = (l->mean + d) / l->se,
			  .t_upper = (l->mean - d) / l->se };
	struct sequential_anytime wide = test(l, 0, 2 * spec->alpha);

	t.p_lower = l->mean > -d ? test(l, -d, spec->alpha).p : 1;
	t.p_upper = l->mean < d ? test(l, d, spec->alpha).p : 1;
	t.p = fmax(t.p_lower, t.p_upper);
	t.lo_pct = 100 * expm1(l->mean - wide.crit * l->se);
	t.hi_pct = 100 * expm1(l->mean + wide.crit * l->se);
	t.equivalent = t.p <= spec->alpha;
	return t;
}

void compare_interim(const struct compare_ctx *cx,
		     struct analysis_comparison *c)
{
	struct looked l = c->estimator == COMPARE_BLOCKED
				  ? look_at_rounds(cx, c)
				  : look_at_effect(&c->effect);

	if (isnan(c->effect.log_ratio) || l.n < 2 || !(l.se >= 0))
		return;
	c->effect = effect_of(&l, cx->conf);
	c->fragility.fragile = false; // it asks about the test of fixed size
	if (cx->spec->margin > 0 && c->effect.se > 0)
		c->tost = tost_of(&l, cx->spec);
}
