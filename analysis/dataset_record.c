// What the records of a journal add to a dataset.
#include "analysis/dataset_parts.h"

#include <string.h>

#include "analysis/sample.h"
#include "analysis/thin.h"
#include "runner/base/alloc.h"
#include "runner/base/buf.h"

// Equal texts are counted together.
static void add_note(struct dataset *ds, const char *text)
{
	uint32_t id = intern_id(&ds->note_texts, text, strlen(text));

	if (id == ds->nnotes) {
		arena_push(ds->arena, &ds->notes, &ds->nnotes, &ds->notes_cap,
			   sizeof *ds->notes);
		ds->notes[id].text = intern_name(&ds->note_texts, id);
	}
	ds->notes[id].trials++;
}

static void add_check(struct dataset *ds, const struct check *c)
{
	uint32_t id =
		intern_id(&ds->check_names, c->parameter, strlen(c->parameter));

	if (id == ds->nchecks) {
		arena_push(ds->arena, &ds->checks, &ds->nchecks,
			   &ds->checks_cap, sizeof *ds->checks);
		ds->checks[id].parameter = intern_name(&ds->check_names, id);
	}
	ds->checks[id].count[c->status]++;
}

static void doubt_percentile(struct dataset *ds, const char *name)
{
	CLEANUP(buf_deinit) struct buf note = BUF_INIT;

	buf_printf(&note,
		   "%s has less than 10 I/Os beyond it: it says little of the "
		   "tail",
		   name);
	add_note(ds, buf_str(&note));
}

static void refuse_figure(struct dataset *ds, size_t row, uint32_t metric,
			  const char *why)
{
	CLEANUP(buf_deinit) struct buf note = BUF_INIT;
	const struct dataset_metric *dm = &ds->metrics[metric];

	buf_printf(&note, "%s %s: no figure", dm->name, why);
	add_note(ds, buf_str(&note));
	dataset_set_value(ds, row, metric, NO_FIGURE);
}

// Which of two is right nobody knows, nor what another unit would make of it.
static void set_figure(struct dataset *ds, size_t row, uint32_t metric,
		       const struct metric *m)
{
	CLEANUP(buf_deinit) struct buf why = BUF_INIT;
	struct dataset_metric *dm = &ds->metrics[metric];
	bool twice = dm->given == row + 1;

	dm->given = row + 1;
	if (twice) {
		refuse_figure(ds, row, metric, "is there more than once");
	} else if (dm->mixed && !dataset_is_like(dm, m)) {
		buf_printf(&why,
			   "is in \"%s\" (%s is better), not in \"%s\" (%s)",
			   m->unit, better_name(m->better), dm->unit,
			   better_name(dm->better));
		refuse_figure(ds, row, metric, buf_str(&why));
	} else {
		dataset_set_value(ds, row, metric, m->value);
	}
}

static int add_metrics(struct dataset *ds, size_t row, const struct result *r,
		       struct err *e)
{
	for (size_t i = 0; i < r->nmetrics; i++) {
		uint32_t m;

		if (thin_percentile(r, &r->metrics[i]))
			doubt_percentile(ds, r->metrics[i].name);

		if (dataset_add_metric(ds, &r->metrics[i], &m, e) != 0)
			return -1;
		set_figure(ds, row, m, &r->metrics[i]);
	}
	return 0;
}

// The earlier attempt of this row leaves the counts, and is listed as retried.
static void retire(struct dataset *ds, size_t row)
{
	ds->count[ds->outcome[row]]--;
	ds->nretried++;
	for (size_t i = ds->nfailures; i-- > 0;) {
		struct dataset_failure *f = &ds->failures[i];

		if (f->trial == ds->trial[row] &&
		    f->attempt == ds->attempt[row]) {
			f->retried = true;
			break;
		}
	}
	for (size_t m = 0; m < ds->nmetrics; m++) {
		ds->values[m][row] = NO_FIGURE;
		ds->metrics[m].given = 0;
	}
	if (ds->outcome[row] == OUTCOME_OK)
		trial_hists_drop(&ds->hists, (uint32_t)row);
}

static int row_for_record(struct dataset *ds, const struct dataset_trial *t,
			  size_t *row, struct err *e)
{
	uint32_t *slot;

	if (t->trial >= DATASET_TRIALS_MAX)
		return err_set(e, ERR_STORE, "trial %u: ids end at %d",
			       t->trial, DATASET_TRIALS_MAX);
	ds->row_of_trial =
		xgrow(ds->row_of_trial, &ds->row_of_trial_cap,
		      (size_t)t->trial + 1, sizeof *ds->row_of_trial);
	slot = &ds->row_of_trial[t->trial];
	if (*slot != 0) {
		*row = *slot - 1;
		retire(ds, *row);
		dataset_store_trial(ds, *row, t);
		return 0;
	}
	if (dataset_add_trial(ds, t, row, e) != 0)
		return -1;
	*slot = (uint32_t)*row + 1;
	return 0;
}

// Was this attempt, or a later one, there before?
static bool is_repeated(const struct dataset *ds, const struct record *r)
{
	uint32_t slot = r->trial < ds->row_of_trial_cap
				? ds->row_of_trial[r->trial]
				: 0;

	return slot != 0 && ds->attempt[slot - 1] >= r->attempt;
}

// The journal is in order of execution on each host.
static struct dataset_trial trial_of(const struct dataset *ds,
				     const struct record *r, uint32_t cell)
{
	return (struct dataset_trial){
		.cell = cell,
		.trial = r->trial,
		.attempt = r->attempt,
		.host = r->host,
		.metric = DATASET_NONE,
		.block = r->block,
		.boot = (uint64_t)r->boot << 32 | r->boot_attempt,
		.order = (double)(ds->ntrials + ds->nretried),
		.outcome = r->result->outcome,
		.reason = r->result->reason,
		.stage = r->result->stage,
	};
}

static void add_result_extras(struct dataset *ds, const struct result *r)
{
	for (size_t i = 0; i < r->nchecks; i++)
		add_check(ds, &r->checks[i]);
	for (size_t i = 0; i < r->nnotes; i++)
		add_note(ds, r->notes[i]);
}

static void widen(struct dataset_cell *c, int64_t wall_ns)
{
	if (c->first_ns == 0 || wall_ns < c->first_ns)
		c->first_ns = wall_ns;
	c->last_ns = MAX(c->last_ns, wall_ns);
}

int dataset_add_record(struct dataset *ds, const struct record *r,
		       struct err *e)
{
	struct dataset_trial t;
	uint32_t cell;
	size_t row;

	if (r->event != RECORD_FINISHED)
		return 0;
	if (r->block < ds->warmup_rounds) {
		ds->nwarmup++;
		return 0;
	}
	if (is_repeated(ds, r)) {
		ds->nrepeated++;
		return 0;
	}
	if (dataset_cell_of(ds, r, &cell, e) != 0)
		return -1;
	t = trial_of(ds, r, cell);
	if (row_for_record(ds, &t, &row, e) != 0)
		return -1;
	widen(&ds->cells[cell], r->wall_ns);
	add_result_extras(ds, r->result);
	// An invalid trial's figures are those of another treatment.
	if (r->result->outcome != OUTCOME_OK)
		return 0;
	cell_facts_add(&ds->facts, cell, r->result->facts);
	if (trial_hists_add(&ds->hists, ds->arena, (uint32_t)row,
			    r->result->hists) > 0)
		add_note(ds, "a latency histogram could not be read");
	return add_metrics(ds, row, r->result, e);
}
