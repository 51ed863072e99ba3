// The two readers of a record must say the same of every line.
#pragma once

#include <stdio.h>
#include <string.h>

#include "runner/record/scan.h"

static inline void scan_print(const struct record *r, struct buf *out)
{
	CLEANUP(js_unrefp) struct js *j = record_to_js(r);

	js_del(js_get(j, "result"), "times"); // which scanning leaves out
	js_print_canonical(j, out);
}

static inline void scan_parse(const char *line, size_t len, struct buf *out,
			      struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct record r = { 0 };

	if (record_parse(line, len, a, &r, e) < 0)
		return;
	scan_print(&r, out);
	js_unref(r.tree);
}

// What record_scan_line gives, and what record_parse; "" with an error each
// when they refuse.
struct scan_pair {
	struct buf scanned, parsed;
	struct err scan_err, parse_err;
};

static inline void scan_pair_deinit(struct scan_pair *p)
{
	buf_deinit(&p->scanned);
	buf_deinit(&p->parsed);
}

static inline void scan_both(struct record_scan *s, const char *line,
			     size_t len, struct scan_pair *out)
{
	struct record r;

	*out = (struct scan_pair){ .scanned = BUF_INIT, .parsed = BUF_INIT };
	scan_parse(line, len, &out->parsed, &out->parse_err);
	if (record_scan_line(s, line, len, &r, &out->scan_err) == 0)
		scan_print(&r, &out->scanned);
}

static inline bool scan_agrees(const struct scan_pair *p)
{
	return strcmp(buf_str(&p->scanned), buf_str(&p->parsed)) == 0 &&
	       strcmp(p->scan_err.msg, p->parse_err.msg) == 0;
}
