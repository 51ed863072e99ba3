#include "runner/record/result.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runner/record/layout.h"

const char *const outcome_names[OUTCOMES] = {
	[OUTCOME_OK] = "ok",	       [OUTCOME_FAILED] = "failed",
	[OUTCOME_INVALID] = "invalid", [OUTCOME_TIMEOUT] = "timeout",
	[OUTCOME_LOST] = "lost",
};

const char *const better_names[BETTERS] = {
	[BETTER_HIGHER] = "higher",
	[BETTER_LOWER] = "lower",
	[BETTER_NEITHER] = "neither",
};

const char *const check_names[CHECK_STATUSES] = {
	[CHECK_OK] = "ok",
	[CHECK_FAILED] = "failed",
	[CHECK_UNVERIFIED] = "unverified",
};

// Index of a name in a table, or -1.
static int find(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; name != NULL && i < n; i++) {
		if (strcmp(names[i], name) == 0)
			return (int)i;
	}
	return -1;
}

const char *outcome_name(enum outcome o)
{
	return outcome_names[o];
}

int outcome_from_name(const char *name, enum outcome *out)
{
	int i = find(outcome_names, ARRAY_LEN(outcome_names), name);

	if (i < 0)
		return -1;
	*out = (enum outcome)i;
	return 0;
}

const char *better_name(enum better b)
{
	return better_names[b];
}

int better_from_name(const char *name, enum better *out)
{
	int i = find(better_names, ARRAY_LEN(better_names), name);

	if (i < 0)
		return -1;
	*out = (enum better)i;
	return 0;
}

const char *check_status_name(enum check_status s)
{
	return check_names[s];
}

struct result *result_new(struct arena *a)
{
	return arena_alloc(a, sizeof(struct result));
}

// Growth by powers of two from the count alone: the capacity is not stored.
static void *grow(struct arena *a, void *items, size_t n, size_t size)
{
	void *bigger;

	if (n != 0 && (n & (n - 1)) != 0)
		return items;
	bigger = arena_array(a, n ? 2 * n : 1, size);
	if (n > 0)
		memcpy(bigger, items, n * size);
	return bigger;
}

void result_metric(struct arena *a, struct result *r, const struct metric *m)
{
	r->metrics = grow(a, r->metrics, r->nmetrics, sizeof(*r->metrics));
	r->metrics[r->nmetrics++] = (struct metric){
		.name = arena_strdup(a, m->name),
		.value = m->value,
		.unit = arena_strdup(a, m->unit),
		.better = m->better,
	};
}

void result_check(struct arena *a, struct result *r, const struct check *c)
{
	r->checks = grow(a, r->checks, r->nchecks, sizeof(*r->checks));
	r->checks[r->nchecks++] = (struct check){
		.parameter = arena_strdup(a, c->parameter),
		.expected = arena_strdup(a, c->expected),
		.seen = arena_strdup(a, c->seen),
		.source = arena_strdup(a, c->source),
		.status = c->status,
	};
}

static PRINTF(2, 0) const
	char *format(struct arena *a, const char *fmt, va_list ap)
{
	CLEANUP(cleanup_free) char *s = NULL;

	if (vasprintf(&s, fmt, ap) < 0)
		abort();
	return arena_strdup(a, s);
}

void result_note(struct arena *a, struct result *r, const char *fmt, ...)
{
	va_list ap;

	r->notes = grow(a, r->notes, r->nnotes, sizeof(*r->notes));
	va_start(ap, fmt);
	r->notes[r->nnotes++] = format(a, fmt, ap);
	va_end(ap);
}

// A failed workload says more than an invalid treatment, which says more than
// a number; the first of equals stands.
static int severity(enum outcome o)
{
	static const int rank[] = {
		[OUTCOME_OK] = 0,     [OUTCOME_INVALID] = 1,
		[OUTCOME_FAILED] = 2, [OUTCOME_TIMEOUT] = 3,
		[OUTCOME_LOST] = 4,
	};

	return rank[o];
}

void result_join(struct arena *a, struct result *r, const struct result *more)
{
	for (size_t i = 0; i < more->nmetrics; i++)
		result_metric(a, r, &more->metrics[i]);
	for (size_t i = 0; i < more->nchecks; i++)
		result_check(a, r, &more->checks[i]);
	for (size_t i = 0; i < more->nnotes; i++)
		result_note(a, r, "%s", more->notes[i]);
}

void result_fail(struct arena *a, struct result *r, enum outcome o,
		 const char *fmt, ...)
{
	va_list ap;

	if (severity(o) <= severity(r->outcome))
		return;
	va_start(ap, fmt);
	r->outcome = o;
	r->reason = format(a, fmt, ap);
	va_end(ap);
}

static struct js *metrics_to_js(const struct result *r)
{
	struct js *list = js_array();

	for (size_t i = 0; i < r->nmetrics; i++) {
		struct js *m = js_object();

		js_set_str(m, "name", r->metrics[i].name);
		js_set_real(m, "value", r->metrics[i].value);
		js_set_str(m, "unit", r->metrics[i].unit);
		js_set_str(m, "better", better_name(r->metrics[i].better));
		js_append(list, m);
	}
	return list;
}

static struct js *checks_to_js(const struct result *r)
{
	struct js *list = js_array();

	for (size_t i = 0; i < r->nchecks; i++) {
		struct js *c = js_object();

		js_set_str(c, "parameter", r->checks[i].parameter);
		js_set_str(c, "expected", r->checks[i].expected);
		js_set_str(c, "seen", r->checks[i].seen);
		js_set_str(c, "source", r->checks[i].source);
		js_set_str(c, "status", check_names[r->checks[i].status]);
		js_append(list, c);
	}
	return list;
}

static struct js *notes_to_js(const struct result *r)
{
	struct js *list;

	if (r->nnotes == 0)
		return NULL;
	list = js_array();
	for (size_t i = 0; i < r->nnotes; i++)
		js_append(list, js_string(r->notes[i]));
	return list;
}

static struct js *ref_or_null(const struct js *j)
{
	return j == NULL ? NULL : js_ref(j);
}

struct js *result_to_js(const struct result *r)
{
	struct js *j = js_object();

	js_set_str(j, "outcome", outcome_name(r->outcome));
	js_set_str(j, "reason", r->reason);
	js_set_str(j, "stage", r->stage);
	if (r->final)
		js_set_bool(j, "final", true);
	js_set(j, "metrics", metrics_to_js(r));
	js_set(j, "checks", checks_to_js(r));
	js_set(j, "notes", notes_to_js(r));
	js_set(j, "hists", ref_or_null(r->hists));
	js_set(j, "times", ref_or_null(r->times));
	js_set(j, "facts", ref_or_null(r->facts));
	return j;
}

// A bounded string member; NULL when missing, of another kind or too long.
static const char *text_of(const struct js *j, const char *key)
{
	const char *s = js_get_str(j, key, NULL);

	return s != NULL && strlen(s) <= RESULT_TEXT_MAX ? s : NULL;
}

// A number, or the null that stands for one that is not finite.
static bool is_figure(const struct js *j)
{
	enum js_kind kind = js_kind(j);

	return j != NULL &&
	       (kind == JS_INT || kind == JS_REAL || kind == JS_NULL);
}

static int read_metric(const struct js *j, struct arena *a, struct result *r)
{
	const char *name = text_of(j, "name"), *unit = text_of(j, "unit");
	const struct js *value = js_get(j, "value");
	enum better better;

	if (name == NULL || unit == NULL || !is_figure(value) ||
	    better_from_name(text_of(j, "better"), &better) < 0)
		return -1;
	result_metric(a, r,
		      &(struct metric){ name, js_real_value(value, 0), unit,
					better });
	return 0;
}

static int read_check(const struct js *j, struct arena *a, struct result *r)
{
	struct check c = {
		.parameter = text_of(j, "parameter"),
		.expected = text_of(j, "expected"),
		.seen = text_of(j, "seen"),
		.source = text_of(j, "source"),
	};
	int status =
		find(check_names, ARRAY_LEN(check_names), text_of(j, "status"));

	if (c.parameter == NULL || c.expected == NULL || c.seen == NULL ||
	    c.source == NULL || status < 0)
		return -1;
	c.status = (enum check_status)status;
	result_check(a, r, &c);
	return 0;
}

static int read_note(const struct js *j, struct arena *a, struct result *r)
{
	const char *s = js_str(j);

	if (s == NULL || strlen(s) > RESULT_TEXT_MAX)
		return -1;
	result_note(a, r, "%s", s);
	return 0;
}

static const struct list {
	const char *key;
	size_t max;
	int (*read)(const struct js *j, struct arena *a, struct result *r);
} lists[] = {
	{ "metrics", RESULT_METRICS_MAX, read_metric },
	{ "checks", RESULT_CHECKS_MAX, read_check },
	{ "notes", RESULT_NOTES_MAX, read_note },
};

static int read_list(const struct js *j, const struct list *l, struct arena *a,
		     struct result *r, struct err *e)
{
	const struct js *arr = js_get(j, l->key);

	if (arr == NULL)
		return 0;
	if (js_kind(arr) != JS_ARRAY || js_len(arr) > l->max)
		return err_set(e, ERR_HOST,
			       "result: \"%s\" is no list of at most %zu",
			       l->key, l->max);
	for (size_t i = 0; i < js_len(arr); i++) {
		if (l->read(js_at(arr, i), a, r) < 0)
			return err_set(e, ERR_HOST, "result: bad %s[%zu]",
				       l->key, i);
	}
	return 0;
}

static int read_object(const struct js *j, const char *key, struct js **out,
		       struct err *e)
{
	*out = js_get(j, key);
	if (*out != NULL && js_kind(*out) != JS_OBJECT)
		return err_set(e, ERR_HOST, "result: \"%s\" is no object", key);
	return 0;
}

int result_from_js(const struct js *j, struct arena *a, struct result *out,
		   struct err *e)
{
	struct result r = { 0 };

	if (outcome_from_name(js_get_str(j, "outcome", NULL), &r.outcome) < 0)
		return err_set(e, ERR_HOST, "result: no known \"outcome\"");
	r.reason = text_of(j, "reason");
	r.stage = text_of(j, "stage");
	r.final = js_get_bool(j, "final", false);
	if (r.reason != NULL)
		r.reason = arena_strdup(a, r.reason);
	if (r.stage != NULL)
		r.stage = arena_strdup(a, r.stage);
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		if (read_list(j, &lists[i], a, &r, e) < 0)
			return -1;
	}
	if (read_object(j, "hists", &r.hists, e) < 0 ||
	    read_object(j, "times", &r.times, e) < 0 ||
	    read_object(j, "facts", &r.facts, e) < 0)
		return -1;
	*out = r;
	return 0;
}
