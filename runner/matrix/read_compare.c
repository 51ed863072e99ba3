#include "runner/matrix/read.h"

#include <string.h>

static const char *metric_name(struct reading *r, const struct matrix_owner *o,
			       size_t i)
{
	return arena_printf(r->a, "%s.%s", o->name, o->kind->metrics[i].name);
}

// The names of all metrics that the workloads make. Returns their number.
static size_t all_metrics(struct reading *r, const char ***out)
{
	const struct matrix *m = r->m;
	size_t total = 0, n = 0;

	for (size_t o = 1; o < m->nowners; o++)
		total += m->owners[o].kind->nmetrics;
	*out = arena_array(r->a, total + 1, sizeof(**out));
	for (size_t o = 1; o < m->nowners; o++) {
		for (size_t i = 0; i < m->owners[o].kind->nmetrics; i++)
			(*out)[n++] = metric_name(r, &m->owners[o], i);
	}
	return n;
}

static bool contains(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

// A list of metrics of the matrix.
struct metric_list {
	const char ***names;
	size_t *n, *cap;
};

static void add_metric(struct reading *r, struct metric_list *to,
		       const char *name)
{
	const char **slot =
		arena_push(r->a, to->names, to->n, to->cap, sizeof(*slot));
	*slot = name;
}

static void read_one_metric(struct reading *r, struct metric_list *to,
			    const struct ynode *v)
{
	const char **have, *text;
	size_t n;

	if (!read_scalar(r, v, "a metric", &text))
		return;
	n = all_metrics(r, &have);
	if (!contains(have, n, text))
		diag_add(&r->d, v->at, "unknown metric %s (have %s)%s",
			 diag_quote(r->a, text), diag_list(r->a, have, n),
			 diag_hint(r->a, text, have, n));
	else if (contains(*to->names, *to->n, text))
		diag_add(&r->d, v->at, "metric %s is listed twice",
			 diag_quote(r->a, text));
	else
		add_metric(r, to, text);
}

static void read_metrics(struct reading *r, const struct read_key *k,
			 const struct ynode *v, struct metric_list to)
{
	if (r->m->nowners == 1)
		return; // no workload: that is the finding to tell
	if (v->kind == YNODE_SCALAR) {
		read_one_metric(r, &to, v);
		return;
	}
	if (!read_is(r, v, YNODE_LIST, diag_quote(r->a, k->name)))
		return;
	if (v->n == 0 || v->n > MATRIX_METRICS_MAX) {
		diag_add(&r->d, v->at, "%s: needs 1 to %d of them", k->name,
			 MATRIX_METRICS_MAX);
		return;
	}
	for (size_t i = 0; i < v->n; i++)
		read_one_metric(r, &to, v->values[i]);
}

static struct metric_list primary(struct reading *r)
{
	return (struct metric_list){ &r->m->metrics, &r->m->nmetrics,
				     &r->metrics_cap };
}

void read_metric(struct reading *r, const struct read_key *k,
		 const struct ynode *v)
{
	read_metrics(r, k, v, primary(r));
}

void read_exact(struct reading *r, const struct read_key *k,
		const struct ynode *v)
{
	read_metrics(r, k, v,
		     (struct metric_list){ &r->m->exact, &r->m->nexact,
					   &r->exact_cap });
}

void read_default_metrics(struct reading *r)
{
	struct metric_list to = primary(r);

	if (r->m->nmetrics > 0)
		return;
	for (size_t o = 1; o < r->m->nowners; o++)
		add_metric(r, &to, metric_name(r, &r->m->owners[o], 0));
}

static const char **factor_names(struct reading *r)
{
	const struct matrix *m = r->m;
	const char **names = arena_array(r->a, m->nfactors + 1, sizeof(*names));

	for (size_t i = 0; i < m->nfactors; i++)
		names[i] = m->factors[i].name;
	return names;
}

static const char **level_names(struct reading *r,
				const struct matrix_factor *f)
{
	const char **names = arena_array(r->a, f->nlevels + 1, sizeof(*names));

	for (size_t i = 0; i < f->nlevels; i++)
		names[i] = f->levels[i].text;
	return names;
}

bool read_factor_name(struct reading *r, const char *what,
		      const struct ynode *key, size_t *out)
{
	const struct matrix *m = r->m;
	const struct matrix_factor *f = matrix_find_factor(m, key->text);
	const char **names;

	if (f == NULL) {
		names = factor_names(r);
		diag_add(&r->d, key->at, "%s: %s is no factor (have %s)%s",
			 what, diag_quote(r->a, key->text),
			 m->nfactors ? diag_list(r->a, names, m->nfactors)
				     : "none",
			 diag_hint(r->a, key->text, names, m->nfactors));
		return false;
	}
	*out = (size_t)(f - m->factors);
	return f->nlevels > 0; // else its own finding is the one to tell
}

bool read_known_level(struct reading *r, const char *what,
		      const struct ynode *key, const struct ynode *v,
		      struct matrix_ref *out)
{
	const struct matrix_factor *f;
	const char **names, *text;

	if (!read_factor_name(r, what, key, &out->factor))
		return false;
	f = &r->m->factors[out->factor];
	if (!read_scalar(r, v, what, &text))
		return false;
	out->level = matrix_find_level(f, text);
	if (out->level != SIZE_MAX)
		return true;
	names = level_names(r, f);
	diag_add(&r->d, v->at, "%s: factor \"%s\" has no level %s (have %s)%s",
		 what, f->name, diag_quote(r->a, text),
		 diag_list(r->a, names, f->nlevels),
		 diag_hint(r->a, text, names, f->nlevels));
	return false;
}

bool read_partial(struct reading *r, const char *what, const struct ynode *v,
		  read_level_fn *level, struct matrix_partial *out)
{
	bool ok = true;

	if (!read_is(r, v, YNODE_MAP, what))
		return false;
	if (v->n == 0) {
		diag_add(&r->d, v->at, "%s: names no factor (like {%s: %s})",
			 what, "backing", "4k");
		return false;
	}
	out->at = v->at;
	out->refs = arena_array(r->a, v->n, sizeof(*out->refs));
	for (size_t i = 0; i < v->n; i++)
		ok &= level(r, what, v->keys[i], v->values[i], &out->refs[i]);
	out->n = v->n;
	return ok;
}

void read_baseline(struct reading *r, const struct read_key *k,
		   const struct ynode *v)
{
	struct matrix_partial p = { 0 };

	if (read_partial(r, k->name, v, read_known_level, &p))
		r->m->baseline = p;
}
