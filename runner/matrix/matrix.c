#include "runner/matrix/matrix.h"

#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/buf.h"
#include "runner/matrix/read.h"
#include "runner/matrix/yaml.h"

// An override: "KEY=VALUE" taken apart.
struct override {
	const char *key;
	const char *head; // up to the first dot
	struct ynode *value;
};

// `name` is what the user typed, or "" for --set.
static bool split_override(struct reading *r, const char *text,
			   const char *name, struct override *out)
{
	const char *eq = strchr(text, '='), *dot;
	struct place at = { "--set", 0, 0 };

	if (eq == NULL || eq == text) {
		diag_add(&r->d, at, "%s: must be KEY=VALUE",
			 diag_quote(r->a, text));
		return false;
	}
	out->key = out->head = arena_strndup(r->a, text, (size_t)(eq - text));
	dot = strchr(out->key, '.');
	if (dot != NULL)
		out->head =
			arena_strndup(r->a, out->key, (size_t)(dot - out->key));
	at.file = name[0] != '\0' ? arena_strdup(r->a, name)
				  : arena_printf(r->a, "--set %.*s",
						 MATRIX_NAME_MAX, out->key);
	if (eq[1] == '[' || eq[1] == '{')
		out->value =
			ynode_parse(at.file, eq + 1, strlen(eq + 1), &r->d);
	else
		out->value = ynode_scalar(r->a, at, eq + 1);
	return out->value != NULL;
}

static bool is_place_in_file(const struct override *o)
{
	for (size_t i = 0; i < read_nkeys; i++) {
		if (read_keys[i].section[0] == '\0' &&
		    strcmp(read_keys[i].name, o->head) == 0)
			return true;
	}
	return false;
}

static bool is_map(const char *section, const char *name)
{
	for (size_t i = 0; i < read_nkeys; i++) {
		const struct read_key *k = &read_keys[i];

		if (strcmp(k->section, section) == 0 &&
		    strcmp(k->name, name) == 0)
			return k->form == READ_SECTION || k->form == READ_MAP;
	}
	return false;
}

// Sets `path` below `map`, which is `section`. Maps on the way are copied: an
// alias may share them.
static void set_below(struct reading *r, struct ynode *map, const char *section,
		      const char *path, struct ynode *value)
{
	const char *dot = strchr(path, '.'), *head;
	struct ynode *old, *copy;

	head = arena_strndup(r->a, path, strcspn(path, "."));
	if (dot == NULL || !is_map(section, head)) {
		ynode_set(r->a, map, path, value);
		return;
	}
	old = ynode_get(map, head);
	copy = ynode_map(r->a, old != NULL ? old->at : value->at);
	for (size_t i = 0; old != NULL && old->kind == YNODE_MAP && i < old->n;
	     i++)
		ynode_push(r->a, copy, old->keys[i], old->values[i]);
	if (section[0] != '\0')
		section = arena_printf(r->a, "%s.%s", section, head);
	else
		section = head;
	set_below(r, copy, section, dot + 1, value);
	ynode_set(r->a, map, head, copy);
}

static const char *default_question(const struct matrix *m)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;

	buf_puts(&b, m->nfactors > 0 ? "How does " : "What is ");
	for (size_t i = 0; i < m->nfactors; i++)
		buf_printf(&b, "%s%s", i ? " or " : "", m->factors[i].name);
	if (m->nfactors > 0)
		buf_puts(&b, " change ");
	for (size_t i = 0; i < m->nmetrics; i++)
		buf_printf(&b, "%s%s", i ? ", " : "", m->metrics[i]);
	buf_putc(&b, '?');
	return arena_strdup(m->arena, buf_str(&b));
}

static void read_root(struct reading *r, struct ynode *root,
		      const struct override *set, size_t nset)
{
	struct matrix *m = r->m;
	struct matrix_owner *vm;

	vm = arena_push(r->a, &m->owners, &m->nowners, &r->owners_cap,
			sizeof(*vm));
	vm->name = "";
	read_defaults(r, vm);
	for (size_t i = 0; i < nset; i++) {
		if (is_place_in_file(&set[i]))
			set_below(r, root, "", set[i].key, set[i].value);
	}
	read_section(r, "", root);
	for (size_t i = 0; i < nset; i++) {
		if (!is_place_in_file(&set[i]))
			read_override(r, set[i].key, set[i].value);
	}
	read_default_metrics(r);
	read_check_stop(r, root);
	if (m->question == NULL)
		m->question = default_question(m);
}

static void read_all(struct reading *r, struct ynode *root,
		     const struct matrix_source *s)
{
	struct override *o = arena_array(r->a, s->nset + 1, sizeof(*o));
	size_t n = 0;

	for (size_t i = 0; i < s->nset; i++)
		n += split_override(r, s->set[i],
				    s->set_names ? s->set_names[i] : "", &o[n]);
	if (read_is(r, root, YNODE_MAP, "a matrix"))
		read_root(r, root, o, n);
}

int matrix_parse(const struct matrix_source *s, struct matrix **out,
		 struct err *e)
{
	CLEANUP(matrix_freep) struct matrix *m = xcalloc(1, sizeof(*m));
	struct reading r = { .m = m };
	struct ynode *root;

	r.a = r.d.arena = m->arena = arena_new();
	m->file = arena_strdup(m->arena, s->file);
	root = ynode_parse(s->file, s->data, s->len, &r.d);
	if (root != NULL)
		read_all(&r, root, s);
	if (diag_report(&r.d, e) < 0)
		return -1;
	*out = TAKE_PTR(m);
	return 0;
}

void matrix_free(struct matrix *m)
{
	if (m == NULL)
		return;
	arena_free(m->arena);
	free(m);
}

void matrix_freep(struct matrix **m)
{
	matrix_free(*m);
}

const struct matrix_factor *matrix_find_factor(const struct matrix *m,
					       const char *name)
{
	for (size_t i = 0; i < m->nfactors; i++) {
		if (strcmp(m->factors[i].name, name) == 0)
			return &m->factors[i];
	}
	return NULL;
}

// "4096" finds the level "4k", too.
static size_t find_equal(const struct matrix_factor *f, const char *text)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const struct param *p =
		f->var != NULL ? &f->var->param : f->targets[0].param;
	struct param_value v;
	const char *why = NULL;

	if (param_parse(p, text, a, &v, &why) < 0)
		return SIZE_MAX;
	for (size_t i = 0; i < f->nlevels; i++) {
		if (param_equal(&f->levels[i].value, &v))
			return i;
	}
	return SIZE_MAX;
}

size_t matrix_find_level(const struct matrix_factor *f, const char *text)
{
	for (size_t i = 0; i < f->nlevels; i++) {
		if (strcmp(f->levels[i].text, text) == 0)
			return i;
	}
	return find_equal(f, text);
}
