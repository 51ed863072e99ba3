// A line of trials.jsonl, perhaps torn or edited. What is accepted is written
// and read again with the same bytes, canonically.
#include <assert.h>
#include <string.h>

#include "runner/record/record.h"
#include "tests/fuzz/fuzz.h"

static void print(const struct record *r, struct buf *out)
{
	CLEANUP(js_unrefp) struct js *j = record_to_js(r);

	js_print_canonical(j, out);
}

static void read_again(const struct record *r)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(js_unrefp) struct js *tree = NULL;
	CLEANUP(buf_deinit) struct buf first = BUF_INIT;
	CLEANUP(buf_deinit) struct buf second = BUF_INIT;
	struct err e = { .kind = ERR_NONE };
	struct record again;
	int rc;

	print(r, &first);
	rc = record_parse(first.data, first.len, "self", a, &again, &tree, &e);
	assert(rc == 0);
	print(&again, &second);
	assert(strcmp(buf_str(&first), buf_str(&second)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(js_unrefp) struct js *tree = NULL;
	struct err e = { .kind = ERR_NONE };
	struct record r;

	if (record_parse((const char *)data, size, "trials.jsonl:1", a, &r,
			 &tree, &e) == 0)
		read_again(&r);
	else
		assert(tree == NULL && e.kind == ERR_STORE && e.msg[0]);
	return 0;
}
