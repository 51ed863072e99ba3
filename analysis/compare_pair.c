#include "analysis/compare_parts.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/exact.h"
#include "analysis/rcbd.h"
#include "runner/base/alloc.h"

// Both arms of one host, and the contrasts of their rounds when blocked.
struct host_pair {
	struct arm a, b;
	struct arm_rounds rounds;
};

struct pair {
	struct host_pair *on; // by host
	size_t nhosts;
};

static void pair_deinit(struct pair *p)
{
	for (size_t h = 0; h < p->nhosts; h++) {
		arm_deinit(&p->on[h].a);
		arm_deinit(&p->on[h].b);
		arm_rounds_deinit(&p->on[h].rounds);
	}
	free(p->on);
}

static void pair_load(struct pair *p, const struct compare_ctx *cx,
		      const struct analysis_comparison *c)
{
	p->nhosts = cx->ix.nhosts;
	p->on = xcalloc(p->nhosts, sizeof *p->on);
	for (uint32_t h = 0; h < p->nhosts; h++) {
		struct host_pair *hp = &p->on[h];

		arm_load(&cx->ix, c->baseline, h, c->metric, &hp->a);
		arm_load(&cx->ix, c->cell, h, c->metric, &hp->b);
		arm_rounds_init(&hp->rounds, &hp->a, &hp->b);
	}
}

// From the recorded design alone, never from the figures.
static enum compare_why choose(const struct compare_ctx *cx,
			       const struct pair *p)
{
	size_t shared = 0;

	if (!cx->ds->has_blocks)
		return COMPARE_NO_BLOCKS;
	if (cx->spec->sequential)
		return COMPARE_SEQUENTIAL;
	for (size_t h = 0; h < p->nhosts; h++) {
		const struct host_pair *hp = &p->on[h];

		if (hp->a.boot_spans_blocks || hp->b.boot_spans_blocks)
			return COMPARE_BOOTS_SPAN_BLOCKS;
		shared += hp->rounds.both;
	}
	return shared > 0 ? COMPARE_HAS_BLOCKS : COMPARE_NO_SHARED_BLOCK;
}

static struct sample rounds_a(const struct host_pair *hp)
{
	return (struct sample){ hp->rounds.a, hp->rounds.n };
}

static struct sample rounds_b(const struct host_pair *hp)
{
	return (struct sample){ hp->rounds.b, hp->rounds.n };
}

// Positively autocorrelated contrasts carry less than their number says.
static void discount_autocorrelation(const struct host_pair *hp,
				     struct analysis_comparison *c,
				     struct effect *e)
{
	CLEANUP(cleanup_free) double *w = NULL;
	struct serial_vn vn;
	size_t n;

	w = paired_contrasts(rounds_a(hp), rounds_b(hp), &n);
	vn = serial_von_neumann((struct sample){ w, n });
	if (!(vn.p_pos < 0.01))
		return;
	*e = effect_autocorrelated(e, (double)n, vn.n_eff);
	c->autocorrelated = true;
}

static void blocked_effect(const struct compare_ctx *cx,
			   const struct host_pair *hp,
			   struct analysis_comparison *c,
			   struct analysis_host *out)
{
	struct paired p = paired_ratio(rounds_a(hp), rounds_b(hp), cx->conf);

	out->effect = p.effect;
	out->n = out->n_baseline = p.rounds;
	out->dropped = p.dropped;
	discount_autocorrelation(hp, c, &out->effect);
}

static void host_effect(const struct compare_ctx *cx,
			const struct host_pair *hp,
			struct analysis_comparison *c,
			struct analysis_host *out)
{
	if (c->estimator == COMPARE_BLOCKED) {
		blocked_effect(cx, hp, c, out);
		return;
	}
	out->effect = twosample_ratio(arm_sample(&hp->a), arm_sample(&hp->b),
				      cx->conf);
	out->n = arm_finite(&hp->b);
	out->n_baseline = arm_finite(&hp->a);
}

static void host_order(const struct compare_ctx *cx, const struct host_pair *hp,
		       struct analysis_host *out)
{
	CLEANUP(cleanup_free) bool *is_b = NULL;
	size_t n;

	out->order.auc = NO_FIGURE;
	if (!cx->ds->has_order)
		return;
	is_b = arms_interleaving(&hp->a, &hp->b, &n);
	out->order = diagnose_order(is_b, n, DIAGNOSE_ORDER_THRESHOLD);
}

// One boot for all trials of an arm, which the other arm does not share: what
// differs may be the luck of that boot.
static bool is_one_boot(const struct arm *arm, const struct arm *other)
{
	return arm->nboots == 1 && arm_trials(arm) > 1 &&
	       !arm_has_boot(other, arm->units[0].boot);
}

static void each_host(const struct compare_ctx *cx, const struct pair *p,
		      struct analysis_comparison *c)
{
	c->hosts = arena_array(cx->an->arena, p->nhosts, sizeof *c->hosts);
	for (uint32_t h = 0; h < p->nhosts; h++) {
		const struct host_pair *hp = &p->on[h];
		struct analysis_host *out = &c->hosts[c->nhosts];

		if (hp->a.nunits == 0 || hp->b.nunits == 0)
			continue;
		out->host = h;
		host_effect(cx, hp, c, out);
		host_order(cx, hp, out);
		c->boot_confounded |= is_one_boot(&hp->a, &hp->b) ||
				      is_one_boot(&hp->b, &hp->a);
		c->n += out->n;
		c->n_baseline += out->n_baseline;
		c->dropped += out->dropped;
		c->nhosts++;
	}
}

static void over_hosts(const struct compare_ctx *cx,
		       struct analysis_comparison *c)
{
	CLEANUP(cleanup_free)
	struct effect *e = xcalloc(c->nhosts, sizeof *e);

	for (size_t i = 0; i < c->nhosts; i++)
		e[i] = c->hosts[i].effect;
	c->effect = c->nhosts > 0 ? hosts_fixed(e, c->nhosts, cx->conf)
				  : effect_undefined(cx->conf);
	c->population = hosts_population(e, c->nhosts, cx->conf);
	// Of many hosts a few differ by chance, in both directions: alpha is
	// shared out among them (Bonferroni).
	c->opposed = hosts_opposed(e, c->nhosts,
				   cx->spec->alpha /
					   (double)MAX(c->nhosts, (size_t)1));
}

// An arm that runs first on some hosts and last on others is not confounded.
static void mean_order(struct analysis_comparison *c)
{
	double sum = 0;

	for (size_t i = 0; i < c->nhosts; i++)
		sum += c->hosts[i].order.auc;
	c->auc = c->nhosts > 0 ? sum / (double)c->nhosts : NO_FIGURE;
	c->order_confounded = c->auc >= DIAGNOSE_ORDER_THRESHOLD ||
			      c->auc <= 1 - DIAGNOSE_ORDER_THRESHOLD;
}

static void count_failures(const struct compare_ctx *cx, const struct pair *p,
			   struct analysis_comparison *c)
{
	struct diagnose_arm a = { 0 }, b = { 0 };

	for (size_t h = 0; h < p->nhosts; h++) {
		const struct host_pair *hp = &p->on[h];

		a.total += arm_trials(&hp->a);
		a.failed += arm_trials(&hp->a) - hp->a.ok;
		b.total += arm_trials(&hp->b);
		b.failed += arm_trials(&hp->b) - hp->b.ok;
	}
	c->failures = diagnose_failures(a, b, cx->spec->alpha);
}

static const struct host_pair *only_host(const struct pair *p,
					 const struct analysis_comparison *c)
{
	return c->nhosts == 1 ? &p->on[c->hosts[0].host] : NULL;
}

static bool is_odd(struct sample x)
{
	struct diagnose_outliers o = diagnose_outliers(x, NULL);

	return diagnose_outliers_warn(&o) ||
	       diagnose_clusters(x, DIAGNOSE_CLUSTER_FRAC).warn;
}

// a_first of the complete rounds, in step with paired_contrasts.
static bool *complete_a_first(const struct arm_rounds *r)
{
	bool *out = xcalloc(r->n, sizeof *out);
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		if (isfinite(r->a[i]) && isfinite(r->b[i]))
			out[n++] = r->a_first[i];
	return out;
}

// The contrasts sum to 0 by their making; flipping asks about those moved by
// the effect, whose t is the effect's.
static void flip_signs(const struct compare_ctx *cx, struct sample w,
		       struct analysis_comparison *c, bool odd)
{
	CLEANUP(cleanup_free) double *moved = xcalloc(w.n + 1, sizeof *moved);
	struct sample m = { moved, w.n };
	struct exact_flip flip;

	for (size_t i = 0; i < w.n; i++)
		moved[i] = w.x[i] + c->effect.log_ratio;
	c->method_dependent =
		diagnose_method_dependent(m, c->effect.p, odd, cx->spec->alpha);
	if (cx->an->ncomparisons > COMPARE_EXACT_MAX)
		return;
	flip = exact_sign_flip(m);
	c->p_exact = flip.p;
	c->p_exact_min = flip.p_min;
}

// The least p of a rank test: both extreme splits of all C(n, k).
static void rank_arms(const struct compare_ctx *cx, const struct host_pair *hp,
		      struct analysis_comparison *c)
{
	double all = (double)(c->n + c->n_baseline), p = 2;

	if (cx->an->ncomparisons > COMPARE_EXACT_MAX)
		return;
	c->p_exact = exact_mann_whitney(arm_sample(&hp->a), arm_sample(&hp->b))
			     .p_exact;
	for (size_t i = 0; i < c->n; i++)
		p *= (double)(i + 1) / (all - (double)i);
	c->p_exact_min = fmin(1, p);
}

static void compare_designs(const struct host_pair *hp,
			    struct analysis_comparison *c)
{
	const struct arm_rounds *r = &hp->rounds;
	CLEANUP(cleanup_free) double *y = xcalloc(2 * r->n + 1, sizeof *y);

	for (size_t i = 0; i < r->n; i++) {
		y[2 * i] = r->a[i];
		y[2 * i + 1] = r->b[i];
	}
	c->rel_eff = rcbd(y, r->n, 2, NULL).rel_eff;
}

static void check_contrasts(const struct compare_ctx *cx,
			    const struct host_pair *hp,
			    struct analysis_comparison *c)
{
	CLEANUP(cleanup_free) double *w = NULL;
	CLEANUP(cleanup_free) bool *a_first = NULL;
	struct sample ws;
	bool odd;

	w = paired_contrasts(rounds_a(hp), rounds_b(hp), &ws.n);
	ws.x = w;
	odd = is_odd(ws) || is_odd(arm_sample(&hp->a)) ||
	      is_odd(arm_sample(&hp->b));
	flip_signs(cx, ws, c, odd);
	c->warmup = diagnose_warmup(ws);
	if (!cx->ds->has_order || ws.n == 0)
		return;
	a_first = complete_a_first(&hp->rounds);
	c->slot = diagnose_slot(ws, a_first);
}

static void check_fragility(const struct compare_ctx *cx,
			    const struct host_pair *hp,
			    struct analysis_comparison *c)
{
	struct diagnose_pair d = { arm_sample(&hp->a), arm_sample(&hp->b),
				   false };

	if (c->estimator == COMPARE_BLOCKED)
		d = (struct diagnose_pair){ rounds_a(hp), rounds_b(hp), true };
	c->fragility = diagnose_fragility(&d, cx->spec->alpha, NULL, NULL);
}

// The figures and checks that only make sense on one host.
static void one_host(const struct compare_ctx *cx, const struct host_pair *hp,
		     struct analysis_comparison *c)
{
	struct sample a = arm_sample(&hp->a), b = arm_sample(&hp->b);

	c->welch = twosample_welch(a, b, cx->conf);
	c->hedges = twosample_hedges(a, b, cx->conf);
	c->fieller = twosample_fieller(a, b, cx->conf);
	c->ratio_doubtful = twosample_ratio_doubtful(a);
	check_fragility(cx, hp, c);
	if (c->estimator != COMPARE_BLOCKED) {
		rank_arms(cx, hp, c);
		return;
	}
	compare_designs(hp, c);
	c->diff = paired_diff(rounds_a(hp), rounds_b(hp), cx->conf);
	check_contrasts(cx, hp, c);
}

// What was not computed prints as unknown, not as 0.
static void set_unknown(struct analysis_comparison *c)
{
	double nan = NO_FIGURE;

	c->welch = (struct welch){ nan, nan, nan, nan, nan, nan, nan };
	c->hedges = (struct hedges){ nan, nan, nan, nan, nan, nan };
	c->fieller = (struct fieller){ false, nan, nan, nan, nan };
	c->diff = (struct paired_diff){ .diff = nan,
					.se = nan,
					.df = nan,
					.t = nan,
					.p = nan,
					.lo = nan,
					.hi = nan };
	c->slot = (struct diagnose_slot){ nan, nan, nan, nan };
	c->warmup = nan;
	c->p_exact = c->p_exact_min = c->rel_eff = nan;
}

void compare_pair(const struct compare_ctx *cx, struct analysis_comparison *c)
{
	CLEANUP(pair_deinit) struct pair p = { 0 };
	const struct host_pair *only;

	pair_load(&p, cx, c);
	set_unknown(c);
	c->why = choose(cx, &p);
	c->estimator = c->why == COMPARE_HAS_BLOCKS ? COMPARE_BLOCKED
						    : COMPARE_UNBLOCKED;
	each_host(cx, &p, c);
	over_hosts(cx, c);
	mean_order(c);
	count_failures(cx, &p, c);
	only = only_host(&p, c);
	if (only != NULL)
		one_host(cx, only, c);
	c->tost = effect_tost(&c->effect, cx->spec->margin, cx->spec->alpha);
	c->population_tost = effect_tost(&c->population.effect,
					 cx->spec->margin, cx->spec->alpha);
	if (cx->spec->interim)
		compare_interim(cx, c);
}
