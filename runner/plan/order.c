#include "runner/plan/order.h"

#include <gsl/gsl_rng.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"

#define HOST_SEED_STEP 0x9e3779b9u // 2^32 by the golden ratio; odd

// Deals permutations of 0..k-1 that balance what follows what. The rows are
// shuffled and the items renamed anew in each pass over the design.
struct williams {
	uint32_t k, nrows, next;
	uint32_t *rows, *names, *row;
};

struct ordering {
	const struct order_spec *spec;
	gsl_rng *rng;
	struct plan_trial *out;
	size_t n;
	uint32_t boot;		  // number of the next boot
	uint32_t *groups, *cells; // permutations, reused
	uint32_t *members;	  // cells by group
	uint32_t *start; // of each group in members; ngroups + 1 of them
	struct williams *designs; // of each group's cells; then of the groups
};

uint32_t order_williams_rows(uint32_t k)
{
	return k % 2 == 0 ? k : 2 * k;
}

// 0, 1, k-1, 2, k-2, ...: neighbours differ by each distance once.
static uint32_t zigzag(uint32_t k, uint32_t i)
{
	return i % 2 == 1 ? (i + 1) / 2 : (k - i / 2) % k;
}

void order_williams_row(uint32_t k, uint32_t row, uint32_t *out)
{
	for (uint32_t i = 0; i < k; i++) {
		// For odd k the second half of the rows runs backwards.
		uint32_t at = row < k ? i : k - 1 - i;

		out[i] = (zigzag(k, at) + row) % k;
	}
}

// Fisher-Yates. By hand, so that the plan depends on the generator alone.
static void shuffle(gsl_rng *rng, uint32_t *v, uint32_t n)
{
	for (uint32_t i = n; i > 1; i--) {
		uint32_t j = (uint32_t)gsl_rng_uniform_int(rng, i);
		uint32_t old = v[i - 1];

		v[i - 1] = v[j];
		v[j] = old;
	}
}

static void fill_identity(uint32_t *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		v[i] = i;
}

static void williams_begin(struct williams *w)
{
	w->next = w->nrows;
	fill_identity(w->rows, w->nrows);
	fill_identity(w->names, w->k);
}

static void williams_init(struct williams *w, uint32_t k)
{
	w->k = k;
	w->nrows = order_williams_rows(k);
	w->rows = xcalloc(w->nrows + 1, sizeof(*w->rows));
	w->names = xcalloc(k + 1, sizeof(*w->names));
	w->row = xcalloc(k + 1, sizeof(*w->row));
}

static void williams_deinit(struct williams *w)
{
	free(w->rows);
	free(w->names);
	free(w->row);
}

static const uint32_t *williams_next(struct williams *w, gsl_rng *rng)
{
	if (w->next == w->nrows) {
		shuffle(rng, w->rows, w->nrows);
		shuffle(rng, w->names, w->k);
		w->next = 0;
	}
	order_williams_row(w->k, w->rows[w->next++], w->row);
	for (uint32_t i = 0; i < w->k; i++)
		w->row[i] = w->names[w->row[i]];
	return w->row;
}

// A permutation of 0..n-1 into `out`.
static void permute(struct ordering *o, struct williams *w, uint32_t *out,
		    uint32_t n)
{
	if (o->spec->order == PLAN_WILLIAMS) {
		memcpy(out, williams_next(w, o->rng), n * sizeof(*out));
		return;
	}
	fill_identity(out, n);
	shuffle(o->rng, out, n);
}

// Where a trial is: the loops' counters.
struct at {
	uint32_t host, block, position;
};

static void emit(struct ordering *o, struct at *at, uint32_t repeat,
		 uint32_t cell)
{
	struct plan_trial *t = &o->out[o->n];

	*t = (struct plan_trial){ .id = (uint32_t)o->n,
				  .host = at->host,
				  .block = at->block,
				  .boot = o->boot,
				  .position = at->position++,
				  .repeat = repeat,
				  .cell = cell };
	t->first_in_boot = o->n == 0 || o->out[o->n - 1].boot != o->boot;
	o->n++;
}

static void end_boot(struct ordering *o)
{
	o->out[o->n - 1].last_in_boot = true;
	o->boot++;
}

static void order_boot(struct ordering *o, struct at *at, uint32_t group)
{
	uint32_t first = o->start[group], n = o->start[group + 1] - first;

	for (uint32_t r = 0; r < o->spec->repeat; r++) {
		permute(o, &o->designs[group], o->cells, n);
		for (uint32_t i = 0; i < n; i++)
			emit(o, at, r, o->members[first + o->cells[i]]);
	}
	end_boot(o);
}

static bool has_block(const struct order_spec *s, uint32_t host, uint32_t block)
{
	return !s->share || block < s->warmup ||
	       (block - s->warmup) % s->nhosts == host;
}

static void order_blocks(struct ordering *o, uint32_t host)
{
	const struct order_spec *s = o->spec;

	for (uint32_t block = 0; block < s->blocks; block++) {
		struct at at = { host, block, 0 };

		if (!has_block(s, host, block))
			continue;
		permute(o, &o->designs[s->ngroups], o->groups, s->ngroups);
		for (uint32_t i = 0; i < s->ngroups; i++)
			order_boot(o, &at, o->groups[i]);
	}
}

static void order_sequential(struct ordering *o, uint32_t host)
{
	const struct order_spec *s = o->spec;

	for (uint32_t cell = 0; cell < s->ncells; cell++) {
		for (uint32_t block = 0; block < s->blocks; block++) {
			struct at at = { host, block, cell * s->repeat };

			if (!has_block(s, host, block))
				continue;
			for (uint32_t r = 0; r < s->repeat; r++)
				emit(o, &at, r, cell);
			end_boot(o);
		}
	}
}

// Cells by group, in the order of the matrix inside each: a counting sort.
static void sort_members(struct ordering *o)
{
	const struct order_spec *s = o->spec;

	for (uint32_t i = 0; i < s->ncells; i++)
		o->start[s->group[i] + 1]++;
	for (uint32_t g = 0; g < s->ngroups; g++)
		o->start[g + 1] += o->start[g];
	for (uint32_t i = 0; i < s->ncells; i++)
		o->members[o->start[s->group[i]] + o->groups[s->group[i]]++] =
			i;
}

static void ordering_init(struct ordering *o)
{
	const struct order_spec *s = o->spec;

	o->rng = gsl_rng_alloc(gsl_rng_mt19937);
	if (o->rng == NULL)
		abort(); // only for want of memory
	o->groups = xcalloc(s->ngroups + 1, sizeof(*o->groups));
	o->cells = xcalloc(s->ncells + 1, sizeof(*o->cells));
	o->members = xcalloc(s->ncells + 1, sizeof(*o->members));
	o->start = xcalloc(s->ngroups + 2, sizeof(*o->start));
	o->designs = xcalloc(s->ngroups + 1, sizeof(*o->designs));
	sort_members(o);
	for (uint32_t g = 0; g < s->ngroups; g++)
		williams_init(&o->designs[g], o->start[g + 1] - o->start[g]);
	williams_init(&o->designs[s->ngroups], s->ngroups);
}

static void ordering_deinit(struct ordering *o)
{
	for (uint32_t g = 0; g <= o->spec->ngroups; g++)
		williams_deinit(&o->designs[g]);
	gsl_rng_free(o->rng);
	free(o->groups);
	free(o->cells);
	free(o->members);
	free(o->start);
	free(o->designs);
}

// A seed for each host, all different, whose first is the plan's own. Zero,
// which the generator reads as its own default, comes to one.
static uint32_t host_seed(uint32_t seed, uint32_t host)
{
	uint32_t own = seed + host * HOST_SEED_STEP;

	return own != 0 ? own : 1;
}

// No host's order depends on how many others there are.
static void begin_host(struct ordering *o, uint32_t host)
{
	gsl_rng_set(o->rng, host_seed(o->spec->seed, host));
	for (uint32_t g = 0; g <= o->spec->ngroups; g++)
		williams_begin(&o->designs[g]);
}

void order_trials(const struct order_spec *s, struct plan_trial *out)
{
	struct ordering o = { .spec = s, .out = out };

	ordering_init(&o);
	for (uint32_t host = 0; host < s->nhosts; host++) {
		begin_host(&o, host);
		if (s->order == PLAN_SEQUENTIAL)
			order_sequential(&o, host);
		else
			order_blocks(&o, host);
	}
	ordering_deinit(&o);
}
