// Campaigns of the synthetic workload without hosts: a matrix goes through
// parser, plan, model, records and dataset as in a real campaign; only agents,
// clocks and files are left out.
#pragma once

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/dataset.h"
#include "runner/agent/synthetic.h"
#include "runner/base/alloc.h"
#include "runner/base/arena.h"
#include "runner/campaign/results.h"
#include "runner/matrix/matrix.h"
#include "runner/plan/plan.h"
#include "runner/record/record.h"

// One campaign: plan and dataset are of one seed.
struct campaign_drawn {
	struct plan *plan;
	struct dataset *ds;
};

static inline void campaign_drawn_deinit(struct campaign_drawn *c)
{
	plan_free(c->plan);
	dataset_free(c->ds);
	*c = (struct campaign_drawn){ 0 };
}

// These are tests of what comes after: a text or a seed that cannot be used is
// a bug of the caller.
static inline void campaigns_need(int rc, const struct err *e)
{
	if (rc == 0)
		return;
	fprintf(stderr, "campaigns: %s\n", e->msg);
	abort();
}

static inline struct matrix *campaigns_matrix(const char *yaml)
{
	struct matrix_source from = { .file = "test.yaml",
				      .data = yaml,
				      .len = strlen(yaml) };
	struct matrix *m = NULL;
	struct err e = { 0 };

	campaigns_need(matrix_parse(&from, &m, &e), &e);
	return m;
}

// What the agent would answer.
static inline struct result *campaigns_result(const struct synthetic_params *p,
					      const struct synthetic_draw *d,
					      struct arena *a)
{
	struct metric m = { "synthetic.value", d->value, p->unit,
			    (enum better)p->better };
	struct result *r = result_new(a);

	if (d->failed)
		result_fail(a, r, OUTCOME_FAILED, "drawn to fail");
	else if (d->invalid)
		result_fail(a, r, OUTCOME_INVALID, "drawn to be invalid");
	else
		result_metric(a, r, &m);
	return r;
}

// Where a trial stands: what its record has besides event, times and result.
static inline struct record campaigns_record(const struct plan *plan,
					     const struct plan_trial *t)
{
	return (struct record){
		.trial = t->id,
		.attempt = 1,
		.host = plan->hosts[t->host],
		.block = t->block,
		.boot = t->boot,
		.position = t->position,
		.cell = t->cell,
		.levels = plan->cells[t->cell].levels,
		.nlevels = plan->cells[t->cell].nlevels,
	};
}

static inline void campaigns_add_trial(const struct plan *plan,
				       const struct plan_trial *t,
				       const struct synthetic_params *p,
				       struct dataset *ds)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct workload_place at = { plan->seed, t->id, t->boot };
	struct synthetic_draw d = synthetic_draw(p, &at);
	struct record r = campaigns_record(plan, t);
	struct err e = { 0 };

	r.event = RECORD_FINISHED;
	r.result = campaigns_result(p, &d, a);
	campaigns_need(dataset_add_record(ds, &r, &e), &e);
}

static inline struct synthetic_params *campaigns_models(const struct plan *plan,
							struct arena *a)
{
	struct synthetic_params *p = arena_array(a, plan->ncells, sizeof(*p));
	struct err e = { 0 };

	for (size_t i = 0; i < plan->ncells; i++) {
		const struct js *w = js_at(plan->cells[i].workloads, 0);

		campaigns_need(
			synthetic_params_decode(w, "synthetic", a, &p[i], &e),
			&e);
	}
	return p;
}

// `aa`: the baseline against itself, as vrun --aa plans it.
static inline struct campaign_drawn campaigns_draw(const struct matrix *m,
						   uint32_t seed, bool aa)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct campaign_drawn c = { .ds = dataset_new() };
	const struct synthetic_params *models;
	struct err e = { 0 };

	campaigns_need((aa ? plan_build_aa : plan_build)(m, seed, &c.plan, &e),
		       &e);
	campaigns_need(results_declare(c.ds, c.plan, &e), &e);
	models = campaigns_models(c.plan, a);
	for (size_t i = 0; i < c.plan->ntrials; i++) {
		const struct plan_trial *t = &c.plan->trials[i];

		campaigns_add_trial(c.plan, t, &models[t->cell], c.ds);
	}
	return c;
}

// The trials of the first rounds of a drawn campaign, figures and all.
static inline struct dataset *campaigns_first(const struct campaign_drawn *c,
					      uint32_t rounds)
{
	struct dataset *ds = dataset_new();
	struct err e = { 0 };
	size_t row;

	campaigns_need(results_declare(ds, c->plan, &e), &e);
	for (size_t t = 0; t < c->ds->ntrials; t++) {
		const struct plan_trial *p = &c->plan->trials[t];
		struct metric m = { c->plan->metrics[0], c->ds->values[0][t],
				    "1", BETTER_HIGHER };
		struct dataset_trial trial = {
			.cell = c->ds->cell[t],
			.trial = p->id,
			.host = c->plan->hosts[p->host],
			.metric = DATASET_NONE,
			.block = p->block,
			.boot = p->boot,
			.order = (double)t,
			.outcome = (enum outcome)c->ds->outcome[t],
		};
		uint32_t metric;

		if (p->block >= rounds)
			continue;
		campaigns_need(dataset_add_trial(ds, &trial, &row, &e), &e);
		campaigns_need(dataset_add_metric(ds, &m, &metric, &e), &e);
		dataset_set_value(ds, row, metric, m.value);
	}
	return ds;
}
