#include "runner/plan/expand.h"

#include <stdlib.h>
#include <string.h>

#include "runner/base/buf.h"
#include "runner/plan/cell_settings.h"
#include "runner/plan/combine.h"

struct expand {
	const struct matrix *m;
	struct plan *p;
	struct arena *a; // the plan's
	struct diags *d;
	size_t **levels; // of each cell: a level index for each factor
	size_t cells_cap, notes_cap;
	struct cell_settings *settings;
	bool *rule_used;    // it was the first to drop some cell
	size_t *merged;	    // by factor: combinations that were a cell already
	uint32_t *group_of; // first cell of each group of boots
};

static struct expand *expand_new(const struct matrix *m, struct plan *p,
				 struct diags *d)
{
	struct expand *x = arena_alloc(p->arena, sizeof(*x));

	*x = (struct expand){ .m = m, .p = p, .a = p->arena, .d = d };
	x->levels = arena_array(x->a, PLAN_CELLS_MAX + 1, sizeof(*x->levels));
	x->settings = cell_settings_new(m, x->a);
	x->rule_used = arena_array(x->a, m->nexclude + 1, sizeof(bool));
	x->merged = arena_array(x->a, m->nfactors + 1, sizeof(*x->merged));
	return x;
}

static void note(struct expand *x, const char *text)
{
	const char **slot = arena_push(x->a, &x->p->notes, &x->p->nnotes,
				       &x->notes_cap, sizeof(*x->p->notes));
	*slot = text;
}

static bool is_excluded(struct expand *x, const size_t *level)
{
	for (size_t i = 0; i < x->m->nexclude; i++) {
		if (combine_has(level, &x->m->exclude[i])) {
			x->rule_used[i] = true;
			return true;
		}
	}
	return false;
}

// `level` with COMBINE_ANY in place of what has no effect.
static size_t *effective(struct expand *x, const size_t *level, bool *any)
{
	size_t n = x->m->nfactors;
	size_t *out = arena_array(x->a, n + 1, sizeof(*out));

	*any = false;
	for (size_t i = 0; i < n; i++) {
		out[i] = level[i];
		if (!cell_settings_factor_matters(x->settings, level,
						  &x->m->factors[i])) {
			out[i] = COMBINE_ANY;
			*any = true;
		}
	}
	return out;
}

static bool same_levels(const struct expand *x, const size_t *a,
			const size_t *b)
{
	return memcmp(a, b, x->m->nfactors * sizeof(*a)) == 0;
}

static bool is_known(const struct expand *x, const size_t *level)
{
	for (size_t i = 0; i < x->p->ncells; i++) {
		if (same_levels(x, x->levels[i], level))
			return true;
	}
	return false;
}

static const char *label_of(struct expand *x, const struct plan_cell *c)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;

	for (size_t i = 0; i < c->nlevels; i++)
		buf_printf(&b, "%s%s=%s", i ? ", " : "", c->levels[i].factor,
			   c->levels[i].text);
	return c->nlevels == 0 ? "all" : arena_strdup(x->a, buf_str(&b));
}

static void set_levels(struct expand *x, struct plan_cell *c,
		       const size_t *level)
{
	const struct matrix *m = x->m;

	c->nlevels = m->nfactors;
	c->levels = arena_array(x->a, m->nfactors + 1, sizeof(*c->levels));
	for (size_t i = 0; i < m->nfactors; i++) {
		const struct matrix_factor *f = &m->factors[i];

		c->levels[i].factor = arena_strdup(x->a, f->name);
		c->levels[i].text =
			level[i] == COMBINE_ANY
				? PLAN_LEVEL_ANY
				: arena_strdup(x->a, f->levels[level[i]].text);
	}
	c->label = label_of(x, c);
}

// A variable's level may be for a hook before the boot.
static bool sets_vm(const struct matrix_factor *f)
{
	return f->var != NULL || f->targets[0].owner == MATRIX_VM;
}

static bool same_boot(const struct expand *x, const size_t *a, const size_t *b)
{
	for (size_t i = 0; i < x->m->nfactors; i++) {
		if (sets_vm(&x->m->factors[i]) && a[i] != b[i])
			return false;
	}
	return true;
}

// Cells with equal VMs share a group.
static uint32_t boot_group(struct expand *x, uint32_t *ngroups, uint32_t cell)
{
	for (uint32_t g = 0; g < *ngroups; g++) {
		if (same_boot(x, x->levels[x->group_of[g]], x->levels[cell]))
			return g;
	}
	x->group_of[*ngroups] = cell;
	return (*ngroups)++;
}

static void count_merged(struct expand *x, const size_t *level)
{
	for (size_t i = 0; i < x->m->nfactors; i++)
		x->merged[i] += level[i] == COMBINE_ANY;
}

static void add_cell(struct expand *x, const size_t *level)
{
	struct plan *p = x->p;
	struct plan_cell *c;
	size_t *known;
	bool any;

	known = effective(x, level, &any);
	if (any && is_known(x, known)) {
		count_merged(x, known);
		return;
	}
	x->levels[p->ncells] = known;
	c = arena_push(x->a, &p->cells, &p->ncells, &x->cells_cap, sizeof(*c));
	c->id = (uint32_t)(p->ncells - 1);
	set_levels(x, c, known);
	c->host = cell_settings_host(x->settings, level);
	c->vars = cell_settings_vars(x->settings, level);
	c->vm = cell_settings_vm(x->settings, level);
	c->workloads = cell_settings_workloads(x->settings, level);
}

static struct place place_of_factors(const struct matrix *m)
{
	if (m->nfactors > 0)
		return m->factors[0].at;
	return (struct place){ m->file, 0, 0 };
}

static bool combinations_fit(struct expand *x)
{
	if (combine_count(x->m, EXPAND_COMBINATIONS_MAX) != SIZE_MAX)
		return true;
	diag_add(x->d, place_of_factors(x->m),
		 "factors: more than %d combinations; take levels or factors "
		 "away",
		 EXPAND_COMBINATIONS_MAX);
	return false;
}

// A cell of `include`: whole, and none that is there.
static void include_cell(struct expand *x, const struct matrix_partial *part)
{
	const struct matrix *m = x->m;
	size_t *level = arena_array(x->a, m->nfactors + 1, sizeof(*level));
	bool *named = arena_array(x->a, m->nfactors + 1, sizeof(*named));
	bool any;

	for (size_t i = 0; i < part->n; i++) {
		level[part->refs[i].factor] = part->refs[i].level;
		named[part->refs[i].factor] = true;
	}
	for (size_t i = 0; i < m->nfactors; i++) {
		if (named[i] || !cell_settings_factor_matters(
					x->settings, level, &m->factors[i]))
			continue;
		diag_add(x->d, part->at,
			 "include: the cell has no level of \"%s\": a level "
			 "of every factor is right",
			 m->factors[i].name);
		return;
	}
	if (is_known(x, effective(x, level, &any)))
		diag_add(x->d, part->at,
			 "include: this cell is one of the combinations, or "
			 "included before: take it away");
	else
		add_cell(x, level);
}

static void include_cells(struct expand *x)
{
	for (size_t i = 0; i < x->m->ninclude && x->p->ncells <= PLAN_CELLS_MAX;
	     i++)
		include_cell(x, &x->m->include[i]);
}

static void add_cells(struct expand *x)
{
	size_t *level = arena_array(x->a, x->m->nfactors + 1, sizeof(*level));

	do {
		if (!is_excluded(x, level))
			add_cell(x, level);
	} while (x->p->ncells <= PLAN_CELLS_MAX && combine_next(x->m, level));
	include_cells(x);
	if (x->p->ncells > PLAN_CELLS_MAX)
		diag_add(x->d, place_of_factors(x->m),
			 "factors: more than %d cells; take levels away or "
			 "exclude some",
			 PLAN_CELLS_MAX);
}

static void check_rules(struct expand *x)
{
	for (size_t i = 0; i < x->m->nexclude; i++) {
		if (!x->rule_used[i])
			diag_add(x->d, x->m->exclude[i].at,
				 "exclude: this rule drops nothing: the rules "
				 "before it drop its cells");
	}
	if (x->p->ncells == 0)
		diag_add(x->d, place_of_factors(x->m),
			 "exclude: the rules leave no cell");
}

static const char *partial_text(struct expand *x,
				const struct matrix_partial *part)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;

	for (size_t i = 0; i < part->n; i++) {
		const struct matrix_factor *f =
			&x->m->factors[part->refs[i].factor];

		buf_printf(&b, "%s%s=%s", i ? ", " : "", f->name,
			   f->levels[part->refs[i].level].text);
	}
	return arena_strdup(x->a, buf_str(&b));
}

// Without a baseline in the matrix, the first cell.
static void set_baseline(struct expand *x)
{
	const struct matrix_partial *b = &x->m->baseline;
	struct plan *p = x->p;
	bool found = false;

	for (size_t i = 0; i < p->ncells && !found; i++)
		found = combine_has(x->levels[i], b);
	if (!found) {
		diag_add(x->d, b->at, "baseline: no cell has %s%s",
			 partial_text(x, b),
			 x->m->nexclude ? ": exclude drops it" : "");
		return;
	}
	if (b->n == 0) {
		p->baseline = p->cells[0].levels;
		p->nbaseline = p->cells[0].nlevels;
		return;
	}
	p->nbaseline = b->n;
	p->baseline = arena_array(x->a, b->n, sizeof(*p->baseline));
	for (size_t i = 0; i < b->n; i++) {
		const struct matrix_factor *f =
			&x->m->factors[b->refs[i].factor];

		p->baseline[i].factor = arena_strdup(x->a, f->name);
		p->baseline[i].text =
			arena_strdup(x->a, f->levels[b->refs[i].level].text);
	}
}

static void note_merged(struct expand *x)
{
	for (size_t i = 0; i < x->m->nfactors; i++) {
		const struct matrix_factor *f = &x->m->factors[i];

		if (x->merged[i] > 0)
			note(x, arena_printf(x->a,
					     "cells that differ only in %s are "
					     "one where it has no effect (%s): "
					     "%zu fewer",
					     f->name,
					     param_condition(
						     f->targets[0].param, x->a),
					     x->merged[i]));
	}
}

static const char *slot_name(struct expand *x, size_t owner,
			     const struct param *p)
{
	if (owner == MATRIX_VM)
		return p->name;
	return arena_printf(x->a, "%s.%s", x->m->owners[owner].name, p->name);
}

static void note_destroyed(struct expand *x)
{
	for (size_t i = 0; i < x->m->ndestroy; i++)
		note(x, arena_printf(x->a,
				     "%s may be overwritten, whatever it holds",
				     x->m->destroy[i].path));
}

// What somebody took the trouble to write should not go unused unheard.
static void note_unused(struct expand *x)
{
	if (x->m->nvars > 0 && x->m->nhooks == 0)
		note(x, "vars reach hooks alone, and there are none");
	for (size_t o = 0; o < x->m->nowners; o++) {
		for (size_t i = 0; i < param_count; i++) {
			const struct param *p = &param_table[i];

			if (!x->m->owners[o].slots[i].given ||
			    cell_settings_mattered(x->settings, o, p))
				continue;
			note(x, arena_printf(x->a,
					     "%s has no effect in any cell "
					     "(%s)",
					     slot_name(x, o, p),
					     param_condition(p, x->a)));
		}
	}
}

uint64_t expand_work_ns(const struct js *workloads)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < js_len(workloads); i++) {
		const struct js *w = js_at(workloads, i);

		sum += (uint64_t)MAX(js_get_int(w, "ramp", 0), 0) +
		       (uint64_t)MAX(js_get_int(w, "runtime", 0), 0);
	}
	return sum;
}

static void finish_cells(struct expand *x, struct expansion *out)
{
	struct plan *p = x->p;

	x->group_of = arena_array(x->a, p->ncells, sizeof(*x->group_of));
	for (uint32_t i = 0; i < p->ncells; i++) {
		uint64_t work = expand_work_ns(p->cells[i].workloads);

		p->cells[i].boot_group = boot_group(x, &out->ngroups, i);
		out->work_ns = MAX(out->work_ns, work);
	}
	set_baseline(x);
	note_merged(x);
	note_unused(x);
	note_destroyed(x);
}

int expand_cells(const struct matrix *m, struct plan *p, struct expansion *out,
		 struct diags *d)
{
	struct expand *x = expand_new(m, p, d);
	size_t before = d->n;

	*out = (struct expansion){ 0 };
	if (!combinations_fit(x))
		return -1;
	add_cells(x);
	check_rules(x);
	if (p->ncells > 0)
		finish_cells(x, out);
	return d->n == before ? 0 : -1;
}
