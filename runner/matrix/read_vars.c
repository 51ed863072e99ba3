#include "runner/matrix/read.h"

#include <ctype.h>
#include <string.h>

#include "runner/base/alloc.h"

struct matrix_var *read_find_var(struct reading *r, const char *name)
{
	for (size_t i = 0; i < r->m->nvars; i++) {
		if (strcmp(r->m->vars[i].param.name, name) == 0)
			return &r->m->vars[i];
	}
	return NULL;
}

// A name that an environment can have.
static bool is_var_name(const char *s)
{
	if (!isalpha((unsigned char)s[0]) || strlen(s) > MATRIX_NAME_MAX)
		return false;
	while (isalnum((unsigned char)*s) || *s == '_')
		s++;
	return *s == '\0';
}

static bool may_be_var(struct reading *r, const struct ynode *key)
{
	struct matrix_target *t;

	if (!is_var_name(key->text)) {
		diag_add(&r->d, key->at,
			 "vars: %s: a name must be letters, digits and _, and "
			 "begin with a letter",
			 diag_quote(r->a, key->text));
		return false;
	}
	if (read_resolve(r, key->text, &t) > 0) {
		diag_add(&r->d, key->at,
			 "vars: %s is a parameter: take another name, or set "
			 "the parameter under \"fixed\"",
			 diag_quote(r->a, key->text));
		return false;
	}
	return true;
}

void read_var(struct reading *r, struct matrix_var *var, const struct ynode *v)
{
	const char *what = arena_printf(r->a, "vars %s", var->param.name);

	var->at = v->at;
	if (!read_value(r, &var->param, v, what, &var->value))
		var->value.s = "";
}

void read_vars(struct reading *r, const struct read_key *k,
	       const struct ynode *v)
{
	struct matrix *m = r->m;

	if (read_is_nothing(v) ||
	    !read_is(r, v, YNODE_MAP, diag_quote(r->a, k->name)))
		return;
	if (v->n > MATRIX_VARS_MAX) {
		diag_add(&r->d, v->at, "vars: at most %d of them are read",
			 MATRIX_VARS_MAX);
		return;
	}
	m->vars = arena_array(r->a, v->n + 1, sizeof(*m->vars));
	for (size_t i = 0; i < v->n; i++) {
		struct matrix_var *var = &m->vars[m->nvars];

		if (!may_be_var(r, v->keys[i]))
			continue;
		var->param = (struct param){ .name = v->keys[i]->text,
					     .type = PARAM_TEXT,
					     .def = "",
					     .empty = "\"\"",
					     .help = "",
					     .scope = PARAM_VM };
		read_var(r, var, v->values[i]);
		m->nvars++;
	}
}
