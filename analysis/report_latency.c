#include "analysis/report_latency.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare_parts.h"
#include "analysis/report_parts.h"
#include "analysis/words.h"
#include "runner/base/alloc.h"

enum {
	DRAWS = 200, // of rounds, for the interval of a pooled percentile
	NAMES_MAX = 8,
};

static const char *const ends[REPORT_LATENCY_PERCENTILES] = {
	"_p50",
	"_p90",
	"_p99",
	"_p999",
};

const double report_latency_percentiles[REPORT_LATENCY_PERCENTILES] = {
	50,
	90,
	99,
	99.9,
};

// "block.lat" of "block.lat_p50"; 0 for what is no median of latencies.
static size_t name_len(const char *metric)
{
	size_t len = strlen(metric), end = strlen(ends[0]);

	if (len <= end || strcmp(metric + len - end, ends[0]) != 0)
		return 0;
	len -= end;
	return len >= 3 && memcmp(metric + len - 3, "lat", 3) == 0 ? len : 0;
}

static uint32_t metric_of(const struct dataset *ds, const char *name, size_t p)
{
	CLEANUP(buf_deinit) struct buf full = BUF_INIT;

	buf_printf(&full, "%s%s", name, ends[p]);
	return dataset_find_metric(ds, buf_str(&full));
}

// --- pooled ---

struct pool {
	const struct trial_hist **items; // of one cell, by round
	size_t n;
	struct latency_round *rounds;
	size_t nrounds;
	struct latency_bin *bins;
	double count, least; // completions in all, and in the poorest trial
};

static void pool_deinit(struct pool *p)
{
	free(p->items);
	free(p->rounds);
	free(p->bins);
}

static int by_round(const void *a, const void *b, void *ctx)
{
	const struct dataset *ds = ctx;
	const struct trial_hist *x = *(const struct trial_hist *const *)a;
	const struct trial_hist *y = *(const struct trial_hist *const *)b;

	if (ds->host[x->row] != ds->host[y->row])
		return ds->host[x->row] < ds->host[y->row] ? -1 : 1;
	if (ds->block[x->row] != ds->block[y->row])
		return ds->block[x->row] < ds->block[y->row] ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

// Without rounds each trial stands for itself.
static bool is_same_round(const struct dataset *ds, uint32_t a, uint32_t b)
{
	return ds->block[a] != DATASET_NONE && ds->block[a] == ds->block[b] &&
	       ds->host[a] == ds->host[b];
}

static size_t pick(const struct dataset *ds, uint32_t name, uint32_t cell,
		   struct pool *p)
{
	size_t cap = 0, nbins = 0;

	p->least = INFINITY;
	for (size_t i = 0; i < ds->hists.n; i++) {
		const struct trial_hist *h = &ds->hists.items[i];

		if (h->name != name || !(h->count > 0) ||
		    ds->cell[h->row] != cell)
			continue;
		p->items = xgrow(p->items, &cap, p->n + 1, sizeof(*p->items));
		p->items[p->n++] = h;
		p->count += h->count;
		p->least = fmin(p->least, h->count);
		nbins += h->n;
	}
	return nbins;
}

static void fill_rounds(const struct dataset *ds, size_t nbins, struct pool *p)
{
	size_t used = 0;

	p->bins = xcalloc(nbins + 1, sizeof(*p->bins));
	p->rounds = xcalloc(p->n + 1, sizeof(*p->rounds));
	for (size_t i = 0; i < p->n; i++) {
		const struct trial_hist *h = p->items[i];

		if (i == 0 || !is_same_round(ds, p->items[i - 1]->row, h->row))
			p->rounds[p->nrounds++].bins = p->bins + used;
		for (size_t b = 0; b < h->n; b++)
			p->bins[used++] = h->bins[b];
		p->rounds[p->nrounds - 1].n += h->n;
	}
}

static void pool_fill(struct pool *p, const struct dataset *ds,
		      const char *name, uint32_t cell)
{
	uint32_t id = intern_find(&ds->hists.names, name, strlen(name));
	size_t nbins;

	if (id == INTERN_NONE)
		return;
	nbins = pick(ds, id, cell, p);
	if (p->n == 0)
		return;
	qsort_r(p->items, p->n, sizeof(*p->items), by_round,
		(void *)(uintptr_t)ds);
	fill_rounds(ds, nbins, p);
}

// --- cells ---

struct reader {
	struct compare_ctx cx;
	enum report_latency_pooling pooling;
	struct arena *arena;
};

static struct latency_pooled pooled(const struct reader *rd,
				    const struct pool *pool, double p)
{
	struct latency_pooled none = { NO_FIGURE, NO_FIGURE, NO_FIGURE };

	// With a histogram missing it would be of some trials only.
	if (pool->n == 0 || rd->cx.ds->hists.left_out > 0 ||
	    !latency_supported(pool->count, p))
		return none;
	return latency_pooled(pool->rounds, pool->nrounds, p, rd->cx.conf,
			      rd->pooling == REPORT_LATENCY_INTERVALS ? DRAWS
								      : 0);
}

static struct interval_mean mean(const struct reader *rd,
				 const struct pool *pool, uint32_t metric,
				 uint32_t cell, double p)
{
	if (metric == DATASET_NONE ||
	    (pool->n > 0 && !latency_supported(pool->least, p)))
		return (struct interval_mean){ .mean = NO_FIGURE,
					       .lo = NO_FIGURE,
					       .hi = NO_FIGURE };
	return compare_describe_cell(&rd->cx, metric, cell).mean;
}

static void fill(const struct reader *rd, const char *name, uint32_t cell,
		 struct report_latency_cell *c)
{
	CLEANUP(pool_deinit) struct pool pool = { 0 };

	pool_fill(&pool, rd->cx.ds, name, cell);
	c->cell = cell;
	c->completions = pool.n > 0 ? pool.count : NO_FIGURE;
	for (size_t i = 0; i < REPORT_LATENCY_PERCENTILES; i++) {
		double p = report_latency_percentiles[i];

		c->mean[i] =
			mean(rd, &pool, metric_of(rd->cx.ds, name, i), cell, p);
		c->pooled[i] = pooled(rd, &pool, p);
	}
}

static void add_name(const struct reader *rd,
		     const struct dataset_metric *median,
		     struct report_latency *to)
{
	size_t ncells = rd->cx.ds->ncells;
	struct report_latency_cell *cells =
		arena_array(rd->arena, ncells, sizeof(*cells));

	to->name =
		arena_strndup(rd->arena, median->name, name_len(median->name));
	to->unit = median->unit;
	to->cells = cells;
	for (uint32_t c = 0; c < ncells; c++)
		fill(rd, to->name, c, &cells[c]);
}

size_t report_latency(const struct report *r, enum report_latency_pooling pool,
		      struct arena *a, const struct report_latency **out)
{
	CLEANUP(arms_index_deinit) struct arms_index ix = { 0 };
	struct report_latency *all = arena_array(a, NAMES_MAX, sizeof(*all));
	struct reader rd = { .cx = { .ds = r->ds, .conf = 1 - r->an->alpha },
			     .pooling = pool,
			     .arena = a };
	struct err e;
	size_t n = 0;

	*out = all;
	// It was made once already, when the analysis was.
	if (arms_index_init(&ix, r->ds, &e) != 0)
		return 0;
	rd.cx.ix = ix;
	for (size_t m = 0; m < r->ds->nmetrics && n < NAMES_MAX; m++)
		if (name_len(r->ds->metrics[m].name) > 0)
			add_name(&rd, &r->ds->metrics[m], &all[n++]);
	return n;
}

// --- the table ---

static void add_figure(struct report_table *t, double x)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;

	words_figure(x, &b);
	report_table_take(t, &b);
}

static void add_range(struct report_table *t, double lo, double hi)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;

	words_range(lo, hi, &b);
	report_table_take(t, &b);
}

static void add_row(struct report_table *t, const struct report *r,
		    const struct report_latency *l, size_t cell, size_t i)
{
	const struct report_latency_cell *c = &l->cells[cell];
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;

	words_cell(r->an, c->cell, &b);
	report_table_take(t, &b);
	report_table_add(t, arena_printf(t->arena, "%s p%.4g", l->name,
					 report_latency_percentiles[i]));
	add_figure(t, c->mean[i].mean);
	add_range(t, c->mean[i].lo, c->mean[i].hi);
	add_figure(t, c->pooled[i].value);
	add_range(t, c->pooled[i].lo, c->pooled[i].hi);
	add_figure(t, c->completions);
}

void report_table_latency(const struct report *r, struct report_table *t)
{
	static const struct report_column columns[] = {
		{ "cell", false },
		{ "percentile", false },
		{ "mean of trials", true },
		{ "interval of mean", true },
		{ "all trials pooled", true },
		{ "rounds resampled", true },
		{ "completions", true },
	};
	const struct report_latency *all;
	size_t n = report_latency(r, REPORT_LATENCY_INTERVALS, t->arena, &all);

	t->columns = columns;
	t->ncolumns = ARRAY_LEN(columns);
	for (size_t l = 0; l < n; l++)
		for (size_t c = 0; c < r->ds->ncells; c++)
			for (size_t i = 0; i < REPORT_LATENCY_PERCENTILES; i++)
				add_row(t, r, &all[l], c, i);
}
