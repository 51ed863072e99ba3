// A line of trials.jsonl, perhaps torn or edited. What is accepted is written
// and read again with the same bytes, canonically; a histogram in it that is
// accepted gives percentiles between its least and its greatest value. The
// reader for many lines says the same, but for keys that come twice in what it
// skips.
#include <assert.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/hist.h"
#include "runner/record/record.h"
#include "tests/fake/scan.h"
#include "tests/fuzz/fuzz.h"

static void print(const struct record *r, struct buf *out)
{
	CLEANUP(js_unrefp) struct js *j = record_to_js(r);

	js_print_canonical(j, out);
}

static void drop(struct record *r)
{
	js_unref(r->tree);
}

static void read_again(const struct record *r)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(buf_deinit) struct buf first = BUF_INIT;
	CLEANUP(buf_deinit) struct buf second = BUF_INIT;
	struct err e = { .kind = ERR_NONE };
	CLEANUP(drop) struct record again = { .tree = NULL };
	int rc;

	print(r, &first);
	rc = record_parse(first.data, first.len, a, &again, &e);
	assert(rc == 0);
	print(&again, &second);
	assert(strcmp(buf_str(&first), buf_str(&second)) == 0);
}

static void check_hist(const struct js *j)
{
	CLEANUP(cleanup_free) struct hist *h = xmalloc(sizeof(*h));
	struct err e = { .kind = ERR_NONE };

	if (hist_from_js(j, h, &e) < 0 || h->n == 0)
		return;
	for (int i = 0; i <= 10; i++) {
		double x = hist_percentile(h, i / 10.0);

		assert(x >= (double)h->min && x <= (double)h->max);
	}
}

static void check_hists(const struct record *r)
{
	const struct js *hists = r->result != NULL ? r->result->hists : NULL;

	for (void *i = js_iter(hists); i != NULL; i = js_iter_next(hists, i))
		check_hist(js_iter_value(i));
}

// Twice: the second time it knows the parts of the line.
static void scan(const char *line, size_t len)
{
	CLEANUP(record_scan_freep) struct record_scan *s = record_scan_new();

	for (int i = 0; i < 2; i++) {
		CLEANUP(scan_pair_deinit) struct scan_pair p;

		scan_both(s, line, len, &p);
		assert(scan_agrees(&p) ||
		       strstr(p.parse_err.msg, "duplicate") != NULL);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct err e = { .kind = ERR_NONE };
	CLEANUP(drop) struct record r = { .tree = NULL };

	scan((const char *)data, size);
	if (record_parse((const char *)data, size, a, &r, &e) == 0) {
		read_again(&r);
		check_hists(&r);
	} else {
		assert(r.tree == NULL && e.kind == ERR_STORE && e.msg[0]);
	}
	return 0;
}
