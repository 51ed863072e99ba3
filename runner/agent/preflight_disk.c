// Room for the files that `block` workloads have made on the host itself.
#include <string.h>

#include "runner/agent/block_file.h"
#include "runner/agent/preflight.h"
#include "runner/base/alloc.h"

// The file that a workload of the plan asks for; NULL when there is none.
static const char *file_of(const struct js *w)
{
	const char *device = js_get_str(w, "device", "null_blk");

	return js_get_bool(w, "native", false) &&
			       js_get_int(w, "size", 0) > 0 &&
			       strcmp(js_get_str(w, "kind", ""), "block") ==
				       0 &&
			       strcmp(device, "null_blk") != 0
		       ? device
		       : NULL;
}

// One file may be asked for more than once: the largest counts, once.
static bool is_counted_elsewhere(const struct js *workloads, size_t i)
{
	const struct js *w = js_at(workloads, i);
	const char *file = file_of(w);
	int64_t size = js_get_int(w, "size", 0);

	for (size_t j = 0; j < js_len(workloads); j++) {
		const struct js *other = js_at(workloads, j);
		int64_t others = js_get_int(other, "size", 0);

		if (j != i && file_of(other) != NULL &&
		    strcmp(file_of(other), file) == 0 &&
		    (others > size || (others == size && j < i)))
			return true;
	}
	return false;
}

// Adds a file to what its file system has to hold; all of them stay.
static void add_room(struct block_room *rooms, size_t *n,
		     const struct block_room *one)
{
	for (size_t i = 0; i < *n; i++) {
		struct block_room *r = &rooms[i];

		if (r->fs != one->fs)
			continue;
		if (__builtin_add_overflow(r->need, one->need, &r->need))
			r->need = UINT64_MAX;
		return;
	}
	rooms[(*n)++] = *one;
}

static void judge(struct preflight *p, const struct block_room *r)
{
	char figures[BLOCK_ROOM_TEXT];

	block_room_describe(r, figures, sizeof(figures));
	if (block_room_is_enough(r))
		preflight_ok(p, "files of block workloads: %s", figures);
	else
		preflight_problem(p, BLOCK_ROOM_FIX,
				  "no room for the files of block workloads: "
				  "%s",
				  figures);
}

void preflight_disk(struct preflight *p)
{
	const struct js *workloads = js_get(p->needs, "workloads");
	CLEANUP(cleanup_free)
	struct block_room *rooms =
		xcalloc(js_len(workloads) + 1, sizeof(*rooms));
	size_t n = 0;

	for (size_t i = 0; i < js_len(workloads); i++) {
		const struct js *w = js_at(workloads, i);
		struct block_room one;
		struct err e;

		if (file_of(w) == NULL || is_counted_elsewhere(workloads, i))
			continue;
		if (block_file_room(file_of(w),
				    (uint64_t)js_get_int(w, "size", 0), &one,
				    &e) < 0)
			preflight_problem(p, "make the directory", "%s", e.msg);
		else
			add_room(rooms, &n, &one);
	}
	for (size_t i = 0; i < n; i++)
		judge(p, &rooms[i]);
}
