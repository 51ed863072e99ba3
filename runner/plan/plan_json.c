#include "runner/plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/sha256.h"
#include "runner/plan/hash.h"
#include "runner/plan/rows.h"

enum {
	TEXT_MAX = 64 * 1024,
	NAMES_MAX = 10000,
	SMALL_MAX = 1000 * 1000,
};

static const char *const order_names[] = { [PLAN_BLOCKS] = "blocks",
					   [PLAN_WILLIAMS] = "williams",
					   [PLAN_SEQUENTIAL] = "sequential",
					   [PLAN_RECORDED] = "recorded",
					   [PLAN_UNKNOWN] = "unknown" };

static struct js *names_to_js(const char *const *names, size_t n)
{
	struct js *list = js_array();

	for (size_t i = 0; i < n; i++)
		js_append(list, js_string(names[i]));
	return list;
}

// Pairs, not an object: the order of the factors is the matrix's.
static struct js *levels_to_js(const struct level *levels, size_t n)
{
	struct js *list = js_array();

	for (size_t i = 0; i < n; i++) {
		const char *pair[] = { levels[i].factor, levels[i].text };

		js_append(list, names_to_js(pair, 2));
	}
	return list;
}

static struct js *cells_to_js(const struct plan *p)
{
	struct js *list = js_array();

	for (size_t i = 0; i < p->ncells; i++) {
		const struct plan_cell *c = &p->cells[i];
		struct js *o = js_object();

		js_set_str(o, "label", c->label);
		js_set(o, "levels", levels_to_js(c->levels, c->nlevels));
		js_set(o, "host", js_ref(c->host));
		js_set(o, "vars", js_ref(c->vars));
		js_set(o, "vm", js_ref(c->vm));
		js_set(o, "workloads", js_ref(c->workloads));
		js_set_int(o, "boot_group", c->boot_group);
		js_append(list, o);
	}
	return list;
}

static struct js *stop_to_js(const struct plan_stop *stop)
{
	struct js *j = js_object();

	js_set_bool(j, "margin", stop->margin);
	js_set_real(j, "precision", stop->precision);
	js_set_int(j, "min_rounds", stop->min_rounds);
	return j;
}

static struct js *to_js(const struct plan *p)
{
	struct js *j = js_object();

	js_set_int(j, "version", PLAN_VERSION);
	js_set_str(j, "name", p->name);
	js_set_str(j, "question", p->question);
	js_set_int(j, "seed", (int64_t)p->seed);
	js_set_str(j, "rng", p->rng);
	js_set_str(j, "order", order_names[p->order]);
	js_set(j, "hosts", names_to_js(p->hosts, p->nhosts));
	if (p->share)
		js_set_str(j, "spread", "share");
	js_set_int(j, "rounds", p->rounds);
	js_set_int(j, "warmup_rounds", p->warmup_rounds);
	js_set_int(j, "repeat", p->repeat);
	js_set_int(j, "retries", p->retries);
	js_set_int(j, "timeout_ns", (int64_t)p->timeout_ns);
	js_set_int(j, "cooldown_ns", (int64_t)p->cooldown_ns);
	js_set(j, "metrics", names_to_js(p->metrics, p->nmetrics));
	if (p->nexact > 0)
		js_set(j, "exact", names_to_js(p->exact, p->nexact));
	js_set(j, "baseline", levels_to_js(p->baseline, p->nbaseline));
	if (p->has_margin)
		js_set_real(j, "margin", p->margin);
	if (p->has_stop)
		js_set(j, "stop", stop_to_js(&p->stop));
	if (p->aa)
		js_set_bool(j, "aa", true);
	js_set(j, "hooks", js_ref(p->hooks));
	js_set(j, "notes", names_to_js(p->notes, p->nnotes));
	js_set(j, "cells", cells_to_js(p));
	js_set(j, "trials", rows_to_js(p));
	return j;
}

struct js *plan_to_js(const struct plan *p)
{
	struct js *j = to_js(p);

	js_set_str(j, "id", p->id);
	return j;
}

void plan_hash(const struct plan *p, char out[PLAN_ID_CHARS + 1])
{
	CLEANUP(js_unrefp) struct js *j = to_js(p);
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;

	js_print_canonical(j, &b);
	sha256_hex(buf_str(&b), b.len, out);
}

bool plan_is_imported(const struct plan *p)
{
	return p->order == PLAN_RECORDED || p->order == PLAN_UNKNOWN;
}

void plan_seal(struct plan *p)
{
	plan_hash(p, p->id);
}

// Reading: each of these returns -1 with an error that names the key.

static int bad(struct err *e, const char *key, const char *what)
{
	return err_set(e, ERR_STORE, "plan: \"%s\": %s", key, what);
}

static int read_text(const struct js *j, const char *key, struct arena *a,
		     const char **out, struct err *e)
{
	const char *s = js_get_str(j, key, NULL);

	if (s == NULL || strlen(s) > TEXT_MAX)
		return bad(e, key, "must be text");
	*out = arena_strdup(a, s);
	return 0;
}

struct range {
	int64_t min, max;
};

static int read_int(const struct js *j, const char *key, struct range r,
		    int64_t *out, struct err *e)
{
	const struct js *v = js_get(j, key);

	*out = js_int_value(v, r.min);
	if (js_kind(v) != JS_INT || *out < r.min || *out > r.max)
		return bad(e, key, "must be a whole number in its range");
	return 0;
}

static int read_names(const struct js *j, const char *key, struct arena *a,
		      const char ***out, struct err *e)
{
	const struct js *list = js_get(j, key);
	size_t n = js_len(list);

	if (js_kind(list) != JS_ARRAY || n > NAMES_MAX)
		return bad(e, key, "must be a list of text");
	*out = arena_array(a, n + 1, sizeof(**out));
	for (size_t i = 0; i < n; i++) {
		const char *s = js_str(js_at(list, i));

		if (s == NULL || strlen(s) > TEXT_MAX)
			return bad(e, key, "must be a list of text");
		(*out)[i] = arena_strdup(a, s);
	}
	return 0;
}

static int read_levels(const struct js *j, const char *key, struct arena *a,
		       struct level **out, struct err *e)
{
	const struct js *list = js_get(j, key);
	size_t n = js_len(list);

	if (js_kind(list) != JS_ARRAY || n > RECORD_LEVELS_MAX)
		return bad(e, key, "must be a list of [factor, level]");
	*out = arena_array(a, n + 1, sizeof(**out));
	for (size_t i = 0; i < n; i++) {
		const struct js *pair = js_at(list, i);
		const char *factor = js_str(js_at(pair, 0));
		const char *text = js_str(js_at(pair, 1));

		if (factor == NULL || text == NULL || js_len(pair) != 2)
			return bad(e, key, "must be a list of [factor, level]");
		(*out)[i].factor = arena_strdup(a, factor);
		(*out)[i].text = arena_strdup(a, text);
	}
	return 0;
}

static int read_cell(const struct js *j, struct plan *p, struct plan_cell *c,
		     struct err *e)
{
	struct js *host = js_get(j, "host"), *vars = js_get(j, "vars");
	struct js *vm = js_get(j, "vm"), *workloads = js_get(j, "workloads");
	int64_t group;

	if (js_kind(vm) != JS_OBJECT || js_kind(workloads) != JS_ARRAY)
		return bad(e, "cells", "needs \"vm\" and \"workloads\"");
	if ((host != NULL && js_kind(host) != JS_OBJECT) ||
	    (vars != NULL && js_kind(vars) != JS_OBJECT))
		return bad(e, "cells", "\"host\" and \"vars\" must be objects");
	if (read_text(j, "label", p->arena, &c->label, e) < 0 ||
	    read_levels(j, "levels", p->arena, &c->levels, e) < 0 ||
	    read_int(j, "boot_group", (struct range){ 0, PLAN_CELLS_MAX },
		     &group, e) < 0)
		return -1;
	c->nlevels = js_len(js_get(j, "levels"));
	c->boot_group = (uint32_t)group;
	c->host = js_ref(host);
	c->vars = js_ref(vars);
	c->vm = js_ref(vm);
	c->workloads = js_ref(workloads);
	return 0;
}

static int read_cells(const struct js *j, struct plan *p, struct err *e)
{
	const struct js *list = js_get(j, "cells");
	size_t n = js_len(list);

	if (js_kind(list) != JS_ARRAY || n == 0 || n > PLAN_CELLS_MAX)
		return bad(e, "cells", "must be a list of cells");
	p->cells = arena_array(p->arena, n, sizeof(*p->cells));
	for (size_t i = 0; i < n; i++) {
		p->cells[i].id = (uint32_t)i;
		if (read_cell(js_at(list, i), p, &p->cells[i], e) < 0)
			return -1;
		p->ncells++;
	}
	return 0;
}

// The row is (key, offset, range); each is a uint32_t of struct plan.
static int read_figures(const struct js *j, struct plan *p, struct err *e)
{
	static const struct {
		const char *key;
		size_t offset;
		struct range range;
	} rows[] = {
		{ "rounds", offsetof(struct plan, rounds), { 1, SMALL_MAX } },
		{ "warmup_rounds",
		  offsetof(struct plan, warmup_rounds),
		  { 0, SMALL_MAX } },
		{ "repeat", offsetof(struct plan, repeat), { 1, SMALL_MAX } },
		{ "retries", offsetof(struct plan, retries), { 0, SMALL_MAX } },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		int64_t v;

		if (read_int(j, rows[i].key, rows[i].range, &v, e) < 0)
			return -1;
		*(uint32_t *)(void *)((char *)p + rows[i].offset) = (uint32_t)v;
	}
	return 0;
}

static int read_times(const struct js *j, struct plan *p, struct err *e)
{
	struct range time = { 0, INT64_MAX };
	struct range seeds = { 0, UINT32_MAX };
	int64_t timeout, cooldown, seed;

	if (read_int(j, "timeout_ns", time, &timeout, e) < 0 ||
	    read_int(j, "cooldown_ns", time, &cooldown, e) < 0 ||
	    read_int(j, "seed", seeds, &seed, e) < 0)
		return -1;
	p->timeout_ns = (uint64_t)timeout;
	p->cooldown_ns = (uint64_t)cooldown;
	p->seed = (uint64_t)seed;
	p->share = strcmp(js_get_str(j, "spread", ""), "share") == 0;
	p->aa = js_get_bool(j, "aa", false);
	p->has_margin = js_get(j, "margin") != NULL;
	p->margin = js_get_real(j, "margin", 0);
	return 0;
}

static int read_stop(const struct js *j, struct plan *p, struct err *e)
{
	const struct js *stop = js_get(j, "stop");
	int64_t min_rounds;

	if (stop == NULL)
		return 0;
	if (read_int(stop, "min_rounds", (struct range){ 2, p->rounds },
		     &min_rounds, e) < 0)
		return -1;
	p->has_stop = true;
	p->stop.margin = js_get_bool(stop, "margin", false);
	p->stop.precision = js_get_real(stop, "precision", 0);
	p->stop.min_rounds = (uint32_t)min_rounds;
	return 0;
}

static int read_order(const struct js *j, struct plan *p, struct err *e)
{
	const char *name = js_get_str(j, "order", "");

	for (unsigned i = 0; i < ARRAY_LEN(order_names); i++) {
		if (strcmp(name, order_names[i]) == 0) {
			p->order = (enum plan_order)i;
			return 0;
		}
	}
	return bad(e, "order",
		   "must be blocks, williams, sequential, recorded or unknown");
}

static int read_lists(const struct js *j, struct plan *p, struct err *e)
{
	struct arena *a = p->arena;

	if (read_names(j, "hosts", a, &p->hosts, e) < 0 ||
	    read_names(j, "metrics", a, &p->metrics, e) < 0 ||
	    (js_get(j, "exact") != NULL &&
	     read_names(j, "exact", a, &p->exact, e) < 0) ||
	    read_names(j, "notes", a, &p->notes, e) < 0 ||
	    read_levels(j, "baseline", a, &p->baseline, e) < 0)
		return -1;
	p->hooks = js_ref(js_get(j, "hooks"));
	if (p->hooks != NULL && js_kind(p->hooks) != JS_ARRAY)
		return bad(e, "hooks", "must be a list");
	p->nhosts = js_len(js_get(j, "hosts"));
	p->nmetrics = js_len(js_get(j, "metrics"));
	p->nexact = js_len(js_get(j, "exact"));
	p->nnotes = js_len(js_get(j, "notes"));
	p->nbaseline = js_len(js_get(j, "baseline"));
	if (p->nhosts == 0 || p->nmetrics == 0)
		return bad(e, "hosts", "and \"metrics\" must not be empty");
	return 0;
}

static int read_plan(const struct js *j, struct plan *p, struct err *e)
{
	struct arena *a = p->arena;

	if (read_text(j, "name", a, &p->name, e) < 0 ||
	    read_text(j, "question", a, &p->question, e) < 0 ||
	    read_text(j, "rng", a, &p->rng, e) < 0 || read_order(j, p, e) < 0 ||
	    read_figures(j, p, e) < 0 || read_times(j, p, e) < 0 ||
	    read_stop(j, p, e) < 0 || read_lists(j, p, e) < 0 ||
	    read_cells(j, p, e) < 0 ||
	    rows_from_js(js_get(j, "trials"), p, e) < 0)
		return -1;
	return 0;
}

static int check_id(const struct js *j, struct plan *p, struct err *e)
{
	const char *id = js_get_str(j, "id", "");

	plan_hash(p, p->id);
	if (strcmp(id, p->id) != 0)
		return err_set(e, ERR_STORE,
			       "plan: its id is %.12s..., its content makes "
			       "%.12s...: it was changed after it was made",
			       id, p->id);
	return 0;
}

int plan_from_js(const struct js *j, struct plan **out, struct err *e)
{
	CLEANUP(plan_freep) struct plan *p = xcalloc(1, sizeof(*p));
	int64_t version = js_get_int(j, "version", -1);

	p->arena = arena_new();
	if (js_kind(j) != JS_OBJECT || js_get(j, "version") == NULL)
		return err_set(e, ERR_STORE,
			       "plan: is none: not an object with a version");
	if (version != PLAN_VERSION)
		return err_set(e, ERR_STORE,
			       "plan: version %lld: this vrun reads version %d",
			       (long long)version, PLAN_VERSION);
	if (read_plan(j, p, e) < 0 || check_id(j, p, e) < 0)
		return -1;
	*out = TAKE_PTR(p);
	return 0;
}
