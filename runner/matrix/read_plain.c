#include "runner/matrix/read.h"

#include <ctype.h>
#include <string.h>

#include "runner/matrix/inventory.h"

bool read_is(struct reading *r, const struct ynode *n, enum ynode_kind kind,
	     const char *what)
{
	static const char *const wanted[] = { [YNODE_SCALAR] = "text",
					      [YNODE_LIST] = "a list",
					      [YNODE_MAP] = "a map" };

	if (n->kind == kind)
		return true;
	diag_add(&r->d, n->at, "%s must be %s, not %s", what, wanted[kind],
		 ynode_kind_name(n));
	return false;
}

bool read_scalar(struct reading *r, const struct ynode *n, const char *what,
		 const char **out)
{
	if (!read_is(r, n, YNODE_SCALAR, what))
		return false;
	if (n->text[0] == '\0' || strlen(n->text) > MATRIX_TEXT_MAX) {
		diag_add(&r->d, n->at,
			 n->text[0] ? "%s is longer than %d bytes"
				    : "%s has no value",
			 what, MATRIX_TEXT_MAX);
		return false;
	}
	*out = n->text;
	return true;
}

// Letters, digits and some marks: safe as a file's name, in a shell, in CSV.
static bool is_word(const char *s, const char *marks)
{
	if (!isalnum((unsigned char)s[0]))
		return false;
	for (; *s != '\0'; s++) {
		if (!isalnum((unsigned char)*s) && strchr(marks, *s) == NULL)
			return false;
	}
	return true;
}

void read_name(struct reading *r, const struct read_key *k,
	       const struct ynode *v)
{
	const char *text;

	(void)k;
	if (!read_scalar(r, v, "\"name\"", &text))
		return;
	if (strlen(text) > MATRIX_NAME_MAX || !is_word(text, "._-"))
		diag_add(&r->d, v->at,
			 "name %s: must be at most %d letters, digits, \"-\", "
			 "\"_\" and \".\", beginning with a letter or digit",
			 diag_quote(r->a, text), MATRIX_NAME_MAX);
	r->m->name = text;
}

void read_question(struct reading *r, const struct read_key *k,
		   const struct ynode *v)
{
	(void)k;
	read_scalar(r, v, "\"question\"", &r->m->question);
}

// A figure of a key, by the parser of parameters, so that both read alike.
static bool read_figure(struct reading *r, const struct read_key *k,
			const struct ynode *v, const struct param *like,
			struct param_value *out)
{
	const char *why = "";

	if (!read_is(r, v, YNODE_SCALAR, diag_quote(r->a, k->name)))
		return false;
	if (param_parse(like, v->text, r->a, out, &why) == 0)
		return true;
	diag_add(&r->d, v->at, "%s: %s", k->name, why);
	return false;
}

static void *member(struct reading *r, const struct read_key *k)
{
	return (char *)r->m + k->offset;
}

void read_count(struct reading *r, const struct read_key *k,
		const struct ynode *v)
{
	struct param like = { .type = PARAM_COUNT,
			      .min = k->min,
			      .max = k->max };
	struct param_value value;
	uint32_t *out = member(r, k);

	if (read_figure(r, k, v, &like, &value))
		*out = (uint32_t)value.i;
}

void read_seed(struct reading *r, const struct read_key *k,
	       const struct ynode *v)
{
	struct param like = { .type = PARAM_COUNT,
			      .min = k->min,
			      .max = k->max };
	struct param_value value;

	if (!read_figure(r, k, v, &like, &value))
		return;
	r->m->has_seed = true;
	r->m->seed = (uint32_t)value.i;
}

static const struct param like_duration = { .type = PARAM_DURATION,
					    .max = 1e9 * 86400 * 365 };

void read_duration(struct reading *r, const struct read_key *k,
		   const struct ynode *v)
{
	struct param_value value;
	uint64_t *out = member(r, k);

	if (read_figure(r, k, v, &like_duration, &value))
		*out = (uint64_t)value.i;
}

void read_timeout(struct reading *r, const struct read_key *k,
		  const struct ynode *v)
{
	struct param_value value;

	r->m->timeout_at = v->at;
	if (!read_figure(r, k, v, &like_duration, &value))
		return;
	r->m->timeout_ns = (uint64_t)value.i;
	if (value.i == 0)
		diag_add(&r->d, v->at, "timeout: must be more than 0");
}

void read_ratio(struct reading *r, const struct read_key *k,
		const struct ynode *v)
{
	struct param like = { .type = PARAM_RATIO, .min = 0, .max = 1 };
	struct param_value value;
	double *out = member(r, k);

	if (!read_figure(r, k, v, &like, &value))
		return;
	*out = value.x;
	if (value.x <= 0)
		diag_add(&r->d, v->at, "%s: must be more than 0 (like 2%%)",
			 k->name);
}

void read_margin(struct reading *r, const struct read_key *k,
		 const struct ynode *v)
{
	read_ratio(r, k, v);
	r->m->has_margin = r->m->margin > 0;
}

void read_flag(struct reading *r, const struct read_key *k,
	       const struct ynode *v)
{
	struct param like = { .type = PARAM_BOOL };
	struct param_value value;
	bool *out = member(r, k);

	if (read_figure(r, k, v, &like, &value))
		*out = value.i != 0;
}

void read_choice(struct reading *r, const struct read_key *k,
		 const struct ynode *v)
{
	struct param like = { .type = PARAM_CHOICE, .choices = k->choices };
	struct param_value value;
	unsigned *out = member(r, k); // an enum without negative values

	if (!read_figure(r, k, v, &like, &value))
		return;
	for (unsigned i = 0; k->choices[i] != NULL; i++) {
		if (strcmp(k->choices[i], value.s) == 0)
			*out = i;
	}
}

static void read_host(struct reading *r, const struct ynode *v)
{
	struct matrix *m = r->m;
	const char *text, **slot;
	struct place *at;

	if (!read_scalar(r, v, "a host", &text))
		return;
	for (size_t i = 0; i < m->nhosts; i++) {
		if (strcmp(m->hosts[i], text) == 0) {
			diag_add(&r->d, v->at, "host %s is listed twice",
				 diag_quote(r->a, text));
			return;
		}
	}
	if (!inventory_is_destination(text)) {
		diag_add(&r->d, v->at,
			 "host %s: must be a host or group of " INVENTORY_FILE
			 ", or [USER@]HOST[:PORT]",
			 diag_quote(r->a, text));
		return;
	}
	slot = arena_push(r->a, &m->hosts, &m->nhosts, &r->hosts_cap,
			  sizeof(*m->hosts));
	*slot = text;
	at = arena_push(r->a, &m->hosts_at, &r->hosts_at_n, &r->hosts_at_cap,
			sizeof(*m->hosts_at));
	*at = v->at;
}

void read_hosts(struct reading *r, const struct read_key *k,
		const struct ynode *v)
{
	(void)k;
	if (v->kind == YNODE_SCALAR) {
		read_host(r, v);
		return;
	}
	if (!read_is(r, v, YNODE_LIST, "\"hosts\""))
		return;
	if (v->n == 0 || v->n > MATRIX_HOSTS_MAX) {
		diag_add(&r->d, v->at, "hosts: needs 1 to %d of them",
			 MATRIX_HOSTS_MAX);
		return;
	}
	for (size_t i = 0; i < v->n; i++)
		read_host(r, v->values[i]);
}

void read_require(struct reading *r, const struct read_key *k,
		  const struct ynode *v)
{
	struct param like = { .type = PARAM_CHOICE, .choices = k->choices };
	struct matrix *m = r->m;
	struct param_value value;
	struct matrix_pair *pair;

	if (!read_figure(r, k, v, &like, &value))
		return;
	pair = arena_push(r->a, &m->require, &m->nrequire, &r->require_cap,
			  sizeof(*pair));
	*pair = (struct matrix_pair){ k->name, value.s };
}
