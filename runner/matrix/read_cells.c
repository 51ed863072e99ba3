#include "runner/matrix/read.h"

#include <string.h>

struct rules {
	struct matrix_partial **list;
	size_t *n, *cap;
	read_level_fn *level;
};

static void read_rules(struct reading *r, const struct read_key *k,
		       const struct ynode *v, const struct rules *to)
{
	if (!read_is(r, v, YNODE_LIST, diag_quote(r->a, k->name)))
		return;
	if (v->n > MATRIX_RULES_MAX) {
		diag_add(&r->d, v->at, "%s: at most %d rules are read", k->name,
			 MATRIX_RULES_MAX);
		return;
	}
	for (size_t i = 0; i < v->n; i++) {
		struct matrix_partial p = { 0 }, *slot;

		if (!read_partial(r, k->name, v->values[i], to->level, &p))
			continue;
		slot = arena_push(r->a, to->list, to->n, to->cap,
				  sizeof(*slot));
		*slot = p;
	}
}

void read_exclude(struct reading *r, const struct read_key *k,
		  const struct ynode *v)
{
	struct matrix *m = r->m;

	read_rules(r, k, v,
		   &(struct rules){ &m->exclude, &m->nexclude, &r->exclude_cap,
				    read_known_level });
}

void read_include(struct reading *r, const struct read_key *k,
		  const struct ynode *v)
{
	struct matrix *m = r->m;

	read_rules(r, k, v,
		   &(struct rules){ &m->include, &m->ninclude, &r->include_cap,
				    read_more_level });
}

static bool is_zipped(const struct matrix *m, size_t factor)
{
	for (size_t i = 0; i < m->nfactors; i++) {
		if (i != factor && (m->factors[i].moves_with == factor ||
				    m->factors[factor].moves_with == i))
			return true;
	}
	return false;
}

// Joins the factor that `name` names to `*leader`, SIZE_MAX before the first.
static void zip_factor(struct reading *r, const struct ynode *name,
		       size_t *leader)
{
	struct matrix_factor *all = r->m->factors;
	size_t i, first;

	if (!read_is(r, name, YNODE_SCALAR, "a factor of zip") ||
	    !read_factor_name(r, "zip", name, &i))
		return;
	if (i == *leader || is_zipped(r->m, i)) {
		diag_add(&r->d, name->at, "zip: factor %s is listed twice",
			 diag_quote(r->a, name->text));
		return;
	}
	if (*leader == SIZE_MAX) {
		*leader = i;
		return;
	}
	if (all[i].ncrossed != all[*leader].ncrossed) {
		diag_add(&r->d, name->at,
			 "zip: factor \"%s\" has %zu levels, \"%s\" has %zu: "
			 "those that move together need as many each",
			 all[i].name, all[i].ncrossed, all[*leader].name,
			 all[*leader].ncrossed);
		return;
	}
	// All of a group move with the one that comes first.
	first = MIN(i, *leader);
	for (size_t j = 0; j < r->m->nfactors; j++) {
		if (j == i || all[j].moves_with == *leader)
			all[j].moves_with = first;
	}
	*leader = first;
}

static void zip_group(struct reading *r, const struct ynode *group)
{
	size_t leader = SIZE_MAX;

	if (group->n < 2)
		diag_add(&r->d, group->at,
			 "zip: needs two factors or more that move together "
			 "(like [cpus, memory])");
	for (size_t i = 0; i < group->n; i++)
		zip_factor(r, group->values[i], &leader);
}

void read_zip(struct reading *r, const struct read_key *k,
	      const struct ynode *v)
{
	if (!read_is(r, v, YNODE_LIST, diag_quote(r->a, k->name)))
		return;
	if (v->n == 0 || v->values[0]->kind == YNODE_SCALAR) {
		zip_group(r, v);
		return;
	}
	for (size_t i = 0; i < v->n; i++) {
		if (read_is(r, v->values[i], YNODE_LIST, "a group of zip"))
			zip_group(r, v->values[i]);
	}
}

// By its own words or by a level.
static bool is_device(const struct matrix *m, const char *path)
{
	for (size_t i = 1; i < m->nowners; i++) {
		const char *kind = m->owners[i].kind->name;
		const struct param *p = param_find(kind, "device");

		if (p != NULL &&
		    strcmp(m->owners[i].slots[param_index(p)].value->s, path) ==
			    0)
			return true;
	}
	for (size_t i = 0; i < m->nfactors; i++) {
		const struct matrix_factor *f = &m->factors[i];

		if (f->ntargets > 0 &&
		    strcmp(f->targets[0].param->name, "device") == 0 &&
		    matrix_find_level(f, path) != SIZE_MAX)
			return true;
	}
	return false;
}

static void destroy_one(struct reading *r, const struct ynode *v)
{
	struct matrix *m = r->m;
	struct matrix_destroy *d;
	const char *path;

	if (!read_scalar(r, v, "destroy", &path))
		return;
	if (!is_device(m, path)) {
		diag_add(&r->d, v->at,
			 "destroy: %s is the device of no workload: take it "
			 "away, or write it as \"device\" does",
			 diag_quote(r->a, path));
		return;
	}
	d = arena_push(r->a, &m->destroy, &m->ndestroy, &r->destroy_cap,
		       sizeof(*d));
	*d = (struct matrix_destroy){ path, v->at };
}

void read_destroy(struct reading *r, const struct read_key *k,
		  const struct ynode *v)
{
	if (v->kind == YNODE_SCALAR) {
		destroy_one(r, v);
		return;
	}
	if (!read_is(r, v, YNODE_LIST, diag_quote(r->a, k->name)))
		return;
	if (v->n > MATRIX_DESTROY_MAX) {
		diag_add(&r->d, v->at, "destroy: at most %d of them are read",
			 MATRIX_DESTROY_MAX);
		return;
	}
	for (size_t i = 0; i < v->n; i++)
		destroy_one(r, v->values[i]);
}
