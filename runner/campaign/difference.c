#include "runner/campaign/difference.h"

#include "runner/base/alloc.h"

struct walk {
	const char *a_name, *b_name;
	struct buf *out;
	size_t n;
};

static void print_value(const struct js *j, struct buf *out)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	if (j == NULL) {
		buf_puts(out, "nothing");
		return;
	}
	js_print_canonical(j, &text);
	buf_printf(out, "%.*s%s", DIFFERENCE_TEXT_MAX, buf_str(&text),
		   text.len > DIFFERENCE_TEXT_MAX ? "..." : "");
}

static void say(struct walk *w, const char *path, const struct js *a,
		const struct js *b)
{
	if (w->n++ >= DIFFERENCE_LINES_MAX)
		return;
	buf_printf(w->out, "%s: ", path);
	print_value(a, w->out);
	buf_printf(w->out, " in %s, ", w->a_name);
	print_value(b, w->out);
	buf_printf(w->out, " in %s\n", w->b_name);
}

static void walk(struct walk *w, const char *path, const struct js *a,
		 const struct js *b);

static void walk_member(struct walk *w, const char *path, const char *key,
			const struct js *a, const struct js *b)
{
	CLEANUP(cleanup_free)
	char *at = xasprintf("%s%s%s", path, path[0] ? "." : "", key);

	walk(w, at, a, b);
}

static void walk_objects(struct walk *w, const char *path, const struct js *a,
			 const struct js *b)
{
	struct js *value;
	const char *key;

	JS_FOREACH (a, key, value)
		walk_member(w, path, key, value, js_get(b, key));
	JS_FOREACH (b, key, value) {
		if (js_get(a, key) == NULL)
			walk_member(w, path, key, NULL, value);
	}
}

// Lists of different length differ in that; elements would only confuse.
static void walk_arrays(struct walk *w, const char *path, const struct js *a,
			const struct js *b)
{
	if (js_len(a) != js_len(b)) {
		CLEANUP(js_unrefp) struct js *na = js_int((int64_t)js_len(a));
		CLEANUP(js_unrefp) struct js *nb = js_int((int64_t)js_len(b));
		CLEANUP(cleanup_free)
		char *at = xasprintf("number of %s", path);

		say(w, at, na, nb);
		return;
	}
	for (size_t i = 0; i < js_len(a); i++) {
		CLEANUP(cleanup_free)
		char *at = xasprintf("%s[%zu]", path, i);

		walk(w, at, js_at(a, i), js_at(b, i));
	}
}

static void walk(struct walk *w, const char *path, const struct js *a,
		 const struct js *b)
{
	if (js_kind(a) == JS_OBJECT && js_kind(b) == JS_OBJECT)
		walk_objects(w, path, a, b);
	else if (js_kind(a) == JS_ARRAY && js_kind(b) == JS_ARRAY)
		walk_arrays(w, path, a, b);
	else if (a == NULL || b == NULL || !js_equal(a, b))
		say(w, path, a, b);
}

size_t difference_print(const struct js *a, const char *a_name,
			const struct js *b, const char *b_name, struct buf *out)
{
	struct walk w = { .a_name = a_name, .b_name = b_name, .out = out };

	walk(&w, "", a, b);
	if (w.n > DIFFERENCE_LINES_MAX)
		buf_printf(out, "and %zu more differences\n",
			   w.n - DIFFERENCE_LINES_MAX);
	return w.n;
}
