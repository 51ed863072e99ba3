// How often the analysis is right about campaigns whose truth is known: shares
// over many seeds, each through the whole pipeline of campaigns.h.
#pragma once

#include <math.h>
#include <stdio.h>

#include "analysis/compare.h"
#include "analysis/stopping.h"
#include "runner/campaign/boundaries.h"
#include "tests/fake/campaigns.h"

enum {
	CALIBRATION_YAML_MAX = 2048,
	CALIBRATION_STOP_ROUNDS = 30,
};

// Noise that a plan must bear: what a host does to a night of trials.
struct calibration_noise {
	const char *name;
	const char *yaml;     // of the workload
	double drift_percent; // over the whole campaign
};

static const struct calibration_noise calibration_noises[] = {
	{ "independent, 1 %", "cv: 1%", 0 },
	{ "drift of 4 %", "cv: 1%", 4 },
	{ "AR(1) .8, 1.5 %", "cv: 1%, ar1: 0.8, ar1-cv: 1.5%", 0 },
	{ "two modes, 3 %", "cv: 1%, modes: -3%, mode-p: 0.3", 0 },
	{ "all of these",
	  "cv: 1%, ar1: 0.8, ar1-cv: 1.5%, modes: -3%, mode-p: 0.3", 4 },
};

enum {
	CALIBRATION_NOISES = ARRAY_LEN(calibration_noises),
	CALIBRATION_ALL = CALIBRATION_NOISES - 1,
};

// Levels must differ; no campaign can see this.
#define CALIBRATION_NO_EFFECT 1e-9

// Two cells, the second `effect` above the first. `design` is the plan's
// design, in YAML.
static inline struct matrix *calibration_matrix(
	const struct calibration_noise *noise, unsigned rounds, double effect,
	const char *design)
{
	char yaml[CALIBRATION_YAML_MAX];
	int n = snprintf(
		yaml, sizeof(yaml),
		"name: calibration\n"
		"factors: {effect: [0, %.17g]}\n"
		"fixed: {accel: native}\n"
		"workloads: [synthetic: {drift: %.17g%%, %s}]\n"
		"compare: {metric: synthetic.value, baseline: {effect: 0}, "
		"margin: 2%%}\n"
		"design: {%s}\n",
		fmax(effect, CALIBRATION_NO_EFFECT),
		noise->drift_percent * 100 / (2.0 * rounds), noise->yaml,
		design);

	assert(n > 0 && (size_t)n < sizeof(yaml));
	return campaigns_matrix(yaml);
}

struct calibration {
	unsigned rounds;
	double effect; // 0: an A/A
	uint32_t first_seed;
	size_t campaigns;
	size_t significant; // p <= alpha
	size_t claims;	    // verdicts of a difference
	size_t covered;	    // intervals that hold the truth
	double width_pct;   // of the intervals, mean
};

static inline double calibration_share(size_t n, const struct calibration *c)
{
	return (double)n / (double)c->campaigns;
}

static inline bool calibration_claims(const struct verdict *v)
{
	return v->kind != VERDICT_INCONCLUSIVE && v->kind != VERDICT_EQUIVALENT;
}

static inline void calibration_note(struct calibration *c,
				    const struct analysis_comparison *cmp)
{
	double truth = 100 * c->effect;
	const struct effect *f = &cmp->effect;

	c->significant += f->p <= COMPARE_ALPHA;
	c->claims += calibration_claims(&cmp->verdict);
	c->covered += f->lo_pct <= truth && truth <= f->hi_pct;
	c->width_pct += (f->hi_pct - f->lo_pct) / (double)c->campaigns;
}

static inline void calibration_campaign(struct calibration *c,
					const struct matrix *m, uint32_t seed)
{
	CLEANUP(campaign_drawn_deinit)
	struct campaign_drawn d = campaigns_draw(m, seed, c->effect == 0);
	CLEANUP(analysis_freep) struct analysis *an = NULL;
	struct compare_spec spec = results_spec(d.plan);
	struct err e = { 0 };

	spec.margin = NO_FIGURE; // "equivalent" would hide a false claim
	campaigns_need(compare_run(d.ds, &spec, &an, &e), &e);
	assert(an->ncomparisons == 1);
	calibration_note(c, &an->comparisons[0]);
}

// Of `c` the first four members are given; the rest is filled.
static inline void calibration_run(const struct calibration_noise *noise,
				   struct calibration *c)
{
	CLEANUP(matrix_freep) struct matrix *m = NULL;
	char design[64];

	snprintf(design, sizeof(design), "rounds: %u", c->rounds);
	m = calibration_matrix(noise, c->rounds, c->effect, design);
	for (size_t i = 0; i < c->campaigns; i++)
		calibration_campaign(c, m, c->first_seed + (uint32_t)i);
}

struct calibration_stop {
	double effect;
	bool margin; // the rule may stop for equivalence
	size_t campaigns;
	size_t different, equivalent; // answers of the rule
	double rounds;		      // until it stopped, mean
};

static inline double calibration_saved(const struct calibration_stop *s)
{
	return 1 - s->rounds / CALIBRATION_STOP_ROUNDS;
}

static inline struct matrix *calibration_stop_matrix(
	const struct calibration_stop *s)
{
	char design[128];

	snprintf(design, sizeof(design),
		 "stop: {margin: %s, min-rounds: 5, max-rounds: %d}",
		 s->margin ? "yes" : "no", CALIBRATION_STOP_ROUNDS);
	return calibration_matrix(&calibration_noises[CALIBRATION_ALL],
				  CALIBRATION_STOP_ROUNDS, s->effect, design);
}

static inline void calibration_stop_campaign(struct calibration_stop *s,
					     const struct stopping_test *b,
					     const struct campaign_drawn *d)
{
	CLEANUP(stopping_freep) struct stopping *looked = NULL;
	struct compare_spec spec = results_spec(d->plan);
	struct err e = { 0 };

	looked = stopping_look(d->ds, &spec, b, d->plan->rounds, &e);
	campaigns_need(looked != NULL ? 0 : -1, &e);
	assert(looked->n == 1);
	s->different += looked->comparisons[0].action == SEQUENTIAL_DIFFERENT;
	s->equivalent += looked->comparisons[0].action == SEQUENTIAL_EQUIVALENT;
	s->rounds +=
		(double)looked->comparisons[0].round / (double)s->campaigns;
}

static inline void calibration_bounds(const struct matrix *m, size_t paths,
				      struct stopping_test *t)
{
	CLEANUP(plan_freep) struct plan *plan = NULL;
	struct err e = { 0 };

	campaigns_need(plan_build(m, 1, &plan, &e), &e);
	campaigns_need(boundaries_rule(plan, &t->rule, &e), &e);
	campaigns_need(stopping_calibrate(&t->rule, paths, &t->bounds), &e);
}

// effect, margin and campaigns of `s` are given. `paths` calibrate the rule.
static inline void calibration_stop(struct calibration_stop *s, size_t paths)
{
	CLEANUP(matrix_freep) struct matrix *m = calibration_stop_matrix(s);
	CLEANUP(boundaries_deinit) struct stopping_test t = { 0 };

	calibration_bounds(m, paths, &t);
	for (size_t i = 0; i < s->campaigns; i++) {
		CLEANUP(campaign_drawn_deinit)
		struct campaign_drawn d =
			campaigns_draw(m, (uint32_t)(i + 1), false);

		calibration_stop_campaign(s, &t, &d);
	}
}

// Somebody looks at the report after each round and stops when it claims a
// difference. First three members are given.
struct calibration_peek {
	double effect;
	bool interim; // the report knows that it is in mid-run
	size_t campaigns;
	size_t claims; // campaigns in which any look claimed a difference
};

// The campaign's first `rounds` rounds.
static inline bool calibration_look_claims(const struct campaign_drawn *d,
					   const struct calibration_peek *p,
					   uint32_t rounds)
{
	CLEANUP(dataset_freep) struct dataset *ds = campaigns_first(d, rounds);
	CLEANUP(analysis_freep) struct analysis *an = NULL;
	struct compare_spec spec = results_spec(d->plan);
	struct err e = { 0 };

	spec.interim = p->interim;
	spec.margin = NO_FIGURE;
	campaigns_need(compare_run(ds, &spec, &an, &e), &e);
	return an->comparisons[0].effect.p <= COMPARE_ALPHA;
}

static inline void calibration_peek_campaign(struct calibration_peek *p,
					     const struct campaign_drawn *d)
{
	for (uint32_t r = 2; r <= d->plan->rounds; r++) {
		if (calibration_look_claims(d, p, r)) {
			p->claims++;
			return;
		}
	}
}

static inline void calibration_peek(struct calibration_peek *p)
{
	CLEANUP(matrix_freep) struct matrix *m = NULL;
	char design[64];

	snprintf(design, sizeof(design), "rounds: %d", CALIBRATION_STOP_ROUNDS);
	m = calibration_matrix(&calibration_noises[CALIBRATION_ALL],
			       CALIBRATION_STOP_ROUNDS, p->effect, design);
	for (size_t i = 0; i < p->campaigns; i++) {
		CLEANUP(campaign_drawn_deinit)
		struct campaign_drawn d =
			campaigns_draw(m, (uint32_t)(i + 1), false);

		calibration_peek_campaign(p, &d);
	}
}
