#include "runner/agent/hugepages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "runner/base/alloc.h"
#include "runner/base/fd.h"

// What is done before each further attempt, mildest first. Each is a plain
// request to the kernel; where it is refused, the next attempt shows it.
static const struct effort {
	const char *path, *value;
} efforts[] = {
	{ NULL, NULL },
	{ "/proc/sys/vm/compact_memory", "1" },
	{ "/proc/sys/vm/drop_caches", "1" },
	{ "/proc/sys/vm/compact_memory", "1" },
};

static char *file_of(const char *root, uint64_t page_bytes, const char *name)
{
	return xasprintf("%s/sys/kernel/mm/hugepages/hugepages-%llukB/%s", root,
			 (unsigned long long)page_bytes >> 10, name);
}

char *hugepages_path(const char *root, uint64_t page_bytes)
{
	return file_of(root, page_bytes, "nr_hugepages");
}

static int read_count(const char *root, uint64_t page_bytes, const char *name,
		      uint64_t *out, struct err *e)
{
	CLEANUP(cleanup_free) char *path = file_of(root, page_bytes, name);
	char text[32], *end;

	if (file_read_line(path, text, sizeof(text)) < 0)
		return err_sys(e, ERR_HOST, "%s", path);
	errno = 0;
	*out = strtoull(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0')
		return err_set(e, ERR_HOST, "%s: \"%s\" is no number", path,
			       text);
	return 0;
}

int hugepages_read(const char *root, uint64_t page_bytes, struct hugepages *out,
		   struct err *e)
{
	uint64_t total, free_pages, reserved;

	if (read_count(root, page_bytes, "nr_hugepages", &total, e) < 0 ||
	    read_count(root, page_bytes, "free_hugepages", &free_pages, e) <
		    0 ||
	    read_count(root, page_bytes, "resv_hugepages", &reserved, e) < 0)
		return -1;
	out->total = total;
	out->available = free_pages > reserved ? free_pages - reserved : 0;
	return 0;
}

static void make_effort(const char *root, const struct effort *f)
{
	CLEANUP(cleanup_free) char *path = NULL;

	if (f->path == NULL)
		return;
	path = xasprintf("%s%s", root, f->path);
	if (file_write_value(path, f->value) < 0)
		return; // the count that follows tells
}

static int set_total(const char *root, uint64_t page_bytes, uint64_t total,
		     struct err *e)
{
	CLEANUP(cleanup_free) char *path = hugepages_path(root, page_bytes);
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)total);
	if (file_write_value(path, text) < 0)
		return err_sys(e, ERR_HOST, "%s: cannot set %s huge pages",
			       path, text);
	return 0;
}

int hugepages_grow(const char *root, uint64_t page_bytes, uint64_t need,
		   uint64_t *got, struct err *e)
{
	struct hugepages now;

	if (hugepages_read(root, page_bytes, &now, e) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(efforts) && now.available < need;
	     i++) {
		make_effort(root, &efforts[i]);
		if (set_total(root, page_bytes,
			      now.total + need - now.available, e) < 0 ||
		    hugepages_read(root, page_bytes, &now, e) < 0)
			return -1;
	}
	*got = now.available;
	return 0;
}
