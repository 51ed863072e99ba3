#include "runner/matrix/read.h"

#include <ctype.h>
#include <string.h>

#include "runner/base/buf.h"

static bool args_of(struct reading *r, const struct ynode *n, const char *what,
		    struct param_value *out)
{
	const char **list = arena_array(r->a, n->n + 1, sizeof(*list));

	for (size_t i = 0; i < n->n; i++) {
		if (!read_scalar(r, n->values[i], what, &list[i]))
			return false;
	}
	param_set_list(list, n->n, r->a, out);
	return true;
}

bool read_value(struct reading *r, const struct param *p, const struct ynode *n,
		const char *what, struct param_value *out)
{
	const char *why = "";

	if (p->type == PARAM_ARGS && n->kind == YNODE_LIST)
		return args_of(r, n, what, out);
	if (!read_is(r, n, YNODE_SCALAR, what))
		return false;
	if (strlen(n->text) > MATRIX_TEXT_MAX)
		why = arena_printf(r->a, "is longer than %d bytes",
				   MATRIX_TEXT_MAX);
	else if (param_parse(p, n->text, r->a, out, &why) == 0)
		return true;
	diag_add(&r->d, n->at, "%s: %s", what, why);
	return false;
}

void read_defaults(struct reading *r, struct matrix_owner *o)
{
	const char *kind = o->kind == NULL ? NULL : o->kind->name;

	o->slots = arena_array(r->a, param_count, sizeof(*o->slots));
	for (size_t i = 0; i < param_count; i++) {
		struct param_value *v;

		if (param_find(kind, param_table[i].name) != &param_table[i])
			continue;
		v = arena_alloc(r->a, sizeof(*v));
		*v = param_default(&param_table[i], r->a);
		o->slots[i].value = v;
	}
}

static void set_slot(struct reading *r, struct matrix_slot *slot,
		     const struct param *p, const struct ynode *n,
		     const char *what)
{
	struct param_value *v = arena_alloc(r->a, sizeof(*v));

	if (!read_value(r, p, n, what, v))
		return;
	*slot = (struct matrix_slot){ .value = v, .at = n->at, .given = true };
}

struct names {
	const char **v;
	size_t n, cap;
};

static void add_name(struct reading *r, struct names *names, const char *name)
{
	const char **slot;

	for (size_t i = 0; i < names->n; i++) {
		if (strcmp(names->v[i], name) == 0)
			return;
	}
	slot = arena_push(r->a, &names->v, &names->n, &names->cap,
			  sizeof(*names->v));
	*slot = name;
}

// Parameters of owners [from, to), `dotted` with their workload's name.
static struct names names_of(struct reading *r, size_t from, size_t to,
			     bool dotted)
{
	struct names names = { 0 };

	for (size_t o = from; o < to; o++) {
		const struct matrix_owner *owner = &r->m->owners[o];

		for (size_t i = 0; i < param_count; i++) {
			const char *name = param_table[i].name;

			if (owner->slots[i].value == NULL)
				continue;
			add_name(r, &names, name);
			if (dotted && o != MATRIX_VM)
				add_name(r, &names,
					 arena_printf(r->a, "%s.%s",
						      owner->name, name));
		}
	}
	return names;
}

void read_unknown_param(struct reading *r, struct place at, const char *name)
{
	struct names plain = names_of(r, 0, r->m->nowners, false);
	struct names all = names_of(r, 0, r->m->nowners, true);
	const char *hint;

	for (size_t i = 0; i < r->m->nvars; i++)
		add_name(r, &all, r->m->vars[i].param.name);
	hint = diag_hint(r->a, name, all.v, all.n);
	if (hint[0] == '\0')
		hint = arena_printf(r->a, " (have %s)",
				    diag_list(r->a, plain.v, plain.n));
	diag_add(&r->d, at, "unknown parameter %s%s", diag_quote(r->a, name),
		 hint);
}

static const struct param *param_of(const struct matrix_owner *o,
				    const char *name)
{
	return param_find(o->kind == NULL ? NULL : o->kind->name, name);
}

size_t read_resolve(struct reading *r, const char *name,
		    struct matrix_target **out)
{
	const char *dot = strchr(name, '.');
	const char *bare = dot == NULL ? name : dot + 1;
	struct matrix_target *t;
	size_t n = 0;

	t = arena_array(r->a, r->m->nowners, sizeof(*t));
	for (size_t i = 0; i < r->m->nowners; i++) {
		const struct matrix_owner *o = &r->m->owners[i];
		const struct param *p = param_of(o, bare);

		if (dot != NULL &&
		    (strlen(o->name) != (size_t)(dot - name) ||
		     strncmp(o->name, name, strlen(o->name)) != 0))
			continue;
		if (p != NULL)
			t[n++] = (struct matrix_target){ i, p };
	}
	*out = t;
	return n;
}

static bool is_workload_name(const char *s)
{
	if (!isalpha((unsigned char)s[0]) || strlen(s) > MATRIX_NAME_MAX)
		return false;
	for (; *s != '\0'; s++) {
		if (!isalnum((unsigned char)*s) && *s != '_' && *s != '-')
			return false;
	}
	return true;
}

static void name_workload(struct reading *r, struct matrix_owner *o,
			  struct place at, const struct ynode *name)
{
	if (name != NULL) {
		at = name->at;
		if (!read_scalar(r, name, "\"name\"", &o->name))
			return;
		if (!is_workload_name(o->name))
			diag_add(&r->d, at,
				 "workload's name %s: must be letters, digits, "
				 "\"-\" and \"_\", beginning with a letter",
				 diag_quote(r->a, o->name));
	}
	for (size_t i = 1; i < r->m->nowners; i++) {
		const struct matrix_owner *other = &r->m->owners[i];

		if (other != o && strcmp(other->name, o->name) == 0)
			diag_add(&r->d, at,
				 "two workloads are called %s: give each a "
				 "\"name\" of its own",
				 diag_quote(r->a, o->name));
	}
}

static void read_workload_params(struct reading *r, struct matrix_owner *o,
				 const struct ynode *map)
{
	size_t self = (size_t)(o - r->m->owners);

	for (size_t i = 0; i < map->n; i++) {
		const char *key = map->keys[i]->text;
		const struct param *p = param_of(o, key);
		struct names have;

		if (strcmp(key, "name") == 0)
			continue;
		if (p != NULL) {
			set_slot(r, &o->slots[param_index(p)], p,
				 map->values[i],
				 arena_printf(r->a, "%s \"%s\"", o->kind->name,
					      key));
			continue;
		}
		have = names_of(r, self, self + 1, false);
		diag_add(&r->d, map->keys[i]->at,
			 "%s: unknown parameter %s (have %s)%s", o->kind->name,
			 diag_quote(r->a, key), diag_list(r->a, have.v, have.n),
			 diag_hint(r->a, key, have.v, have.n));
	}
}

static const struct param_kind *kind_of(struct reading *r,
					const struct ynode *key)
{
	const struct param_kind *kind = param_kind_find(key->text);
	struct names have = { 0 };

	if (kind != NULL)
		return kind;
	for (size_t i = 0; i < param_nkinds; i++)
		add_name(r, &have, param_kinds[i].name);
	diag_add(&r->d, key->at, "unknown workload %s (have %s)%s",
		 diag_quote(r->a, key->text), diag_list(r->a, have.v, have.n),
		 diag_hint(r->a, key->text, have.v, have.n));
	return NULL;
}

// "- block: {...}", "- block:" or "- block".
static void read_workload(struct reading *r, const struct ynode *item)
{
	const struct ynode *key = item, *map = NULL;
	const struct param_kind *kind;
	struct matrix_owner *o;

	if (item->kind == YNODE_MAP && item->n == 1) {
		key = item->keys[0];
		map = item->values[0];
	} else if (item->kind != YNODE_SCALAR) {
		diag_add(&r->d, item->at,
			 "a workload must be one kind with its parameters "
			 "indented below it (like \"- block:\")");
		return;
	}
	kind = kind_of(r, key);
	if (kind == NULL)
		return;
	o = arena_push(r->a, &r->m->owners, &r->m->nowners, &r->owners_cap,
		       sizeof(*o));
	o->kind = kind;
	o->name = kind->name;
	read_defaults(r, o);
	name_workload(r, o, key->at, ynode_get(map, "name"));
	if (map == NULL || (map->kind == YNODE_SCALAR && map->text[0] == '\0'))
		return;
	if (read_is(r, map, YNODE_MAP, diag_quote(r->a, kind->name)))
		read_workload_params(r, o, map);
}

void read_workloads(struct reading *r, const struct read_key *k,
		    const struct ynode *v)
{
	(void)k;
	if (!read_is(r, v, YNODE_LIST, "\"workloads\""))
		return;
	if (v->n == 0 || v->n > MATRIX_WORKLOADS_MAX) {
		diag_add(&r->d, v->at, "workloads: needs 1 to %d of them",
			 MATRIX_WORKLOADS_MAX);
		return;
	}
	for (size_t i = 0; i < v->n; i++)
		read_workload(r, v->values[i]);
}

bool read_is_free(struct reading *r, struct matrix_target t, struct place at,
		  const char *what)
{
	const struct matrix_slot *slot =
		&r->m->owners[t.owner].slots[param_index(t.param)];

	if (!slot->given)
		return true;
	diag_add(&r->d, at, "%s: is set in line %d already; take one away",
		 what, slot->at.line);
	return false;
}

void read_fixed_param(struct reading *r, const struct ynode *key,
		      const struct ynode *v, const char *what)
{
	struct matrix_target *t;
	size_t n = read_resolve(r, key->text, &t);

	if (n == 0)
		read_unknown_param(r, key->at, key->text);
	for (size_t i = 0; i < n; i++) {
		struct matrix_owner *o = &r->m->owners[t[i].owner];

		if (read_is_free(r, t[i], key->at, what))
			set_slot(r, &o->slots[param_index(t[i].param)],
				 t[i].param, v, what);
	}
}

bool read_is_nothing(const struct ynode *v)
{
	return v->kind == YNODE_SCALAR && v->text[0] == '\0';
}

void read_fixed(struct reading *r, const struct read_key *k,
		const struct ynode *v)
{
	(void)k;
	if (read_is_nothing(v) || !read_is(r, v, YNODE_MAP, "\"fixed\""))
		return;
	for (size_t i = 0; i < v->n; i++)
		read_fixed_param(
			r, v->keys[i], v->values[i],
			arena_printf(r->a, "fixed %s",
				     diag_quote(r->a, v->keys[i]->text)));
}

static bool is_factor(const struct matrix *m, struct matrix_target t)
{
	for (size_t i = 0; i < m->nfactors; i++) {
		for (size_t j = 0; j < m->factors[i].ntargets; j++) {
			const struct matrix_target *f =
				&m->factors[i].targets[j];

			if (f->owner == t.owner && f->param == t.param)
				return true;
		}
	}
	return false;
}

static void is_a_factor(struct reading *r, struct place at, const char *name)
{
	diag_add(&r->d, at,
		 "is a factor here: --set factors.%s=[...] changes its levels",
		 name);
}

void read_override(struct reading *r, const char *name,
		   const struct ynode *value)
{
	struct matrix_target *t;
	struct matrix_var *var = read_find_var(r, name);
	size_t n = read_resolve(r, name, &t);

	if (var != NULL && matrix_find_factor(r->m, name) != NULL)
		is_a_factor(r, value->at, name);
	else if (var != NULL)
		read_var(r, var, value);
	else if (n == 0)
		read_unknown_param(r, value->at, name);
	for (size_t i = 0; i < n; i++) {
		struct matrix_owner *o = &r->m->owners[t[i].owner];

		if (is_factor(r->m, t[i]))
			is_a_factor(r, value->at, name);
		else
			set_slot(r, &o->slots[param_index(t[i].param)],
				 t[i].param, value, "value");
	}
}
