#include "analysis/dataset.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/dataset_parts.h"
#include "analysis/sample.h"
#include "runner/base/alloc.h"
#include "runner/base/buf.h"

static const char unknown_reason[] = "no reason was recorded";

struct dataset *dataset_new(void)
{
	struct dataset *ds = xcalloc(1, sizeof *ds);

	ds->arena = arena_new();
	intern_init(&ds->hosts);
	intern_init(&ds->blocks);
	intern_init(&ds->cell_keys);
	intern_init(&ds->metric_names);
	intern_init(&ds->check_names);
	intern_init(&ds->note_texts);
	cell_facts_init(&ds->facts);
	trial_hists_init(&ds->hists);
	return ds;
}

static void free_columns(struct dataset *ds)
{
	for (size_t m = 0; m < ds->nmetrics; m++)
		free(ds->values[m]);
	free(ds->values);
	free(ds->cell);
	free(ds->host);
	free(ds->trial);
	free(ds->attempt);
	free(ds->metric);
	free(ds->block);
	free(ds->boot);
	free(ds->order);
	free(ds->outcome);
	free(ds->row_of_trial);
	free(ds->hint);
}

void dataset_free(struct dataset *ds)
{
	if (ds == NULL)
		return;
	free_columns(ds);
	buf_deinit(&ds->key);
	intern_deinit(&ds->hosts);
	intern_deinit(&ds->blocks);
	intern_deinit(&ds->cell_keys);
	intern_deinit(&ds->metric_names);
	intern_deinit(&ds->check_names);
	intern_deinit(&ds->note_texts);
	cell_facts_deinit(&ds->facts);
	trial_hists_deinit(&ds->hists);
	arena_free(ds->arena);
	free(ds);
}

void dataset_freep(struct dataset **ds)
{
	dataset_free(*ds);
}

static int check_room(size_t trials, size_t metrics, struct err *e)
{
	if (trials > DATASET_TRIALS_MAX ||
	    trials * metrics > DATASET_VALUES_MAX)
		return err_set(e, ERR_USAGE,
			       "%zu trials of %zu metrics are too many (at "
			       "most %d trials and %d figures)",
			       trials, metrics, DATASET_TRIALS_MAX,
			       DATASET_VALUES_MAX);
	return 0;
}

static void push_metric(struct dataset *ds, const char *name)
{
	double *column = xmalloc(ds->trials_cap * sizeof *column);
	struct dataset_metric *dm;

	for (size_t t = 0; t < ds->trials_cap; t++)
		column[t] = NO_FIGURE;
	ds->values =
		xrealloc(ds->values, (ds->nmetrics + 1) * sizeof *ds->values);
	ds->values[ds->nmetrics] = column;
	arena_push(ds->arena, &ds->metrics, &ds->nmetrics, &ds->metrics_cap,
		   sizeof *ds->metrics);
	dm = &ds->metrics[ds->nmetrics - 1];
	dm->name = arena_strdup(ds->arena, name);
	dm->unit = "";
	dm->better = BETTER_NEITHER;
	dm->declared = true;
}

static int metric_id(struct dataset *ds, const char *name, uint32_t *id,
		     struct err *e)
{
	*id = dataset_find_metric(ds, name);
	if (*id != DATASET_NONE)
		return 0;
	if (check_room(ds->trials_cap, ds->nmetrics + 1, e) != 0)
		return -1;
	*id = intern_id(&ds->metric_names, name, strlen(name));
	push_metric(ds, name);
	return 0;
}

int dataset_declare_metric(struct dataset *ds, const char *name, struct err *e)
{
	uint32_t id;

	return metric_id(ds, name, &id, e);
}

bool dataset_is_like(const struct dataset_metric *dm, const struct metric *m)
{
	return dm->better == m->better &&
	       strcmp(dm->unit, m->unit != NULL ? m->unit : "") == 0;
}

int dataset_declare_exact(struct dataset *ds, const char *name, struct err *e)
{
	uint32_t id;

	if (metric_id(ds, name, &id, e) != 0)
		return -1;
	ds->metrics[id].exact = true;
	return 0;
}

int dataset_add_metric(struct dataset *ds, const struct metric *m,
		       uint32_t *metric, struct err *e)
{
	struct dataset_metric *dm;
	uint32_t id;

	if (metric_id(ds, m->name, &id, e) != 0)
		return -1;
	dm = &ds->metrics[id];
	if (dm->declared) {
		dm->declared = false;
		dm->unit =
			arena_strdup(ds->arena, m->unit != NULL ? m->unit : "");
		dm->better = m->better;
	} else if (!dataset_is_like(dm, m)) {
		dm->mixed = true;
	}
	*metric = id;
	return 0;
}

uint32_t dataset_find_metric(const struct dataset *ds, const char *name)
{
	return intern_find(&ds->metric_names, name, strlen(name));
}

#define GROW(column, cap) \
	((column) = xrealloc((column), (cap) * sizeof *(column)))

static void make_room(struct dataset *ds, size_t cap)
{
	size_t old = ds->trials_cap;

	GROW(ds->cell, cap);
	GROW(ds->host, cap);
	GROW(ds->trial, cap);
	GROW(ds->attempt, cap);
	GROW(ds->metric, cap);
	GROW(ds->block, cap);
	GROW(ds->boot, cap);
	GROW(ds->order, cap);
	GROW(ds->outcome, cap);
	for (size_t m = 0; m < ds->nmetrics; m++) {
		GROW(ds->values[m], cap);
		for (size_t t = old; t < cap; t++)
			ds->values[m][t] = NO_FIGURE;
	}
	ds->trials_cap = cap;
}

void dataset_expect(struct dataset *ds, size_t trials)
{
	if (trials > ds->trials_cap && trials <= DATASET_TRIALS_MAX &&
	    trials * ds->nmetrics <= DATASET_VALUES_MAX)
		make_room(ds, trials);
}

static int grow_trials(struct dataset *ds, struct err *e)
{
	size_t old = ds->trials_cap;

	if (ds->ntrials < old)
		return 0;
	if (check_room(old + 1, ds->nmetrics, e) != 0)
		return -1;
	make_room(ds, old == 0 ? 64 : old * 2);
	return 0;
}

static const char *or_unknown(struct dataset *ds, const char *reason)
{
	return reason != NULL ? arena_strdup(ds->arena, reason)
			      : unknown_reason;
}

static void add_failure(struct dataset *ds, const struct dataset_trial *t,
			uint32_t host)
{
	struct dataset_failure *f;

	if (ds->nfailures == DATASET_FAILURES_KEPT)
		return;
	arena_push(ds->arena, &ds->failures, &ds->nfailures, &ds->failures_cap,
		   sizeof *ds->failures);
	f = &ds->failures[ds->nfailures - 1];
	f->trial = t->trial;
	f->attempt = t->attempt;
	f->cell = t->cell;
	f->host = host;
	f->block = t->block;
	f->outcome = t->outcome;
	f->reason = or_unknown(ds, t->reason);
	if (t->stage != NULL)
		f->stage = arena_strdup(ds->arena, t->stage);
}

void dataset_store_trial(struct dataset *ds, size_t row,
			 const struct dataset_trial *t)
{
	const char *host = t->host != NULL ? t->host : "";

	ds->cell[row] = t->cell;
	ds->host[row] = intern_id(&ds->hosts, host, strlen(host));
	ds->trial[row] = t->trial;
	ds->attempt[row] = t->attempt;
	ds->metric[row] = t->metric;
	ds->block[row] = t->block;
	ds->boot[row] = t->boot;
	ds->order[row] = t->order;
	ds->outcome[row] = (uint8_t)t->outcome;
	ds->has_blocks |= t->block != DATASET_NONE;
	ds->has_boots |= t->boot != DATASET_NO_BOOT;
	ds->has_order |= !isnan(t->order);
	ds->count[t->outcome]++;
	if (t->outcome != OUTCOME_OK)
		add_failure(ds, t, ds->host[row]);
}

int dataset_add_trial(struct dataset *ds, const struct dataset_trial *t,
		      size_t *row, struct err *e)
{
	assert(t->cell < ds->ncells);
	if (grow_trials(ds, e) != 0)
		return -1;
	dataset_store_trial(ds, ds->ntrials, t);
	*row = ds->ntrials++;
	return 0;
}

void dataset_set_value(struct dataset *ds, size_t row, uint32_t metric,
		       double value)
{
	assert(row < ds->ntrials && metric < ds->nmetrics);
	ds->values[metric][row] = value;
}

void dataset_forget_order(struct dataset *ds)
{
	for (size_t t = 0; t < ds->ntrials; t++)
		ds->order[t] = NO_FIGURE;
	ds->has_order = false;
}

void dataset_forget_boots(struct dataset *ds)
{
	for (size_t t = 0; t < ds->ntrials; t++)
		ds->boot[t] = DATASET_NO_BOOT;
	ds->has_boots = false;
}

const char *dataset_block_name(const struct dataset *ds, uint32_t block,
			       char out[16])
{
	if (block == DATASET_NONE)
		return "";
	if (ds->blocks.n > 0)
		return intern_name(&ds->blocks, block);
	snprintf(out, 16, "%u", block + 1); // people count from 1
	return out;
}
