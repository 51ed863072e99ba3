#include "analysis/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare_parts.h"
#include "analysis/multiplicity.h"
#include "runner/base/alloc.h"
#include "runner/base/buf.h"

enum {
	LISTED_MAX = 20, // cells or names in one message
};

void analysis_free(struct analysis *an)
{
	struct arena *a = an != NULL ? an->arena : NULL;

	arena_free(a); // `an` lies in it
}

void analysis_freep(struct analysis **an)
{
	analysis_free(*an);
}

// "where=vm, backing=4k"
static const char *levels_text(struct buf *out, const struct level *l, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_printf(out, "%s%s=%s", i > 0 ? ", " : "", l[i].factor,
			   l[i].text);
	return buf_str(out);
}

static const char *cells_text(struct buf *out, const struct dataset *ds)
{
	size_t n = MIN(ds->ncells, (size_t)LISTED_MAX);

	for (size_t i = 0; i < n; i++)
		buf_printf(out, "%s%s", i > 0 ? "; " : "", ds->cells[i].label);
	if (n < ds->ncells)
		buf_printf(out, "; and %zu more", ds->ncells - n);
	return buf_str(out);
}

static bool has_level(const struct dataset_cell *c, const struct level *l)
{
	const char *text = dataset_level(c, l->factor);

	return text != NULL && strcmp(text, l->text) == 0;
}

static bool fits(const char *text, const char *want)
{
	return strcmp(text, want) == 0 || strcmp(text, LEVEL_ANY) == 0;
}

static bool is_baseline(const struct dataset_cell *c, const struct analysis *an)
{
	for (size_t i = 0; i < an->nbaseline; i++) {
		const struct level *want = &an->baseline[i];
		const char *text = dataset_level(c, want->factor);

		if (text == NULL || !fits(text, want->text))
			return false;
	}
	return true;
}

static int check_level(const struct dataset *ds, const struct level *l,
		       struct err *e)
{
	CLEANUP(buf_deinit) struct buf list = BUF_INIT;
	bool factor = false;

	for (size_t i = 0; i < ds->ncells; i++) {
		if (has_level(&ds->cells[i], l))
			return 0;
		factor |= dataset_level(&ds->cells[i], l->factor) != NULL;
	}
	if (!factor)
		return err_set(e, ERR_USAGE,
			       "baseline: \"%s\" is no factor; the cells are "
			       "%s",
			       l->factor, cells_text(&list, ds));
	return err_set(e, ERR_USAGE,
		       "baseline: no cell has %s=%s; the cells are %s",
		       l->factor, l->text, cells_text(&list, ds));
}

// Copies the baseline to the analysis: the one given, or the first cell.
static int resolve_baseline(const struct compare_ctx *cx, struct err *e)
{
	struct analysis *an = cx->an;
	const struct level *from = cx->spec->baseline;
	size_t n = cx->spec->nbaseline;

	an->baseline_given = n > 0;
	if (n == 0) {
		from = cx->ds->cells[0].levels;
		n = cx->ds->cells[0].nlevels;
	}
	an->baseline = arena_array(an->arena, n, sizeof *an->baseline);
	for (size_t i = 0; i < n; i++) {
		if (check_level(cx->ds, &from[i], e) != 0)
			return -1;
		an->baseline[i].factor =
			arena_strdup(an->arena, from[i].factor);
		an->baseline[i].text = arena_strdup(an->arena, from[i].text);
	}
	an->nbaseline = n;
	return 0;
}

static const char *baseline_text(const struct analysis *an,
				 const struct level *l)
{
	for (size_t i = 0; i < an->nbaseline; i++)
		if (strcmp(an->baseline[i].factor, l->factor) == 0)
			return an->baseline[i].text;
	return l->text;
}

static bool has_levels(const struct dataset_cell *c, const struct level *want)
{
	for (size_t i = 0; i < c->nlevels; i++)
		if (!fits(c->levels[i].text, want[i].text) &&
		    strcmp(want[i].text, LEVEL_ANY) != 0)
			return false;
	return true;
}

// The cell with the levels wanted or, where a factor has no effect, with
// LEVEL_ANY for one of them. Cells of a dataset have the same factors in the
// same order.
static uint32_t find_fitting(const struct dataset *ds, const struct level *want,
			     size_t n)
{
	uint32_t exact = dataset_find_cell(ds, want, n);

	for (uint32_t i = 0; exact == DATASET_NONE && i < ds->ncells; i++)
		if (has_levels(&ds->cells[i], want))
			return i;
	return exact;
}

// The cell that `cell` is compared with: baseline levels where the baseline
// has some, its own elsewhere. DATASET_NONE: there is none, or it is itself
// one.
static uint32_t partner(const struct compare_ctx *cx, uint32_t cell)
{
	const struct dataset_cell *c = &cx->ds->cells[cell];
	CLEANUP(cleanup_free) struct level *want = NULL;

	if (is_baseline(c, cx->an))
		return DATASET_NONE;
	want = xcalloc(c->nlevels, sizeof *want);
	for (size_t i = 0; i < c->nlevels; i++) {
		want[i].factor = c->levels[i].factor;
		want[i].text = baseline_text(cx->an, &c->levels[i]);
	}
	return find_fitting(cx->ds, want, c->nlevels);
}

static int no_pair(const struct compare_ctx *cx, struct err *e)
{
	CLEANUP(buf_deinit) struct buf base = BUF_INIT;
	CLEANUP(buf_deinit) struct buf cells = BUF_INIT;

	return err_set(e, ERR_USAGE,
		       "baseline: no cell differs from another only in having "
		       "%s; name more factors, or filter; the cells are %s",
		       levels_text(&base, cx->an->baseline, cx->an->nbaseline),
		       cells_text(&cells, cx->ds));
}

static int find_pairs(const struct compare_ctx *cx, struct err *e)
{
	struct analysis *an = cx->an;
	size_t ncells = cx->ds->ncells;

	an->comparisons = arena_array(an->arena, an->nmetrics * ncells,
				      sizeof *an->comparisons);
	for (size_t m = 0; m < an->nmetrics; m++) {
		for (uint32_t c = 0; c < ncells; c++) {
			uint32_t p = partner(cx, c);
			struct analysis_comparison *cmp =
				&an->comparisons[an->ncomparisons];

			if (p == DATASET_NONE || p == c)
				continue;
			cmp->cell = c;
			cmp->baseline = p;
			cmp->metric = an->metrics[m];
			an->ncomparisons++;
		}
	}
	if (an->ncomparisons == 0 && ncells > 1)
		return no_pair(cx, e);
	return 0;
}

static int unknown_metric(const struct dataset *ds, const char *name,
			  struct err *e)
{
	CLEANUP(buf_deinit) struct buf list = BUF_INIT;

	for (size_t i = 0; i < ds->nmetrics && i < LISTED_MAX; i++)
		buf_printf(&list, "%s%s", i > 0 ? ", " : "",
			   ds->metrics[i].name);
	return err_set(e, ERR_USAGE, "metric \"%s\": no trial has it; have %s",
		       name, ds->nmetrics > 0 ? buf_str(&list) : "none");
}

static int named_metrics(const struct compare_ctx *cx, struct err *e)
{
	for (size_t i = 0; i < cx->spec->nmetrics; i++) {
		const char *name = cx->spec->metrics[i];
		uint32_t m = dataset_find_metric(cx->ds, name);

		if (m == DATASET_NONE)
			return unknown_metric(cx->ds, name, e);
		cx->an->metrics[cx->an->nmetrics++] = m;
	}
	return 0;
}

static int resolve_metrics(const struct compare_ctx *cx, struct err *e)
{
	struct analysis *an = cx->an;
	size_t most = MAX(cx->spec->nmetrics, cx->ds->nmetrics);

	an->metrics = arena_array(an->arena, most, sizeof *an->metrics);
	if (cx->spec->nmetrics > 0)
		return named_metrics(cx, e);
	for (uint32_t m = 0; m < cx->ds->nmetrics; m++)
		if (cx->ds->metrics[m].better != BETTER_NEITHER)
			an->metrics[an->nmetrics++] = m;
	// A table whose figures have no direction is still compared.
	for (uint32_t m = 0; an->nmetrics == 0 && m < cx->ds->nmetrics; m++)
		an->metrics[an->nmetrics++] = m;
	if (an->nmetrics == 0)
		return err_set(e, ERR_USAGE, "no trial has any figure");
	return 0;
}

// The same for hosts like these, a family of its own.
static void adjust_populations(struct analysis *an)
{
	size_t n = an->ncomparisons;
	CLEANUP(cleanup_free) double *p = xcalloc(n, sizeof *p);
	CLEANUP(cleanup_free) double *eq = xcalloc(n, sizeof *eq);

	for (size_t i = 0; i < n; i++) {
		p[i] = an->comparisons[i].population.effect.p;
		eq[i] = an->comparisons[i].population_tost.p;
	}
	multiplicity_holm(p, n, p);
	multiplicity_holm(eq, n, eq);
	for (size_t i = 0; i < n; i++) {
		an->comparisons[i].population_p_holm = p[i];
		an->comparisons[i].population_p_eq_holm = eq[i];
	}
}

// Holm over the family, apart for the two questions: their nulls cannot both
// be true.
static void adjust(struct analysis *an)
{
	size_t n = an->ncomparisons;
	CLEANUP(cleanup_free) double *p = xcalloc(n, sizeof *p);
	CLEANUP(cleanup_free) double *eq = xcalloc(n, sizeof *eq);

	for (size_t i = 0; i < n; i++) {
		p[i] = an->comparisons[i].effect.p;
		eq[i] = an->comparisons[i].tost.p;
	}
	an->family = multiplicity_holm(p, n, p);
	an->family_eq = multiplicity_holm(eq, n, eq);
	for (size_t i = 0; i < n; i++) {
		an->comparisons[i].p_holm = p[i];
		an->comparisons[i].p_eq_holm = eq[i];
	}
}

static unsigned changes(const struct compare_ctx *cx,
			const struct analysis_comparison *c)
{
	unsigned bits = 0;

	if (cx->ds->metrics[c->metric].exact)
		bits |= VERDICT_IS_EXACT;

	if (c->order_confounded)
		bits |= VERDICT_IS_CONFOUNDED;
	if (c->boot_confounded)
		bits |= VERDICT_HAS_ONE_BOOT;
	if (c->failures.differ || c->failures.too_many)
		bits |= VERDICT_HAS_FAILURES;
	if (c->opposed)
		bits |= VERDICT_IS_MIXED;
	if (c->method_dependent)
		bits |= VERDICT_IS_METHOD_DEPENDENT;
	if (cx->spec->accept_confounded)
		bits |= VERDICT_ACCEPT_CONFOUNDED;
	return bits;
}

// The most figures that an arm has on one host: two hosts with one round each
// say nothing about the spread within a host.
static void most_per_host(const struct analysis_comparison *c,
			  struct verdict_input *in)
{
	in->n_a = in->n_b = 0;
	for (size_t i = 0; i < c->nhosts; i++) {
		const struct analysis_host *h = &c->hosts[i];

		if (MIN(h->n, h->n_baseline) < MIN(in->n_a, in->n_b))
			continue;
		in->n_a = h->n_baseline;
		in->n_b = h->n;
	}
}

static void decide(const struct compare_ctx *cx, struct analysis_comparison *c)
{
	struct verdict_input in = {
		.effect = &c->effect,
		.p_diff = c->p_holm,
		.p_eq = c->p_eq_holm,
		.alpha = cx->spec->alpha,
		.margin = cx->spec->margin,
		.better = cx->ds->metrics[c->metric].better,
		.changes = changes(cx, c),
	};

	most_per_host(c, &in);
	c->verdict = verdict_decide(&in);
	if (c->population.k < COMPARE_HOSTS_MIN)
		in.n_a = in.n_b = MIN(in.n_a, (size_t)1);
	in.effect = &c->population.effect;
	in.p_diff = c->population_p_holm;
	in.p_eq = c->population_p_eq_holm;
	c->population_verdict = verdict_decide(&in);
}

static void find_constant(const struct compare_ctx *cx)
{
	const struct dataset_cell *first = &cx->ds->cells[0];
	struct analysis *an = cx->an;

	an->constant = arena_array(an->arena, first->nlevels, sizeof(bool));
	for (size_t i = 0; i < first->nlevels; i++) {
		size_t c = 1;

		while (c < cx->ds->ncells &&
		       has_level(&cx->ds->cells[c], &first->levels[i]))
			c++;
		an->constant[i] = c == cx->ds->ncells && c > 1;
	}
}

static int name_pairs(const struct compare_ctx *cx, struct err *e)
{
	if (cx->ds->ncells == 0)
		return err_set(e, ERR_USAGE, "there is no cell to compare");
	if (resolve_metrics(cx, e) != 0 || resolve_baseline(cx, e) != 0)
		return -1;
	return find_pairs(cx, e);
}

static int prepare(const struct compare_ctx *cx, struct err *e)
{
	if (cx->ds->ncells == 0 || cx->ds->ntrials == 0)
		return err_set(e, ERR_USAGE, "there is no trial to analyse");
	find_constant(cx);
	return name_pairs(cx, e);
}

static struct analysis *analysis_new(const struct dataset *ds,
				     const struct compare_spec *spec)
{
	struct arena *a = arena_new();
	struct analysis *an = arena_alloc(a, sizeof *an);

	an->arena = a;
	an->ds = ds;
	an->alpha = spec->alpha;
	an->margin = spec->margin;
	an->accepted_confounded = spec->accept_confounded;
	an->interim = spec->interim;
	return an;
}

static void ctx_deinit(struct compare_ctx *cx)
{
	arms_index_deinit(&cx->ix);
}

int compare_run(const struct dataset *ds, const struct compare_spec *spec,
		struct analysis **out, struct err *e)
{
	CLEANUP(analysis_freep) struct analysis *an = analysis_new(ds, spec);
	CLEANUP(ctx_deinit)
	struct compare_ctx cx = {
		.ds = ds, .spec = spec, .conf = 1 - spec->alpha, .an = an
	};

	if (prepare(&cx, e) != 0 || arms_index_init(&cx.ix, ds, e) != 0)
		return -1;
	compare_describe_cells(&cx);
	for (size_t i = 0; i < an->ncomparisons; i++)
		compare_pair(&cx, &an->comparisons[i]);
	adjust(an);
	adjust_populations(an);
	for (size_t i = 0; i < an->ncomparisons; i++)
		decide(&cx, &an->comparisons[i]);
	compare_secondary(&cx);
	compare_warn(&cx);
	*out = TAKE_PTR(an);
	return 0;
}

int compare_pairs(const struct dataset *ds, const struct compare_spec *spec,
		  struct analysis **out, struct err *e)
{
	CLEANUP(analysis_freep) struct analysis *an = analysis_new(ds, spec);
	struct compare_ctx cx = { .ds = ds, .spec = spec, .an = an };

	if (name_pairs(&cx, e) != 0)
		return -1;
	*out = TAKE_PTR(an);
	return 0;
}

bool compare_estimate(const struct dataset *ds, const struct compare_spec *spec,
		      struct compare_estimate *out)
{
	CLEANUP(analysis_freep) struct analysis *an = analysis_new(ds, spec);
	CLEANUP(ctx_deinit)
	struct compare_ctx cx = {
		.ds = ds, .spec = spec, .conf = 1 - spec->alpha, .an = an
	};
	struct analysis_comparison *c;
	struct err e; // an estimate that cannot be made yet is no error

	if (prepare(&cx, &e) != 0 || an->ncomparisons == 0 ||
	    arms_index_init(&cx.ix, ds, &e) != 0)
		return false;
	c = &an->comparisons[0];
	compare_pair(&cx, c);
	*out = (struct compare_estimate){
		.metric = ds->metrics[c->metric].name,
		.cell = ds->cells[c->cell].label,
		.baseline = ds->cells[c->baseline].label,
		.n = c->n,
		.n_baseline = c->n_baseline,
		.ratio_pct = c->effect.pct,
		.lo_pct = c->effect.lo_pct,
		.hi_pct = c->effect.hi_pct,
	};
	return !isnan(out->ratio_pct);
}
