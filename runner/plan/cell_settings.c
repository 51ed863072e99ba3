#include "runner/plan/cell_settings.h"

#include <string.h>

struct cell_settings {
	const struct matrix *m;
	size_t *factor_of; // by slot_index: factor + 1, or 0
	bool *mattered;	   // by slot_index: it had an effect in some cell
	struct param_value *defaults; // by param_index
};

static size_t slot_index(size_t owner, const struct param *p)
{
	return owner * param_count + param_index(p);
}

struct cell_settings *cell_settings_new(const struct matrix *m, struct arena *a)
{
	struct cell_settings *s = arena_alloc(a, sizeof(*s));
	size_t slots = m->nowners * param_count;

	*s = (struct cell_settings){ .m = m };
	s->factor_of = arena_array(a, slots, sizeof(*s->factor_of));
	s->mattered = arena_array(a, slots, sizeof(*s->mattered));
	s->defaults = arena_array(a, param_count, sizeof(*s->defaults));
	for (size_t i = 0; i < param_count; i++)
		s->defaults[i] = param_default(&param_table[i], a);
	for (size_t i = 0; i < m->nfactors; i++) {
		const struct matrix_factor *f = &m->factors[i];

		for (size_t j = 0; j < f->ntargets; j++)
			s->factor_of[slot_index(f->targets[j].owner,
						f->targets[j].param)] = i + 1;
	}
	return s;
}

bool cell_settings_mattered(const struct cell_settings *s, size_t owner,
			    const struct param *p)
{
	return s->mattered[slot_index(owner, p)];
}

// What the matrix says, whether it has an effect or not.
static const struct param_value *stated(const struct cell_settings *s,
					const size_t *level, size_t owner,
					const struct param *p)
{
	size_t f = s->factor_of[slot_index(owner, p)];

	if (f == 0)
		return s->m->owners[owner].slots[param_index(p)].value;
	return &s->m->factors[f - 1].levels[level[f - 1]].value;
}

static bool matters(const struct cell_settings *s, const size_t *level,
		    size_t owner, const struct param *p)
{
	const struct param *on;
	const struct param_value *v;

	if (p->needs.param == NULL)
		return true;
	on = param_find(p->kind, p->needs.param);
	v = stated(s, level, owner, on);
	return (strcmp(v->s, p->needs.value) == 0) != p->needs.is_not;
}

bool cell_settings_factor_matters(const struct cell_settings *s,
				  const size_t *level,
				  const struct matrix_factor *f)
{
	if (f->var != NULL)
		return true;
	for (size_t i = 0; i < f->ntargets; i++) {
		if (matters(s, level, f->targets[i].owner, f->targets[i].param))
			return true;
	}
	return false;
}

static struct js *params_to_js(struct cell_settings *s, const size_t *level,
			       size_t owner, struct js *out)
{
	const struct matrix_owner *o = &s->m->owners[owner];

	for (size_t i = 0; i < param_count; i++) {
		const struct param *p = &param_table[i];
		const struct param_value *v = &s->defaults[i];

		if (o->slots[i].value == NULL || p->scope == PARAM_HOST)
			continue;
		if (matters(s, level, owner, p)) {
			v = stated(s, level, owner, p);
			s->mattered[slot_index(owner, p)] = true;
		}
		js_set(out, p->name, param_to_js(p, v));
	}
	return out;
}

// Settings of the host that are not left as they are; NULL when there are none.
struct js *cell_settings_host(struct cell_settings *s, const size_t *level)
{
	CLEANUP(js_unrefp) struct js *host = js_object();

	for (size_t i = 0; i < s->m->nhost_files; i++)
		js_set_str(host, s->m->host_files[i].key,
			   s->m->host_files[i].value);
	for (size_t i = 0; i < param_count; i++) {
		const struct param *p = &param_table[i];
		const struct param_value *v;

		if (p->scope != PARAM_HOST)
			continue;
		v = stated(s, level, MATRIX_VM, p);
		s->mattered[slot_index(MATRIX_VM, p)] = true;
		if (!param_equal(v, &s->defaults[i]))
			js_set(host, p->name, param_to_js(p, v));
	}
	return js_len(host) > 0 ? TAKE_PTR(host) : NULL;
}

static bool may_destroy(const struct matrix *m, const char *device)
{
	size_t i = 0;

	while (i < m->ndestroy && strcmp(m->destroy[i].path, device) != 0)
		i++;
	return i < m->ndestroy;
}

struct js *cell_settings_workloads(struct cell_settings *s, const size_t *level)
{
	struct js *list = js_array();

	for (size_t i = 1; i < s->m->nowners; i++) {
		struct js *w = js_object();

		js_set_str(w, "kind", s->m->owners[i].kind->name);
		js_set_str(w, "name", s->m->owners[i].name);
		params_to_js(s, level, i, w);
		if (may_destroy(s->m, js_get_str(w, "device", "")))
			js_set_bool(w, "destroy", true);
		js_append(list, w);
	}
	return list;
}

struct js *cell_settings_vm(struct cell_settings *s, const size_t *level)
{
	return params_to_js(s, level, MATRIX_VM, js_object());
}

struct js *cell_settings_vars(const struct cell_settings *s,
			      const size_t *level)
{
	const struct matrix *m = s->m;
	struct js *vars = m->nvars > 0 ? js_object() : NULL;

	for (size_t i = 0; i < m->nvars; i++) {
		const char *name = m->vars[i].param.name;
		const struct matrix_factor *f = matrix_find_factor(m, name);
		const struct param_value *v = &m->vars[i].value;

		if (f != NULL)
			v = &f->levels[level[f - m->factors]].value;
		js_set_str(vars, name, v->s);
	}
	return vars;
}
