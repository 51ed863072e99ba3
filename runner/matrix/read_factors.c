#include "runner/matrix/read.h"

#include <string.h>

static const char *factor_what(struct reading *r, const struct matrix_factor *f)
{
	return arena_printf(r->a, "factor %s", diag_quote(r->a, f->name));
}

// A level must be right for every target; they are of one type.
static bool level_value(struct reading *r, const struct matrix_factor *f,
			const struct ynode *n, struct param_value *out)
{
	if (f->var != NULL)
		return read_value(r, &f->var->param, n, factor_what(r, f), out);
	for (size_t i = 0; i < f->ntargets; i++) {
		if (!read_value(r, f->targets[i].param, n, factor_what(r, f),
				out))
			return false;
	}
	return true;
}

static bool is_new_level(struct reading *r, const struct matrix_factor *f,
			 const struct matrix_level *l, struct place at)
{
	for (size_t i = 0; i < f->nlevels; i++) {
		const struct matrix_level *old = &f->levels[i];

		if (strcmp(old->text, l->text) != 0 &&
		    !param_equal(&old->value, &l->value))
			continue;
		diag_add(&r->d, at, "%s: lists level %s twice",
			 factor_what(r, f), diag_quote(r->a, old->text));
		return false;
	}
	return true;
}

// "4k", or "{label: 4k}".
static void read_level(struct reading *r, struct matrix_factor *f, size_t *cap,
		       const struct ynode *item)
{
	struct matrix_level l = { .value = { .text = "" } }, *slot;
	const struct ynode *value = item;

	if (item->kind == YNODE_MAP && item->n == 1) {
		l.text = item->keys[0]->text;
		value = item->values[0];
	}
	if (!level_value(r, f, value, &l.value))
		return;
	if (l.text == NULL)
		l.text = l.value.text;
	if (l.text[0] == '\0' || strlen(l.text) > MATRIX_LABEL_MAX) {
		diag_add(&r->d, item->at,
			 "%s: a level's label must have 1 to %d bytes: write "
			 "{label: value}",
			 factor_what(r, f), MATRIX_LABEL_MAX);
		return;
	}
	if (!is_new_level(r, f, &l, item->at))
		return;
	slot = arena_push(r->a, &f->levels, &f->nlevels, cap, sizeof(*slot));
	*slot = l;
}

bool read_more_level(struct reading *r, const char *what,
		     const struct ynode *key, const struct ynode *v,
		     struct matrix_ref *out)
{
	struct matrix_factor *f;
	size_t before;

	if (!read_factor_name(r, what, key, &out->factor))
		return false;
	f = &r->m->factors[out->factor];
	if (v->kind == YNODE_SCALAR) {
		out->level = matrix_find_level(f, v->text);
		if (out->level != SIZE_MAX)
			return true;
	}
	before = f->nlevels;
	read_level(r, f, &r->levels_cap[out->factor], v);
	out->level = before;
	return f->nlevels > before;
}

static void read_levels(struct reading *r, struct matrix_factor *f, size_t *cap,
			const struct ynode *v)
{
	if (v->kind != YNODE_LIST) {
		diag_add(&r->d, v->at,
			 "%s: must be a list of levels, like [a, b]; a single "
			 "value belongs under \"fixed\"",
			 factor_what(r, f));
		return;
	}
	if (v->n == 0 || v->n > MATRIX_LEVELS_MAX) {
		diag_add(&r->d, v->at,
			 "%s: has %s level: a list of 1 to %d is right",
			 factor_what(r, f), v->n == 0 ? "no" : "one too many",
			 MATRIX_LEVELS_MAX);
		return;
	}
	for (size_t i = 0; i < v->n; i++)
		read_level(r, f, cap, v->values[i]);
	f->ncrossed = f->nlevels;
}

static void read_factor(struct reading *r, const struct ynode *key,
			const struct ynode *v)
{
	size_t index = r->m->nfactors;
	struct matrix_factor f = { .name = key->text,
				   .at = key->at,
				   .moves_with = index };
	struct matrix_factor *slot;

	f.ntargets = read_resolve(r, f.name, &f.targets);
	f.var = read_find_var(r, f.name);
	if (f.ntargets == 0 && f.var == NULL) {
		read_unknown_param(r, key->at, key->text);
		return;
	}
	for (size_t i = 0; i < f.ntargets; i++) {
		struct matrix_target t = f.targets[i];

		if (!read_is_free(r, t, key->at, factor_what(r, &f)))
			return;
		r->m->owners[t.owner].slots[param_index(t.param)].given = true;
		r->m->owners[t.owner].slots[param_index(t.param)].at = key->at;
	}
	read_levels(r, &f, &r->levels_cap[index], v);
	slot = arena_push(r->a, &r->m->factors, &r->m->nfactors,
			  &r->factors_cap, sizeof(*slot));
	*slot = f;
}

void read_factors(struct reading *r, const struct read_key *k,
		  const struct ynode *v)
{
	(void)k;
	if (read_is_nothing(v) || !read_is(r, v, YNODE_MAP, "\"factors\""))
		return;
	if (v->n > MATRIX_FACTORS_MAX) {
		diag_add(&r->d, v->at, "factors: at most %d of them are read",
			 MATRIX_FACTORS_MAX);
		return;
	}
	for (size_t i = 0; i < v->n; i++)
		read_factor(r, v->keys[i], v->values[i]);
}
