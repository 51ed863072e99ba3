#include "runner/campaign/boundaries.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/fd.h"
#include "runner/base/log.h"
#include "runner/campaign/results.h"
#include "runner/campaign/store.h"

int boundaries_rule(const struct plan *plan, struct stopping_rule *out,
		    struct err *e)
{
	size_t family;

	if (results_family(plan, &family, e) < 0)
		return err_wrap(e, "design.stop");
	if (family == 0)
		return err_set(
			e, ERR_USAGE,
			"design.stop: one cell is compared with nothing: "
			"there is nothing to decide");
	*out = (struct stopping_rule){
		.min_rounds = plan->stop.min_rounds,
		.max_rounds = plan->rounds,
		.alpha = COMPARE_ALPHA,
		.family = family,
		.margin = plan->stop.margin ? plan->margin : NO_FIGURE,
		.half_width = plan->stop.precision > 0
				      ? log1p(plan->stop.precision)
				      : NO_FIGURE,
	};
	return 0;
}

void boundaries_deinit(struct stopping_test *b)
{
	stopping_bounds_deinit(&b->bounds);
}

static struct js *reals_to_js(const double *x, size_t n)
{
	struct js *list = js_array();

	for (size_t i = 0; i < n; i++)
		js_append(list, js_real(x[i])); // null: infinite
	return list;
}

struct js *boundaries_to_js(const struct stopping_test *b)
{
	struct js *j = js_object();

	js_set_int(j, "v", BOUNDARIES_VERSION);
	js_set_int(j, "min_rounds", (int64_t)b->rule.min_rounds);
	js_set_int(j, "max_rounds", (int64_t)b->rule.max_rounds);
	js_set_real(j, "alpha", b->rule.alpha);
	js_set_int(j, "family", (int64_t)b->rule.family);
	js_set_int(j, "paths", SEQUENTIAL_PATHS);
	js_set_int(j, "seed", SEQUENTIAL_SEED);
	js_set(j, "crit", reals_to_js(b->bounds.crit, b->bounds.n));
	js_set(j, "crit_eq", reals_to_js(b->bounds.crit_eq, b->bounds.n));
	return j;
}

static bool suits(const struct js *j, const struct stopping_rule *r)
{
	return js_get_int(j, "v", 0) == BOUNDARIES_VERSION &&
	       js_get_int(j, "min_rounds", 0) == (int64_t)r->min_rounds &&
	       js_get_int(j, "max_rounds", 0) == (int64_t)r->max_rounds &&
	       js_get_int(j, "family", 0) == (int64_t)r->family &&
	       js_get_real(j, "alpha", 0) == r->alpha;
}

static int read_reals(const struct js *j, const char *key, double *out,
		      size_t n, struct err *e)
{
	const struct js *list = js_get(j, key);

	if (js_kind(list) != JS_ARRAY || js_len(list) != n)
		return err_set(e, ERR_STORE, "\"%s\": must hold %zu figures",
			       key, n);
	for (size_t i = 0; i < n; i++) {
		out[i] = js_real_value(js_at(list, i), HUGE_VAL);
		if (isnan(out[i]))
			out[i] = HUGE_VAL;
		if (!(out[i] > 0))
			return err_set(e, ERR_STORE,
				       "\"%s\": a boundary must be more than 0",
				       key);
	}
	return 0;
}

int boundaries_from_js(const struct js *j, struct stopping_test *b,
		       struct err *e)
{
	CLEANUP(stopping_bounds_deinit) struct stopping_bounds got = { 0 };

	if (!suits(j, &b->rule))
		return err_set(e, ERR_STORE,
			       "these boundaries are not for %zu to %zu rounds "
			       "and %zu comparisons at alpha %g",
			       b->rule.min_rounds, b->rule.max_rounds,
			       b->rule.family, b->rule.alpha);
	stopping_bounds_init(&got, b->rule.max_rounds - b->rule.min_rounds + 1);
	if (read_reals(j, "crit", got.crit, got.n, e) < 0 ||
	    read_reals(j, "crit_eq", got.crit_eq, got.n, e) < 0)
		return -1;
	b->bounds = got;
	got = (struct stopping_bounds){ 0 };
	return 0;
}

// --- the cache: a convenience, whose failures only cost time ---

static char *cache_dir(void)
{
	const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	// A relative path is to be ignored (XDG Base Directory Specification).
	if (base != NULL && base[0] == '/')
		return xasprintf("%s/vrun", base);
	if (home != NULL && home[0] == '/')
		return xasprintf("%s/.cache/vrun", home);
	return NULL;
}

static char *cache_file(const char *dir, const struct stopping_rule *r)
{
	return xasprintf("%s/boundaries-v%d-%zu-%zu-%zu-%g.json", dir,
			 BOUNDARIES_VERSION, r->min_rounds, r->max_rounds,
			 r->family, r->alpha);
}

static int read_cache(const char *path, struct stopping_test *b, struct err *e)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	CLEANUP(js_unrefp) struct js *j = NULL;

	if (file_read(path, BOUNDARIES_FILE_MAX, &text, ERR_STORE, e) < 0)
		return -1;
	j = js_parse(buf_str(&text), text.len, path, e);
	return j != NULL ? boundaries_from_js(j, b, e) : -1;
}

static void write_cache(const char *dir, const char *path,
			const struct stopping_test *b)
{
	CLEANUP(js_unrefp) struct js *j = boundaries_to_js(b);
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct err e = { 0 };

	js_print_pretty(j, &text);
	if (dir_make_all(dir) < 0)
		log_info("%s: %s: boundaries are not kept", dir,
			 strerror(errno));
	else if (file_replace(path, text.data, text.len, &e) < 0)
		log_info("boundaries are not kept: %s", e.msg);
}

int boundaries_obtain(struct stopping_test *b, struct err *e)
{
	CLEANUP(cleanup_free) char *dir = cache_dir();
	CLEANUP(cleanup_free) char *path = NULL;
	struct err why = { 0 };

	if (dir != NULL) {
		path = cache_file(dir, &b->rule);
		if (read_cache(path, b, &why) == 0)
			return 0;
		log_info("boundaries are calibrated: %s", why.msg);
	}
	if (stopping_calibrate(&b->rule, SEQUENTIAL_PATHS, &b->bounds) != 0)
		return err_set(e, ERR_USAGE,
			       "design.stop: no boundaries for %zu to %zu "
			       "rounds and %zu comparisons",
			       b->rule.min_rounds, b->rule.max_rounds,
			       b->rule.family);
	if (dir != NULL)
		write_cache(dir, path, b);
	return 0;
}

int boundaries_load(const char *dir, const struct plan *plan,
		    struct stopping_test *out, struct err *e)
{
	CLEANUP(js_unrefp) struct js *j = NULL;
	struct stopping_test b = { 0 };

	if (boundaries_rule(plan, &b.rule, e) < 0)
		return -1;
	j = store_read_js(dir, STORE_BOUNDARIES, e);
	if (j == NULL)
		return -1;
	if (boundaries_from_js(j, &b, e) < 0)
		return err_wrap(e, "%s/" STORE_BOUNDARIES, dir);
	*out = b;
	return 0;
}
