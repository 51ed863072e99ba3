// The tables of a report, as texts; renderers lay them out.
#include "analysis/report_parts.h"

#include <math.h>
#include <string.h>

#include "analysis/words.h"

enum {
	FAILURES_SHOWN = 50,
};

void report_table_init(struct report_table *t, struct arena *a,
		       const struct report_column *columns, size_t ncolumns)
{
	*t = (struct report_table){ .arena = a,
				    .columns = columns,
				    .ncolumns = ncolumns };
}

void report_table_add(struct report_table *t, const char *text)
{
	arena_push(t->arena, &t->text, &t->ntext, &t->cap, sizeof *t->text);
	t->text[t->ntext - 1] = report_clean(t->arena, text);
}

void report_table_take(struct report_table *t, struct buf *b)
{
	report_table_add(t, b->len > 0 ? buf_str(b) : "-");
	buf_clear(b);
}

static void add_count(struct report_table *t, size_t n)
{
	report_table_add(t, arena_printf(t->arena, "%zu", n));
}

static void add_figure(struct report_table *t, double x)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;

	words_figure(x, &b);
	report_table_take(t, &b);
}

static void add_p(struct report_table *t, double p)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;

	words_p(p, &b);
	report_table_take(t, &b);
}

static void add_percent(struct report_table *t, double ratio)
{
	report_table_add(t, isfinite(ratio) ? arena_printf(t->arena, "%.2f %%",
							   100 * ratio)
					    : "-");
}

static void add_range(struct report_table *t, double lo, double hi)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;

	words_range(lo, hi, &b);
	report_table_take(t, &b);
}

// "block.iops, backing=4k on lab3": no more than tells the rows apart.
static void add_cell_name(struct report_table *t, const struct report *r,
			  const struct analysis_cell *c)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;

	if (r->an->nmetrics > 1)
		buf_printf(&b, "%s, ", r->ds->metrics[c->metric].name);
	words_cell(r->an, c->cell, &b);
	if (c->host != DATASET_NONE && r->ds->hosts.n > 1)
		buf_printf(&b, " on %s", intern_name(&r->ds->hosts, c->host));
	report_table_take(t, &b);
}

static void add_cell(struct report_table *t, const struct report *r,
		     const struct analysis_cell *c)
{
	add_cell_name(t, r, c);
	add_count(t, c->n);
	add_count(t, c->failed + c->invalid);
	add_figure(t, c->d.mean);
	add_range(t, c->mean.lo, c->mean.hi);
	add_figure(t, c->d.median);
	add_percent(t, c->d.cv);
}

void report_table_cells(const struct report *r, struct report_table *t)
{
	static const struct report_column columns[] = {
		{ "cell", false },
		{ "n", true },
		{ "lost", true },
		{ "mean", true },
		{ "interval of mean", true },
		{ "median", true },
		{ "CV", true },
	};
	const struct analysis *an = r->an;

	t->columns = columns;
	t->ncolumns = ARRAY_LEN(columns);
	for (size_t i = 0; i < an->ncells; i++) {
		add_cell(t, r, &an->cells[i]);
		for (size_t h = 0; h < r->ds->hosts.n && an->nhost_cells > 0;
		     h++)
			add_cell(t, r, &an->host_cells[i * r->ds->hosts.n + h]);
	}
}

static void add_effect(struct report_table *t, const struct effect *e)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;

	words_pct(e->pct, &b);
	report_table_take(t, &b);
	words_interval(e->lo_pct, e->hi_pct, &b);
	report_table_take(t, &b);
}

static void add_comparison(struct report_table *t, const struct report *r,
			   const struct analysis_comparison *c)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;

	words_comparison(r->an, c, &b);
	report_table_take(t, &b);
	add_effect(t, &c->effect);
	add_p(t, c->welch.p);
	add_p(t, c->effect.p);
	add_p(t, c->p_holm);
	add_p(t, c->p_eq_holm);
	words_verdict(r->an, c, &b);
	if (c->verdict.beyond_margin)
		buf_puts(&b, ", beyond margin");
	if (c->verdict.detectable)
		buf_puts(&b, ", detectable");
	report_table_take(t, &b);
}

void report_table_comparisons(const struct report *r, struct report_table *t)
{
	static const struct report_column columns[] = {
		{ "against the baseline", false },
		{ "effect", true },
		{ "interval", true },
		{ "Welch p", true },
		{ "p", true },
		{ "Holm", true },
		{ "p equal", true },
		{ "verdict", false },
	};

	t->columns = columns;
	t->ncolumns = ARRAY_LEN(columns);
	for (size_t i = 0; i < r->an->ncomparisons; i++)
		add_comparison(t, r, &r->an->comparisons[i]);
}

static void add_scope(struct report_table *t, const struct report *r,
		      const struct analysis_comparison *c, const char *scope)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;

	words_comparison(r->an, c, &b);
	report_table_take(t, &b);
	report_table_add(t, scope);
}

static void add_hosts(struct report_table *t, const struct report *r,
		      const struct analysis_comparison *c)
{
	for (size_t i = 0; i < c->nhosts; i++) {
		const struct analysis_host *h = &c->hosts[i];

		add_scope(t, r, c, intern_name(&r->ds->hosts, h->host));
		add_count(t, h->n);
		add_effect(t, &h->effect);
		add_p(t, h->effect.p);
	}
	add_scope(t, r, c, "these hosts");
	add_count(t, c->n);
	add_effect(t, &c->effect);
	add_p(t, c->effect.p);
	add_scope(t, r, c,
		  c->population.k == 2 ? "hosts like these (df = 1)"
				       : "hosts like these");
	add_count(t, c->population.k);
	add_effect(t, &c->population.effect);
	add_p(t, c->population.effect.p);
}

void report_table_hosts(const struct report *r, struct report_table *t)
{
	static const struct report_column columns[] = {
		{ "against the baseline", false },
		{ "host", false },
		{ "n", true },
		{ "effect", true },
		{ "interval", true },
		{ "p", true },
	};

	t->columns = columns;
	t->ncolumns = ARRAY_LEN(columns);
	for (size_t i = 0; i < r->an->ncomparisons; i++)
		if (r->an->comparisons[i].nhosts > 1)
			add_hosts(t, r, &r->an->comparisons[i]);
}

void report_table_checks(const struct report *r, struct report_table *t)
{
	static const struct report_column columns[] = {
		{ "parameter", false },
		{ "took effect", true },
		{ "did not", true },
		{ "could not be read", true },
	};

	t->columns = columns;
	t->ncolumns = ARRAY_LEN(columns);
	for (size_t i = 0; i < r->ds->nchecks; i++) {
		const struct dataset_check *c = &r->ds->checks[i];

		report_table_add(t, c->parameter);
		add_count(t, c->count[CHECK_OK]);
		add_count(t, c->count[CHECK_FAILED]);
		add_count(t, c->count[CHECK_UNVERIFIED]);
	}
}

static void add_failure(struct report_table *t, const struct dataset *ds,
			const struct dataset_failure *f)
{
	char name[16];

	report_table_add(t, arena_printf(t->arena, "%u", f->trial));
	report_table_add(t, ds->cells[f->cell].label);
	report_table_add(t, intern_name(&ds->hosts, f->host));
	report_table_add(t, dataset_block_name(ds, f->block, name));
	report_table_add(t, f->retried ? arena_printf(t->arena, "%s, repeated",
						      outcome_name(f->outcome))
				       : outcome_name(f->outcome));
	report_table_add(t, f->stage != NULL
				    ? arena_printf(t->arena, "%s (in %s)",
						   f->reason, f->stage)
				    : f->reason);
}

void report_table_failures(const struct report *r, struct report_table *t)
{
	static const struct report_column columns[] = {
		{ "trial", true },  { "cell", false },	  { "host", false },
		{ "round", false }, { "outcome", false }, { "reason", false },
	};

	t->columns = columns;
	t->ncolumns = ARRAY_LEN(columns);
	for (size_t i = 0; i < r->ds->nfailures && i < FAILURES_SHOWN; i++)
		add_failure(t, r->ds, &r->ds->failures[i]);
}
