#include "runner/campaign/across.h"

#include <math.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/campaign/environment.h"
#include "runner/campaign/journal.h"

static const struct plan_cell *find_cell(const struct plan *p,
					 const struct plan_cell *like)
{
	for (size_t i = 0; i < p->ncells; i++) {
		if (levels_equal(p->cells[i].levels, p->cells[i].nlevels,
				 like->levels, like->nlevels))
			return &p->cells[i];
	}
	return NULL;
}

// --- what can be compared at all ---

static bool has_metric(const struct plan *p, const char *name)
{
	for (size_t i = 0; i < p->nmetrics; i++) {
		if (strcmp(p->metrics[i], name) == 0)
			return true;
	}
	return false;
}

static int check_figures(const struct across_part *a,
			 const struct across_part *b, const char *name,
			 struct err *e)
{
	const struct dataset *da = a->results->ds, *db = b->results->ds;
	uint32_t ia = dataset_find_metric(da, name);
	uint32_t ib = dataset_find_metric(db, name);
	const struct dataset_metric *ma, *mb;

	if (ia == DATASET_NONE || ib == DATASET_NONE)
		return err_set(e, ERR_USAGE, "%s: no trial has a figure of %s",
			       ia == DATASET_NONE ? a->name : b->name, name);
	ma = &da->metrics[ia];
	mb = &db->metrics[ib];
	if (strcmp(ma->unit, mb->unit) != 0)
		return err_set(e, ERR_USAGE,
			       "%s: %s is in \"%s\", but in \"%s\" in %s: only "
			       "figures of one unit can be compared",
			       b->name, name, mb->unit, ma->unit, a->name);
	if (ma->better != mb->better)
		return err_set(e, ERR_USAGE,
			       "%s: of %s \"%s\" is better, but \"%s\" in %s",
			       b->name, name, better_name(mb->better),
			       better_name(ma->better), a->name);
	return 0;
}

static int check_metrics(const struct across_part *a,
			 const struct across_part *b, struct err *e)
{
	const struct plan *pa = a->results->plan, *pb = b->results->plan;

	for (size_t i = 0; i < pa->nmetrics; i++) {
		if (!has_metric(pb, pa->metrics[i]))
			return err_set(e, ERR_USAGE,
				       "%s: its metric is %s, not %s as in %s: "
				       "there is nothing to compare",
				       b->name, pb->metrics[0], pa->metrics[i],
				       a->name);
		if (check_figures(a, b, pa->metrics[i], e) < 0)
			return -1;
	}
	return 0;
}

static int check_factors(const struct across_part *p, struct err *e)
{
	const struct plan_cell *c = &p->results->plan->cells[0];

	for (size_t i = 0; i < c->nlevels; i++) {
		if (strcmp(c->levels[i].factor, ACROSS_FACTOR) == 0)
			return err_set(e, ERR_USAGE,
				       "%s: it has a factor \"" ACROSS_FACTOR
				       "\" of its own",
				       p->name);
	}
	return 0;
}

// Also by another path, or as a copy: its trials would count twice.
static bool is_same(const struct across_part *a, const struct across_part *b)
{
	const struct results *ra = a->results, *rb = b->results;

	return strcmp(ra->plan->id, rb->plan->id) == 0 &&
	       (ra->first_wall_ns != 0 || plan_is_imported(ra->plan)) &&
	       ra->first_wall_ns == rb->first_wall_ns;
}

static int check_twice(const struct across_part *parts, size_t i, struct err *e)
{
	for (size_t k = 0; k < i; k++) {
		if (is_same(&parts[i], &parts[k]))
			return err_set(e, ERR_USAGE,
				       "%s: it is the same campaign as %s",
				       parts[i].name, parts[k].name);
	}
	return 0;
}

int across_check(const struct across_part *parts, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		if (check_twice(parts, i, e) < 0 ||
		    check_factors(&parts[i], e) < 0 ||
		    check_metrics(&parts[0], &parts[i], e) < 0)
			return -1;
	}
	return 0;
}

// --- what else differs ---

static bool has_host(const struct plan *p, const char *name)
{
	for (size_t i = 0; i < p->nhosts; i++) {
		if (strcmp(p->hosts[i], name) == 0)
			return true;
	}
	return false;
}

static void list_hosts(const struct plan *p, struct buf *out)
{
	for (size_t i = 0; i < p->nhosts; i++)
		buf_printf(out, "%s%s", i > 0 ? ", " : "", p->hosts[i]);
}

static bool same_hosts(const struct plan *a, const struct plan *b)
{
	for (size_t i = 0; i < a->nhosts; i++) {
		if (!has_host(b, a->hosts[i]))
			return false;
	}
	return a->nhosts == b->nhosts;
}

static void note_hosts(const struct across_part *a, const struct across_part *b,
		       struct strv *notes)
{
	CLEANUP(buf_deinit) struct buf ran_a = BUF_INIT;
	CLEANUP(buf_deinit) struct buf ran_b = BUF_INIT;

	if (same_hosts(a->results->plan, b->results->plan))
		return;
	list_hosts(a->results->plan, &ran_a);
	list_hosts(b->results->plan, &ran_b);
	strv_addf(notes,
		  "%s ran on %s, %s on %s: the comparison is also one of hosts",
		  a->name, buf_str(&ran_a), b->name, buf_str(&ran_b));
}

static void print_fact(const struct js *value, struct buf *out)
{
	if (js_kind(value) == JS_STRING)
		buf_puts(out, js_str(value));
	else
		js_print(value, out);
}

static void note_fact(const struct across_part *a, const struct across_part *b,
		      const char *host, const char *fact, struct strv *notes)
{
	const struct js *va =
		js_get(js_get(a->results->environment, host), fact);
	const struct js *vb =
		js_get(js_get(b->results->environment, host), fact);
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	if (va == NULL || vb == NULL || js_equal(va, vb))
		return;
	buf_printf(&text, "%s: %s was ", host, fact);
	print_fact(va, &text);
	buf_printf(&text, " in %s, but ", a->name);
	print_fact(vb, &text);
	buf_printf(&text, " in %s: the comparison is also one of it", b->name);
	strv_add(notes, buf_str(&text));
}

void across_confounds(const struct across_part *parts, size_t n,
		      struct strv *notes)
{
	const struct plan *first = parts[0].results->plan;

	for (size_t i = 1; i < n; i++) {
		note_hosts(&parts[0], &parts[i], notes);
		for (size_t h = 0; h < first->nhosts; h++)
			for (const char *const *f = environment_steady; *f; f++)
				note_fact(&parts[0], &parts[i], first->hosts[h],
					  *f, notes);
	}
}

// --- the anchor ---

// None, or the same.
static bool same_object(const struct js *a, const struct js *b)
{
	return js_len(a) == 0 ? js_len(b) == 0 : js_equal(a, b);
}

static bool same_settings(const struct plan_cell *a, const struct plan_cell *b)
{
	return same_object(a->host, b->host) && same_object(a->vars, b->vars) &&
	       js_equal(a->vm, b->vm) && js_equal(a->workloads, b->workloads);
}

static bool is_shared(const struct across_part *parts, size_t n,
		      const struct plan_cell *c)
{
	if (js_get(c->vm, PLAN_IMPORTED) != NULL)
		return false; // nobody knows its settings
	for (size_t i = 1; i < n; i++) {
		const struct plan_cell *o =
			find_cell(parts[i].results->plan, c);

		if (o == NULL || !same_settings(o, c))
			return false;
	}
	return true;
}

const struct plan_cell *across_anchor(const struct across_part *parts, size_t n)
{
	const struct plan *p = parts[0].results->plan;
	const struct plan_cell *shared = NULL;

	for (size_t i = 0; i < p->ncells; i++) {
		const struct plan_cell *c = &p->cells[i];

		if (!is_shared(parts, n, c))
			continue;
		if (plan_is_baseline(p, c))
			return c;
		if (shared == NULL)
			shared = c;
	}
	return shared;
}

// The anchor's figures of one metric in one campaign, by round and host.
struct anchor_figures {
	double *sum;
	size_t *n;
};

struct anchored {
	const struct dataset *ds;  // the campaign's own
	struct anchor_figures *of; // by metric
	uint32_t cell;
	size_t rounds;
};

static void anchored_deinit(struct anchored *a)
{
	for (size_t m = 0; a->of != NULL && m < a->ds->nmetrics; m++) {
		free(a->of[m].sum);
		free(a->of[m].n);
	}
	free(a->of);
}

static size_t place_of(const struct anchored *a, uint32_t host, uint32_t block)
{
	return host * a->rounds + block;
}

static void sum_metric(struct anchored *a, uint32_t m)
{
	const struct dataset *ds = a->ds;
	struct anchor_figures *f = &a->of[m];

	f->sum = xcalloc(ds->hosts.n * a->rounds, sizeof(*f->sum));
	f->n = xcalloc(ds->hosts.n * a->rounds, sizeof(*f->n));
	for (size_t t = 0; t < ds->ntrials; t++) {
		size_t at = place_of(a, ds->host[t], ds->block[t]);

		if (ds->cell[t] != a->cell || !isfinite(ds->values[m][t]))
			continue;
		f->sum[at] += ds->values[m][t];
		f->n[at]++;
	}
}

static void anchored_init(struct anchored *a, const struct results *r,
			  const struct plan_cell *anchor)
{
	const struct plan *p = r->plan;

	a->ds = r->ds;
	a->cell = dataset_find_cell(r->ds, anchor->levels, anchor->nlevels);
	a->rounds = (size_t)p->rounds + p->warmup_rounds;
	a->of = xcalloc(r->ds->nmetrics, sizeof(*a->of));
	for (uint32_t m = 0; m < r->ds->nmetrics; m++)
		sum_metric(a, m);
}

// NaN: the anchor has no figure there.
static double anchor_mean(const struct anchored *a, const struct record *r,
			  const char *metric)
{
	uint32_t m = dataset_find_metric(a->ds, metric);
	uint32_t host = intern_find(&a->ds->hosts, r->host, strlen(r->host));
	size_t at;

	if (m == DATASET_NONE || host == INTERN_NONE || r->block >= a->rounds)
		return (double)NAN;
	at = place_of(a, host, r->block);
	return a->of[m].sum[at] / (double)a->of[m].n[at];
}

// `result` belongs to the caller, its metrics do not.
static void take_ratios(const struct anchored *a, const struct record *r,
			struct arena *arena, struct result *result)
{
	struct metric *m = arena_array(arena, result->nmetrics, sizeof(*m));
	bool any = false;

	for (size_t i = 0; i < result->nmetrics; i++) {
		m[i] = result->metrics[i];
		m[i].value /= anchor_mean(a, r, m[i].name);
		m[i].unit = "1";
		any |= isfinite(m[i].value);
	}
	result->metrics = m;
	if (any || result->outcome != OUTCOME_OK)
		return;
	result->outcome = OUTCOME_INVALID;
	result->reason = "the anchor has no figure in its round";
}

// --- the dataset ---

// What keeps trials, boots and rounds of campaigns apart.
struct filling {
	struct dataset *ds;
	const struct across_part *part;
	const struct anchored *anchored; // NULL: figures as they are
	uint32_t first_trial, first_boot, first_block;
};

static bool is_left_out(const struct filling *f, const struct record *r)
{
	const struct dataset *own = f->part->results->ds;

	return r->event != RECORD_FINISHED ||
	       r->block < f->part->results->plan->warmup_rounds ||
	       (f->anchored != NULL &&
		dataset_find_cell(own, r->levels, r->nlevels) ==
			f->anchored->cell);
}

static int add_record(void *arg, const struct record *from, struct err *e)
{
	const struct filling *f = arg;
	CLEANUP(arena_freep) struct arena *a = NULL;
	struct record r = *from;
	struct result result;

	if (is_left_out(f, from))
		return 0;
	a = arena_new();
	result = *from->result;
	r.trial += f->first_trial;
	r.boot += f->first_boot;
	r.block += f->first_block;
	r.nlevels = from->nlevels + 1;
	r.levels = arena_array(a, r.nlevels, sizeof(*r.levels));
	for (size_t i = 0; i < from->nlevels; i++)
		r.levels[i] = from->levels[i];
	r.levels[from->nlevels] =
		(struct level){ ACROSS_FACTOR, f->part->name };
	if (f->anchored != NULL)
		take_ratios(f->anchored, from, a, &result);
	r.result = &result;
	return dataset_add_record(f->ds, &r, e);
}

static int add_part(struct filling *f, struct err *e)
{
	return journal_each(f->part->results->trials, add_record, f, e);
}

// As a share of its campaign, so that the campaigns lie side by side: against
// the anchor it does not matter which came first.
static void align_order(struct dataset *ds, size_t first_row)
{
	double n = (double)(ds->ntrials - first_row), first;

	if (ds->ntrials == first_row)
		return;
	first = ds->order[first_row];
	for (size_t t = first_row; t < ds->ntrials; t++)
		ds->order[t] = (ds->order[t] - first) / n;
}

static int fill_part(struct filling *f, const struct plan_cell *anchor,
		     struct err *e)
{
	CLEANUP(anchored_deinit) struct anchored a = { 0 };
	size_t first_row = f->ds->ntrials;
	int rc;

	if (anchor == NULL)
		return add_part(f, e);
	anchored_init(&a, f->part->results, anchor);
	f->anchored = &a;
	rc = add_part(f, e);
	f->anchored = NULL;
	align_order(f->ds, first_row);
	return rc;
}

int across_fill(const struct across_part *parts, size_t n,
		const struct plan_cell *anchor, struct dataset *ds,
		struct err *e)
{
	struct filling f = { .ds = ds };

	for (size_t i = 0; i < n; i++) {
		const struct plan *p = parts[i].results->plan;

		f.part = &parts[i];
		if (fill_part(&f, anchor, e) < 0)
			return -1;
		f.first_trial += (uint32_t)p->ntrials;
		f.first_boot += (uint32_t)p->ntrials;
		f.first_block += p->rounds + p->warmup_rounds;
	}
	return 0;
}
