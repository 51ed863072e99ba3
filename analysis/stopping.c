#include "analysis/stopping.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/serial.h"
#include "runner/base/alloc.h"
#include "runner/base/rng.h"

void stopping_bounds_init(struct stopping_bounds *b, size_t n)
{
	*b = (struct stopping_bounds){
		.n = n,
		.crit = xcalloc(n, sizeof *b->crit),
		.crit_eq = xcalloc(n, sizeof *b->crit_eq),
	};
}

void stopping_bounds_deinit(struct stopping_bounds *b)
{
	free(b->crit);
	free(b->crit_eq);
	*b = (struct stopping_bounds){ 0 };
}

int stopping_calibrate(const struct stopping_rule *r, size_t paths,
		       struct stopping_bounds *out)
{
	CLEANUP(stopping_bounds_deinit) struct stopping_bounds b = { 0 };
	CLEANUP(cleanup_free) size_t *looks = NULL;
	struct sequential_plan p = { .n_max = r->max_rounds,
				     .spend = SEQUENTIAL_KD2,
				     .paths = paths,
				     .seed = SEQUENTIAL_SEED };

	if (r->min_rounds > r->max_rounds || r->family == 0 ||
	    r->max_rounds > STOPPING_ROUNDS_MAX)
		return -1;
	p.n = r->max_rounds - r->min_rounds + 1;
	p.looks = looks = xcalloc(p.n, sizeof *looks);
	for (size_t k = 0; k < p.n; k++)
		looks[k] = r->min_rounds + k;
	stopping_bounds_init(&b, p.n);
	p.alpha = r->alpha / (double)r->family;
	if (sequential_t_bounds(&p, b.crit) != 0)
		return -1;
	p.alpha *= 2; // two one-sided tests
	if (sequential_t_bounds(&p, b.crit_eq) != 0)
		return -1;
	*out = b;
	b = (struct stopping_bounds){ 0 };
	return 0;
}

// --- the contrasts of a pair ---

struct contrasts {
	double *sum;
	uint32_t *hosts; // that are in the sum
	size_t rounds;
	uint32_t first; // number of the first round that counts
};

static void add_host(const struct arms_index *ix,
		     const struct analysis_comparison *c, uint32_t host,
		     struct contrasts *d)
{
	CLEANUP(arm_deinit) struct arm a = { 0 };
	CLEANUP(arm_deinit) struct arm b = { 0 };
	CLEANUP(arm_rounds_deinit) struct arm_rounds r = { 0 };

	arm_load(ix, c->baseline, host, c->metric, &a);
	arm_load(ix, c->cell, host, c->metric, &b);
	arm_rounds_init(&r, &a, &b);
	for (size_t i = 0; i < r.n; i++) {
		uint32_t round = r.block[i] - d->first;

		if (round >= d->rounds || !(r.a[i] > 0) || !(r.b[i] > 0))
			continue;
		d->sum[round] += log(r.b[i] / r.a[i]);
		d->hosts[round]++;
	}
}

double *stopping_contrasts(const struct arms_index *ix,
			   const struct analysis_comparison *c, size_t rounds)
{
	CLEANUP(cleanup_free)
	uint32_t *hosts = xcalloc(rounds, sizeof *hosts);
	struct contrasts d = { .sum = xcalloc(rounds, sizeof *d.sum),
			       .hosts = hosts,
			       .rounds = rounds,
			       .first = ix->ds->warmup_rounds };

	for (uint32_t h = 0; h < ix->nhosts; h++)
		add_host(ix, c, h, &d);
	for (size_t r = 0; r < rounds; r++)
		d.sum[r] = hosts[r] > 0 ? d.sum[r] / hosts[r] : NO_FIGURE;
	return d.sum;
}

// --- looks ---

// Mean and spread so far (Welford 1962).
struct running {
	size_t n;
	double mean, squares;
};

static void running_add(struct running *s, double x)
{
	double off = x - s->mean;

	s->n++;
	s->mean += off / (double)s->n;
	s->squares += off * (x - s->mean);
}

static struct sequential_look look_at(const struct running *s,
				      const struct stopping_test *t)
{
	double n = (double)s->n;
	size_t k = s->n - t->rule.min_rounds;

	return (struct sequential_look){
		.n = s->n,
		.n_max = t->rule.max_rounds,
		.mean = s->mean,
		.se = sqrt(s->squares / (n - 1) / n),
		.crit = t->bounds.crit[k],
		.crit_eq = t->bounds.crit_eq[k],
		.margin = t->rule.margin,
		.half_width = t->rule.half_width,
	};
}

// Positively autocorrelated contrasts carry less than their number says, as in
// a comparison of fixed size; the boundaries take them as independent. A wider
// se only ever delays an answer, so that this need not be asked at looks that
// have none.
static void settle(struct sample d, struct stopping_comparison *c)
{
	struct serial_vn vn =
		serial_von_neumann((struct sample){ d.x, c->round });

	if (c->autocorrelated || !(vn.p_pos < 0.01))
		return;
	c->look.se *= sqrt((double)c->look.n / vn.n_eff);
	c->autocorrelated = true;
	c->action = sequential_decide(&c->look);
}

// Round by round until it is decided. A round without a contrast brings no
// look: what alpha is spent on is the number of contrasts.
static void walk(const struct stopping_test *t, struct sample d,
		 struct stopping_comparison *c)
{
	struct running s = { 0 };

	c->action = SEQUENTIAL_CONTINUE;
	for (size_t i = 0; i < d.n && c->action == SEQUENTIAL_CONTINUE; i++) {
		if (!isfinite(d.x[i]) || s.n == t->rule.max_rounds)
			continue;
		running_add(&s, d.x[i]);
		if (s.n < t->rule.min_rounds)
			continue;
		c->look = look_at(&s, t);
		c->round = i + 1;
		c->autocorrelated = false;
		c->action = sequential_decide(&c->look);
		if (c->action != SEQUENTIAL_CONTINUE)
			settle(d, c);
	}
	if (c->action == SEQUENTIAL_CONTINUE && c->look.n > 0)
		settle(d, c);
}

static void look_all(const struct arms_index *ix, const struct analysis *pairs,
		     const struct stopping_test *test, struct stopping *s)
{
	s->stopped = s->n > 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct analysis_comparison *c = &pairs->comparisons[i];
		struct stopping_comparison *out = &s->comparisons[i];
		CLEANUP(cleanup_free) double *d = NULL;

		*out = (struct stopping_comparison){ .cell = c->cell,
						     .baseline = c->baseline,
						     .metric = c->metric };
		d = stopping_contrasts(ix, c, s->rounds);
		walk(test, (struct sample){ d, s->rounds }, out);
		s->stopped &= out->action != SEQUENTIAL_CONTINUE;
		s->at = MAX(s->at, out->round);
	}
}

struct stopping *stopping_look(const struct dataset *ds,
			       const struct compare_spec *spec,
			       const struct stopping_test *test, size_t rounds,
			       struct err *e)
{
	CLEANUP(analysis_freep) struct analysis *pairs = NULL;
	CLEANUP(arms_index_deinit) struct arms_index ix = { 0 };
	struct stopping *s;

	if (compare_pairs(ds, spec, &pairs, e) != 0 ||
	    arms_index_init(&ix, ds, e) != 0)
		return NULL;
	s = xcalloc(1, sizeof *s);
	s->rule = test->rule;
	s->rounds = MIN(rounds, test->rule.max_rounds);
	s->n = pairs->ncomparisons;
	s->comparisons = xcalloc(s->n, sizeof *s->comparisons);
	look_all(&ix, pairs, test, s);
	return s;
}

void stopping_free(struct stopping *s)
{
	if (s == NULL)
		return;
	free(s->comparisons);
	free(s);
}

void stopping_freep(struct stopping **s)
{
	stopping_free(*s);
	*s = NULL;
}

const char *stopping_action_text(enum sequential_action a)
{
	static const char *const texts[] = {
		[SEQUENTIAL_CONTINUE] = "not decided",
		[SEQUENTIAL_EQUIVALENT] = "equivalent",
		[SEQUENTIAL_DIFFERENT] = "different",
		[SEQUENTIAL_PRECISE] = "precise enough",
		[SEQUENTIAL_EXHAUSTED] = "still open after the last round",
	};

	return texts[a];
}

// --- what the rule makes of an analysis ---

static struct effect repeated_effect(const struct sequential_look *k,
				     double conf)
{
	struct sequential_interval i = sequential_interval(k);

	if (k->n == 0)
		return effect_undefined(conf);
	return (struct effect){
		.log_ratio = k->mean,
		.se = k->se,
		.df = (double)k->n - 1,
		.t = k->se > 0 ? k->mean / k->se : NO_FIGURE,
		.p = NO_FIGURE,
		.conf = conf,
		.pct = 100 * expm1(k->mean),
		.lo_pct = k->se > 0 ? i.lo_pct : NO_FIGURE,
		.hi_pct = k->se > 0 ? i.hi_pct : NO_FIGURE,
	};
}

// The rule has tested already; 0 and 1 stand for its yes and no. A margin
// that was not to stop anything still makes a verdict: the look is valid.
static struct verdict rule_verdict(const struct sequential_look *k,
				   const struct effect *effect, double margin,
				   enum better better)
{
	struct sequential_look wide = *k;
	enum sequential_action a;
	struct verdict_input in = { .effect = effect,
				    .n_a = k->n,
				    .n_b = k->n,
				    .p_diff = 1,
				    .p_eq = 1,
				    .alpha = COMPARE_ALPHA,
				    .margin = margin,
				    .better = better };

	wide.margin = margin;
	a = sequential_decide(&wide);
	if (k->se > 0 && fabs(k->mean) / k->se >= k->crit)
		in.p_diff = 0;
	if (a == SEQUENTIAL_EQUIVALENT)
		in.p_eq = 0;
	return verdict_decide(&in);
}

static bool is_overruled(const struct verdict *v)
{
	return v->reason != VERDICT_DECIDED && v->reason != VERDICT_UNDECIDED;
}

static void apply_one(const struct stopping_comparison *s, struct analysis *an,
		      struct analysis_comparison *c)
{
	c->effect = repeated_effect(&s->look, 1 - an->alpha);
	c->p_holm = c->p_eq_holm = c->tost.p = NO_FIGURE;
	if (is_overruled(&c->verdict))
		return;
	c->verdict = rule_verdict(&s->look, &c->effect, an->margin,
				  an->ds->metrics[c->metric].better);
}

void stopping_apply(const struct stopping *s, struct analysis *an)
{
	for (size_t i = 0; i < s->n && i < an->ncomparisons; i++)
		apply_one(&s->comparisons[i], an, &an->comparisons[i]);
}

// --- what to expect ---

struct stopping_expectation stopping_expect(const struct stopping_test *t,
					    struct stopping_truth truth,
					    size_t campaigns)
{
	size_t rounds = t->rule.max_rounds;
	CLEANUP(cleanup_free) double *d = xcalloc(rounds, sizeof *d);
	struct stopping_expectation sum = { 0 };
	double n = (double)campaigns;
	struct rng rng;

	rng_seed(&rng, SEQUENTIAL_SEED);
	for (size_t i = 0; i < campaigns; i++) {
		struct stopping_comparison c = { 0 };

		for (size_t k = 0; k < rounds; k++)
			d[k] = log1p(truth.effect) +
			       truth.sd_log * rng_normal(&rng);
		walk(t, (struct sample){ d, rounds }, &c);
		sum.rounds += (double)c.round;
		sum.different += c.action == SEQUENTIAL_DIFFERENT;
		sum.equivalent += c.action == SEQUENTIAL_EQUIVALENT;
	}
	return (struct stopping_expectation){ sum.rounds / n, sum.different / n,
					      sum.equivalent / n };
}
