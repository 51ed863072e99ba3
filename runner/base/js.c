#include "runner/base/js.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"

enum {
	JS_REAL_DIGITS = 17
};

static json_t *in(const struct js *j)
{
	return (json_t *)(uintptr_t)j;
}

static struct js *out(json_t *j)
{
	if (j == NULL)
		abort(); // jansson fails only for want of memory here
	return (struct js *)j;
}

struct js *js_object(void)
{
	return out(json_object());
}

struct js *js_array(void)
{
	return out(json_array());
}

struct js *js_string(const char *s)
{
	json_t *j = json_string(s);
	CLEANUP(cleanup_free) char *copy = NULL;

	if (j != NULL)
		return out(j);
	copy = xstrdup(s);
	for (char *p = copy; *p != '\0'; p++) {
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	}
	return out(json_string(copy));
}

struct js *js_int(int64_t i)
{
	return out(json_integer(i));
}

struct js *js_real(double x)
{
	return isfinite(x) ? out(json_real(x)) : js_null();
}

struct js *js_bool(bool b)
{
	return out(json_boolean(b));
}

struct js *js_null(void)
{
	return out(json_null());
}

struct js *js_ref(const struct js *j)
{
	return j == NULL ? NULL : out(json_incref(in(j)));
}

struct js *js_copy(const struct js *j)
{
	return out(json_deep_copy(in(j)));
}

void js_unref(struct js *j)
{
	json_decref(in(j));
}

void js_unrefp(struct js **j)
{
	js_unref(*j);
	*j = NULL;
}

static int too_deep(const char *text, size_t len)
{
	bool quoted = false;
	int depth = 0;

	for (size_t i = 0; i < len; i++) {
		if (quoted && text[i] == '\\')
			i++;
		else if (text[i] == '"')
			quoted = !quoted;
		else if (quoted)
			continue;
		else if (text[i] == '[' || text[i] == '{')
			depth++;
		else if (text[i] == ']' || text[i] == '}')
			depth--;
		if (depth > JS_DEPTH_MAX)
			return 1;
	}
	return 0;
}

// What jansson would not refuse by itself; 0 or -1.
static int check_text(const char *text, size_t len, const char *where,
		      struct err *e)
{
	if (too_deep(text, len))
		return err_set(e, ERR_USAGE, "%s: JSON nested deeper than %d",
			       where, JS_DEPTH_MAX);
	if (len > 0 && memchr(text, '\0', len) != NULL)
		// jansson would drop it after a number
		return err_set(e, ERR_USAGE, "%s: bad JSON: a NUL byte", where);
	return 0;
}

static struct js *no_json(const char *where, const json_error_t *je,
			  struct err *e)
{
	err_set(e, ERR_USAGE, "%s:%d:%d: bad JSON: %s", where, je->line,
		je->column, je->text);
	return NULL;
}

struct js *js_parse(const char *text, size_t len, const char *where,
		    struct err *e)
{
	json_error_t je;
	json_t *j;

	if (check_text(text, len, where, e) < 0)
		return NULL;
	j = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY,
		       &je);
	return j != NULL ? out(j) : no_json(where, &je, e);
}

struct js *js_parse_foreign(const char *text, size_t len, const char *where,
			    struct err *e)
{
	json_error_t je;
	json_t *j;

	if (check_text(text, len, where, e) < 0)
		return NULL;
	j = json_loadb(text, len, JSON_DISABLE_EOF_CHECK, &je);
	return j != NULL ? out(j) : no_json(where, &je, e);
}

static int add_to_buf(const char *data, size_t len, void *arg)
{
	buf_add(arg, data, len);
	return 0;
}

static void print(const struct js *j, size_t flags, struct buf *b)
{
	flags |= JSON_ENCODE_ANY | JSON_REAL_PRECISION(JS_REAL_DIGITS);
	if (json_dump_callback(in(j), add_to_buf, b, flags) < 0)
		abort(); // only a cycle or want of memory
}

void js_print(const struct js *j, struct buf *b)
{
	print(j, JSON_COMPACT, b);
}

void js_print_canonical(const struct js *j, struct buf *b)
{
	print(j, JSON_COMPACT | JSON_SORT_KEYS, b);
}

void js_print_pretty(const struct js *j, struct buf *b)
{
	print(j, JSON_INDENT(2), b);
	buf_putc(b, '\n');
}

enum js_kind js_kind(const struct js *j)
{
	if (j == NULL)
		return JS_NULL;
	switch (json_typeof(in(j))) {
	case JSON_OBJECT:
		return JS_OBJECT;
	case JSON_ARRAY:
		return JS_ARRAY;
	case JSON_STRING:
		return JS_STRING;
	case JSON_INTEGER:
		return JS_INT;
	case JSON_REAL:
		return JS_REAL;
	case JSON_TRUE:
	case JSON_FALSE:
		return JS_BOOL;
	case JSON_NULL:
		return JS_NULL;
	}
	return JS_NULL;
}

bool js_equal(const struct js *a, const struct js *b)
{
	return json_equal(in(a), in(b));
}

void js_set(struct js *obj, const char *key, struct js *child)
{
	if (child != NULL && json_object_set_new(in(obj), key, in(child)) < 0)
		abort(); // obj is no object, or key is not UTF-8: a bug
}

void js_set_str(struct js *obj, const char *key, const char *s)
{
	if (s != NULL)
		js_set(obj, key, js_string(s));
}

void js_set_int(struct js *obj, const char *key, int64_t i)
{
	js_set(obj, key, js_int(i));
}

void js_set_real(struct js *obj, const char *key, double x)
{
	js_set(obj, key, js_real(x));
}

void js_set_bool(struct js *obj, const char *key, bool b)
{
	js_set(obj, key, js_bool(b));
}

struct js *js_get(const struct js *obj, const char *key)
{
	return (struct js *)json_object_get(in(obj), key);
}

void js_del(struct js *obj, const char *key)
{
	json_object_del(in(obj), key);
}

const char *js_get_str(const struct js *obj, const char *key, const char *def)
{
	const char *s = js_str(js_get(obj, key));

	return s != NULL ? s : def;
}

int64_t js_get_int(const struct js *obj, const char *key, int64_t def)
{
	return js_int_value(js_get(obj, key), def);
}

double js_get_real(const struct js *obj, const char *key, double def)
{
	const struct js *j = js_get(obj, key);

	return j == NULL ? def : js_real_value(j, def);
}

bool js_get_bool(const struct js *obj, const char *key, bool def)
{
	return js_bool_value(js_get(obj, key), def);
}

const char *js_str(const struct js *j)
{
	return j == NULL ? NULL : json_string_value(in(j));
}

int64_t js_int_value(const struct js *j, int64_t def)
{
	return js_kind(j) == JS_INT ? json_integer_value(in(j)) : def;
}

double js_real_value(const struct js *j, double def)
{
	if (j == NULL)
		return def;
	if (json_is_null(in(j)))
		return (double)NAN;
	return json_is_number(in(j)) ? json_number_value(in(j)) : def;
}

bool js_bool_value(const struct js *j, bool def)
{
	return js_kind(j) == JS_BOOL ? json_is_true(in(j)) : def;
}

void js_append(struct js *arr, struct js *child)
{
	if (child != NULL && json_array_append_new(in(arr), in(child)) < 0)
		abort();
}

size_t js_len(const struct js *j)
{
	if (js_kind(j) == JS_ARRAY)
		return json_array_size(in(j));
	return js_kind(j) == JS_OBJECT ? json_object_size(in(j)) : 0;
}

struct js *js_at(const struct js *arr, size_t i)
{
	return (struct js *)json_array_get(in(arr), i);
}

void *js_iter(const struct js *obj)
{
	return json_object_iter(in(obj));
}

void *js_iter_next(const struct js *obj, void *iter)
{
	return json_object_iter_next(in(obj), iter);
}

const char *js_iter_key(void *iter)
{
	return json_object_iter_key(iter);
}

struct js *js_iter_value(void *iter)
{
	return (struct js *)json_object_iter_value(iter);
}
