#include "runner/record/record.h"

#include <string.h>

#include "runner/record/layout.h"

static const char *const event_names[] = {
	[RECORD_STARTED] = "started",
	[RECORD_FINISHED] = "finished",
};

#define NUMBER(key)                                                   \
	{                                                             \
#key, ",\"" #key "\":", sizeof(",\"" #key "\":") - 1, \
			offsetof(struct record, key)                  \
	}

const struct record_number record_numbers[RECORD_NUMBERS] = {
	NUMBER(trial),	      NUMBER(attempt),	NUMBER(block), NUMBER(boot),
	NUMBER(boot_attempt), NUMBER(position), NUMBER(cell),
};

bool levels_equal(const struct level *a, size_t na, const struct level *b,
		  size_t nb)
{
	if (na != nb)
		return false;
	for (size_t i = 0; i < na; i++) {
		if (strcmp(a[i].factor, b[i].factor) != 0 ||
		    strcmp(a[i].text, b[i].text) != 0)
			return false;
	}
	return true;
}

static struct js *levels_to_js(const struct record *r)
{
	struct js *levels = js_object();

	for (size_t i = 0; i < r->nlevels; i++)
		js_set_str(levels, r->levels[i].factor, r->levels[i].text);
	return levels;
}

struct js *record_to_js(const struct record *r)
{
	struct js *j = js_object();

	js_set_int(j, "v", RECORD_VERSION);
	js_set_str(j, "event", event_names[r->event]);
	for (size_t i = 0; i < RECORD_NUMBERS; i++) {
		const char *at = (const char *)r + record_numbers[i].offset;
		uint32_t n;

		memcpy(&n, at, sizeof(n));
		js_set_int(j, record_numbers[i].key, n);
	}
	js_set_str(j, "host", r->host);
	js_set(j, "levels", levels_to_js(r));
	js_set_int(j, "wall_ns", r->wall_ns);
	js_set_int(j, "mono_ns", r->mono_ns);
	if (r->result != NULL)
		js_set(j, "result", result_to_js(r->result));
	return j;
}

static int read_numbers(const struct js *j, struct record *r, struct err *e)
{
	for (size_t i = 0; i < RECORD_NUMBERS; i++) {
		int64_t v = js_get_int(j, record_numbers[i].key, -1);
		uint32_t n = (uint32_t)v;

		if (v < 0 || v > UINT32_MAX)
			return err_set(e, ERR_STORE,
				       "\"%s\" is no number from 0 to 2^32-1",
				       record_numbers[i].key);
		memcpy((char *)r + record_numbers[i].offset, &n, sizeof(n));
	}
	return 0;
}

static int read_levels(const struct js *j, struct arena *a, struct record *r,
		       struct err *e)
{
	const struct js *levels = js_get(j, "levels");
	struct js *value;
	const char *key;

	if (js_kind(levels) != JS_OBJECT || js_len(levels) > RECORD_LEVELS_MAX)
		return err_set(e, ERR_STORE,
			       "\"levels\" is no object of at most %d factors",
			       RECORD_LEVELS_MAX);
	r->levels = arena_array(a, js_len(levels), sizeof(*r->levels));
	JS_FOREACH (levels, key, value) {
		const char *text = js_str(value);

		if (text == NULL || strlen(text) > RECORD_TEXT_MAX)
			return err_set(e, ERR_STORE,
				       "level of \"%.64s\" is no text", key);
		r->levels[r->nlevels].factor = arena_strdup(a, key);
		r->levels[r->nlevels++].text = arena_strdup(a, text);
	}
	return 0;
}

static int read_event(const struct js *j, struct record *r, struct err *e)
{
	const char *name = js_get_str(j, "event", "");

	for (size_t i = 0; i < ARRAY_LEN(event_names); i++) {
		if (strcmp(event_names[i], name) == 0) {
			r->event = (enum record_event)i;
			return 0;
		}
	}
	return err_set(e, ERR_STORE, "unknown event \"%.32s\"", name);
}

static int read_result(const struct js *j, struct arena *a, struct record *r,
		       struct err *e)
{
	const struct js *result = js_get(j, "result");

	if (r->event == RECORD_STARTED && result == NULL)
		return 0;
	if (r->event == RECORD_STARTED || js_kind(result) != JS_OBJECT)
		return err_set(e, ERR_STORE,
			       "a finished record, and no other, has a "
			       "\"result\"");
	r->result = result_new(a);
	if (result_from_js(result, a, r->result, e) < 0) {
		e->kind = ERR_STORE;
		return -1;
	}
	return 0;
}

int record_from_js(const struct js *j, struct arena *a, struct record *out,
		   struct err *e)
{
	struct record r = { 0 };
	const char *host;

	if (js_kind(j) != JS_OBJECT || js_get_int(j, "v", 0) != RECORD_VERSION)
		return err_set(e, ERR_STORE,
			       "not a record of format version %d",
			       RECORD_VERSION);
	host = js_get_str(j, "host", NULL);
	if (host == NULL || strlen(host) > RECORD_TEXT_MAX)
		return err_set(e, ERR_STORE, "no \"host\"");
	r.host = arena_strdup(a, host);
	r.wall_ns = js_get_int(j, "wall_ns", 0);
	r.mono_ns = js_get_int(j, "mono_ns", 0);
	if (read_event(j, &r, e) < 0 || read_numbers(j, &r, e) < 0 ||
	    read_levels(j, a, &r, e) < 0 || read_result(j, a, &r, e) < 0)
		return -1;
	*out = r;
	return 0;
}

int record_parse(const char *line, size_t len, struct arena *a,
		 struct record *out, struct err *e)
{
	CLEANUP(js_unrefp) struct js *j = NULL;

	if (len > RECORD_LINE_MAX)
		return err_set(e, ERR_STORE, "line longer than %d bytes",
			       RECORD_LINE_MAX);
	j = js_parse(line, len, "record", e);
	if (j == NULL) {
		e->kind = ERR_STORE;
		return -1;
	}
	if (record_from_js(j, a, out, e) < 0)
		return -1;
	out->tree = TAKE_PTR(j);
	return 0;
}
