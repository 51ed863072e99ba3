#include "analysis/arms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"

static struct arms_trial trial_at(const struct dataset *ds, size_t t)
{
	return (struct arms_trial){
		.order = isnan(ds->order[t]) ? (double)t : ds->order[t],
		.boot = ds->boot[t],
		.row = (uint32_t)t,
		.block = ds->block[t],
		.metric = ds->metric[t],
		.outcome = (enum outcome)ds->outcome[t],
	};
}

// Counting sort of the trials by group.
static void fill_index(struct arms_index *ix, size_t ngroups)
{
	const struct dataset *ds = ix->ds;

	ix->start = xcalloc(ngroups + 1, sizeof *ix->start);
	ix->trials = xcalloc(ds->ntrials, sizeof *ix->trials);
	for (size_t t = 0; t < ds->ntrials; t++)
		ix->start[ds->cell[t] * ix->nhosts + ds->host[t] + 1]++;
	for (size_t g = 0; g < ngroups; g++)
		ix->start[g + 1] += ix->start[g];
	// Each start moves to its group's end, then all move back by one.
	for (size_t t = 0; t < ds->ntrials; t++) {
		size_t group = ds->cell[t] * ix->nhosts + ds->host[t];

		ix->trials[ix->start[group]++] = trial_at(ds, t);
	}
	memmove(ix->start + 1, ix->start, ngroups * sizeof *ix->start);
	ix->start[0] = 0;
}

int arms_index_init(struct arms_index *ix, const struct dataset *ds,
		    struct err *e)
{
	size_t ngroups;

	*ix = (struct arms_index){ .ds = ds, .nhosts = ds->hosts.n };
	if (__builtin_mul_overflow(ds->ncells, ix->nhosts, &ngroups) ||
	    ngroups > ARMS_GROUPS_MAX)
		return err_set(e, ERR_USAGE,
			       "%zu cells on %zu hosts are too many groups (at "
			       "most %d)",
			       ds->ncells, ix->nhosts, ARMS_GROUPS_MAX);
	fill_index(ix, ngroups);
	return 0;
}

void arms_index_deinit(struct arms_index *ix)
{
	free(ix->start);
	free(ix->trials);
	*ix = (struct arms_index){ 0 };
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_double(double a, double b)
{
	return (a > b) - (a < b);
}

static int by_boot(const void *pa, const void *pb)
{
	const struct arm_unit *a = pa, *b = pb;
	int c = compare_u64(a->boot, b->boot);

	return c != 0 ? c : compare_double(a->order, b->order);
}

static int by_order(const void *pa, const void *pb)
{
	const struct arm_unit *a = pa, *b = pb;

	return compare_double(a->order, b->order);
}

static int by_block(const void *pa, const void *pb)
{
	const struct arm_unit *a = pa, *b = pb;
	int c = compare_u64(a->block, b->block);

	return c != 0 ? c : compare_double(a->order, b->order);
}

typedef int unit_order(const void *a, const void *b);

// Units mostly come in every order that is asked for: trials are recorded as
// they ran, round by round, boot by boot.
static void sort_units(struct arm_unit *u, size_t n, unit_order *order)
{
	size_t i = 1;

	while (i < n && order(&u[i - 1], &u[i]) <= 0)
		i++;
	if (i < n)
		qsort(u, n, sizeof *u, order);
}

static double mean_of_finite(const struct arm_unit *u, size_t n)
{
	double sum = 0;
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		if (!isfinite(u[i].value))
			continue;
		sum += u[i].value;
		count++;
	}
	return count > 0 ? sum / (double)count : NO_FIGURE;
}

static void count_trial(struct arm *a, enum outcome outcome, bool has_figure)
{
	if (outcome == OUTCOME_OK && has_figure)
		a->ok++;
	else if (outcome == OUTCOME_OK || outcome == OUTCOME_INVALID)
		a->invalid++;
	else
		a->failed++;
}

static struct arm_unit unit_of(const struct arms_trial *t, double v)
{
	bool ok = t->outcome == OUTCOME_OK && isfinite(v);

	return (struct arm_unit){
		.value = ok ? v : NO_FIGURE,
		.order = t->order,
		.boot = t->boot,
		.block = t->block,
	};
}

// Leaves out the trials that were to give another metric.
static void load_trials(const struct arms_index *ix, size_t group,
			uint32_t metric, struct arm *a)
{
	for (size_t i = ix->start[group]; i < ix->start[group + 1]; i++) {
		const struct arms_trial *t = &ix->trials[i];
		double v = ix->ds->values[metric][t->row];

		if (t->metric != DATASET_NONE && t->metric != metric)
			continue;
		a->units[a->nunits++] = unit_of(t, v);
		count_trial(a, t->outcome, isfinite(v));
	}
}

// One unit per boot; units without a boot stand alone.
static void merge_boots(struct arm *a)
{
	size_t out = 0;

	sort_units(a->units, a->nunits, by_boot);
	for (size_t i = 0, j; i < a->nunits; i = j) {
		struct arm_unit u = a->units[i];

		for (j = i + 1; j < a->nunits && a->units[j].boot == u.boot &&
				u.boot != DATASET_NO_BOOT;
		     j++)
			if (a->units[j].block != u.block)
				a->boot_spans_blocks = true;
		if (u.boot != DATASET_NO_BOOT) {
			u.value = mean_of_finite(a->units + i, j - i);
			a->nboots++;
		}
		a->units[out++] = u;
	}
	a->nunits = out;
}

void arm_load(const struct arms_index *ix, uint32_t cell, uint32_t host,
	      uint32_t metric, struct arm *out)
{
	size_t group = cell * ix->nhosts + host;
	struct arm a = { 0 };

	a.units = xcalloc(ix->start[group + 1] - ix->start[group],
			  sizeof *a.units);
	load_trials(ix, group, metric, &a);
	merge_boots(&a);
	sort_units(a.units, a.nunits, by_order);
	a.values = xcalloc(a.nunits, sizeof *a.values);
	for (size_t i = 0; i < a.nunits; i++)
		a.values[i] = a.units[i].value;
	*out = a;
}

void arm_deinit(struct arm *a)
{
	free(a->units);
	free(a->values);
	*a = (struct arm){ 0 };
}

struct sample arm_sample(const struct arm *a)
{
	return (struct sample){ a->values, a->nunits };
}

size_t arm_trials(const struct arm *a)
{
	return a->ok + a->failed + a->invalid;
}

size_t arm_finite(const struct arm *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->nunits; i++)
		n += isfinite(a->values[i]) != 0;
	return n;
}

bool arm_has_boot(const struct arm *a, uint64_t boot)
{
	for (size_t i = 0; i < a->nunits; i++)
		if (a->units[i].boot == boot)
			return true;
	return false;
}

static struct arm_unit *sorted_by_block(const struct arm *a)
{
	struct arm_unit *u = xcalloc(a->nunits, sizeof *u);

	if (a->nunits > 0)
		memcpy(u, a->units, a->nunits * sizeof *u);
	sort_units(u, a->nunits, by_block);
	return u;
}

// Takes the units of `block` from the front of *u; order NaN: there was none.
static struct arm_unit take_round(const struct arm_unit **u,
				  const struct arm_unit *end, uint32_t block)
{
	const struct arm_unit *first = *u;

	while (*u < end && (*u)->block == block)
		(*u)++;
	if (*u == first)
		return (struct arm_unit){ .value = NO_FIGURE,
					  .order = NO_FIGURE };
	return (struct arm_unit){
		.value = mean_of_finite(first, (size_t)(*u - first)),
		.order = first->order,
	};
}

static void add_round(struct arm_rounds *r, uint32_t block, struct arm_unit a,
		      struct arm_unit b)
{
	r->block[r->n] = block;
	r->a[r->n] = a.value;
	r->b[r->n] = b.value;
	r->a_first[r->n] = a.order < b.order;
	r->both += !isnan(a.order) && !isnan(b.order);
	r->n++;
}

void arm_rounds_init(struct arm_rounds *r, const struct arm *a,
		     const struct arm *b)
{
	CLEANUP(cleanup_free) struct arm_unit *ua = sorted_by_block(a);
	CLEANUP(cleanup_free) struct arm_unit *ub = sorted_by_block(b);
	const struct arm_unit *pa = ua, *enda = ua + a->nunits;
	const struct arm_unit *pb = ub, *endb = ub + b->nunits;
	size_t most = a->nunits + b->nunits;

	*r = (struct arm_rounds){ .a = xcalloc(most, sizeof *r->a),
				  .b = xcalloc(most, sizeof *r->b),
				  .block = xcalloc(most, sizeof *r->block),
				  .a_first = xcalloc(most, sizeof(bool)) };
	for (;;) {
		uint32_t block = MIN(pa < enda ? pa->block : DATASET_NONE,
				     pb < endb ? pb->block : DATASET_NONE);

		if (block == DATASET_NONE) // trials outside rounds sort last
			break;
		add_round(r, block, take_round(&pa, enda, block),
			  take_round(&pb, endb, block));
	}
}

void arm_rounds_deinit(struct arm_rounds *r)
{
	free(r->a);
	free(r->b);
	free(r->block);
	free(r->a_first);
	*r = (struct arm_rounds){ 0 };
}

bool *arms_interleaving(const struct arm *a, const struct arm *b, size_t *n)
{
	bool *is_b = xcalloc(a->nunits + b->nunits, sizeof *is_b);
	size_t i = 0, j = 0, out = 0;

	while (i < a->nunits || j < b->nunits) {
		bool take_b = i == a->nunits ||
			      (j < b->nunits &&
			       b->units[j].order < a->units[i].order);

		is_b[out++] = take_b;
		i += !take_b;
		j += take_b;
	}
	*n = out;
	return is_b;
}
