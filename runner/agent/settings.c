#include "runner/agent/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/agent/hugepages.h"
#include "runner/agent/knob.h"
#include "runner/agent/procfs.h"
#include "runner/base/alloc.h"
#include "runner/base/fd.h"

static const struct page_key {
	const char *key;
	uint64_t bytes;
} page_keys[] = {
	{ "2M", 2 << 20 },
	{ "1G", 1 << 30 },
};

int settings_init(struct settings *s, const char *dir, const char *root,
		  struct err *e)
{
	*s = (struct settings){ .root = xstrdup(root) };
	if (lease_init(&s->lease, dir, e) == 0)
		return 0;
	settings_deinit(s);
	return -1;
}

void settings_deinit(struct settings *s)
{
	lease_deinit(&s->lease);
	js_unref(s->held);
	free(s->root);
	*s = (struct settings){ 0 };
}

int settings_restore(struct settings *s, struct err *e)
{
	if (lease_restore(&s->lease, e) < 0)
		return -1;
	js_unref(s->held);
	s->held = NULL;
	return 0;
}

static int save_one(struct settings *s, const char *path, struct err *e)
{
	CLEANUP(js_unrefp) struct js *files = js_object();

	js_set(files, path, js_null());
	return lease_take(&s->lease, files, NULL, e);
}

// --- huge pages ----------------------------------------------------------

// How many more pages memory can hold. Asking the kernel for more than that
// would put out everything else on the host, and still fail.
static uint64_t room_for(const struct settings *s, uint64_t page_bytes)
{
	uint64_t bytes;

	if (procfs_meminfo(s->root, "MemAvailable", &bytes) < 0)
		return UINT64_MAX / page_bytes; // the kernel decides
	if (bytes <= SETTINGS_SPARE_BYTES)
		return 0;
	return (bytes - SETTINGS_SPARE_BYTES) / page_bytes;
}

int settings_hold_pages(struct settings *s, uint64_t page_bytes, uint64_t need,
			uint64_t *got, struct err *e)
{
	CLEANUP(cleanup_free) char *path = hugepages_path(s->root, page_bytes);
	struct hugepages now;

	if (hugepages_read(s->root, page_bytes, &now, e) < 0)
		return -1;
	*got = now.available;
	if (now.available >= need || s->keep_pages)
		return 0;
	*got += room_for(s, page_bytes);
	if (*got < need)
		return 0;
	if (save_one(s, path, e) < 0)
		return -1;
	return hugepages_grow(s->root, page_bytes, need, got, e);
}

static int hold_all(struct settings *s, uint64_t page_bytes, uint64_t need,
		    struct err *e)
{
	uint64_t got;

	if (settings_hold_pages(s, page_bytes, need, &got, e) < 0)
		return err_wrap(e, "huge pages");
	if (got < need)
		return err_set(e, ERR_HOST,
			       "huge pages: got %llu of %llu of %llu kB; free "
			       "memory, or reserve them at boot: "
			       "hugepagesz=%lluk hugepages=%llu",
			       (unsigned long long)got,
			       (unsigned long long)need,
			       (unsigned long long)page_bytes >> 10,
			       (unsigned long long)page_bytes >> 10,
			       (unsigned long long)need);
	return 0;
}

int settings_hold_for(struct settings *s, const struct vm_spec *spec,
		      struct err *e)
{
	if (spec->accel == VM_NATIVE || !spec->backing->hugetlb)
		return 0;
	return hold_all(s, spec->backing->page_bytes,
			spec->memory_bytes / spec->backing->page_bytes, e);
}

uint64_t settings_page_bytes(const char *key)
{
	for (size_t i = 0; i < ARRAY_LEN(page_keys); i++) {
		if (strcmp(page_keys[i].key, key) == 0)
			return page_keys[i].bytes;
	}
	return 0;
}

static int apply_pages(struct settings *s, const struct js *pages,
		       struct err *e)
{
	const char *key;
	struct js *n;

	JS_FOREACH (pages, key, n) {
		uint64_t bytes = settings_page_bytes(key);
		int64_t need = js_int_value(n, -1);

		if (bytes == 0 || need < 0)
			return err_set(e, ERR_HOST,
				       "settings: pages: \"%.64s\" with %lld "
				       "(have 2M, 1G)",
				       key, (long long)need);
		if (hold_all(s, bytes, (uint64_t)need, e) < 0)
			return -1;
	}
	return 0;
}

int settings_apply(struct settings *s, const struct js *apply, struct err *e)
{
	const char *key;
	struct js *value;

	JS_FOREACH (apply, key, value) {
		if (strcmp(key, "pages") != 0)
			return err_set(e, ERR_HOST,
				       "settings: unknown \"%.64s\" (have "
				       "pages)",
				       key);
		if (apply_pages(s, value, e) < 0)
			return -1;
	}
	return 0;
}

// --- settings by name ----------------------------------------------------

// " (has powersave performance)" for a message: the kernel lists choices in
// the file itself, governors beside it. "" when it lists none.
static void describe_choices(const char *path, struct buf *out)
{
	const char *slash = strrchr(path, '/');
	CLEANUP(cleanup_free)
	char *beside = xasprintf("%.*s/scaling_available_governors",
				 (int)(slash - path), path);
	char line[LEASE_VALUE_MAX];

	if (file_read_line(beside, line, sizeof(line)) == 0 ||
	    (file_read_line(path, line, sizeof(line)) == 0 &&
	     strchr(line, '[') != NULL))
		buf_printf(out, " (has %s)", line);
}

static int refused(const char *path, const char *value, const char *why,
		   struct err *e)
{
	CLEANUP(buf_deinit) struct buf has = BUF_INIT;

	describe_choices(path, &has);
	return err_set(e, ERR_HOST, "%s: cannot be set to \"%.64s\"%s: %s",
		       path, value, buf_str(&has), why);
}

static int write_one(const char *path, const char *value, struct err *e)
{
	char now[LEASE_VALUE_MAX];

	if (knob_read(path, now, sizeof(now)) == 0 && knob_equal(now, value))
		return 0;
	if (file_write_value(path, value) < 0)
		return refused(path, value, strerror(errno), e);
	if (knob_read(path, now, sizeof(now)) < 0)
		return refused(path, value, strerror(errno), e);
	return knob_equal(now, value)
		       ? 0
		       : refused(path, value, "it does not keep it", e);
}

// Takes those that may refuse, and do, out of `files`.
static int write_all(struct js *files, struct err *e)
{
	CLEANUP(js_unrefp) struct js *all = js_copy(files);
	const char *path;
	struct js *value;

	JS_FOREACH (all, path, value) {
		if (write_one(path, js_str(value), e) == 0)
			continue;
		if (!knob_may_refuse(path))
			return -1;
		js_del(files, path);
	}
	return 0;
}

// What an earlier trial set and this one does not.
static struct js *others_of(const struct settings *s, const struct js *files)
{
	struct js *others = js_object(), *value;
	const char *path;

	JS_FOREACH (s->held, path, value) {
		if (js_get(files, path) == NULL)
			js_set(others, path, js_ref(value));
	}
	return others;
}

static int files_of(const struct settings *s, const struct js *want,
		    struct js *files, struct err *e)
{
	const char *name;
	struct js *value;

	JS_FOREACH (want, name, value) {
		if (js_str(value) == NULL)
			return err_set(e, ERR_HOST,
				       "host setting \"%.64s\": is no text",
				       name);
		if (knob_files(s->root, name, js_str(value), files, e) < 0)
			return -1;
	}
	return 0;
}

int settings_hold(struct settings *s, const struct js *want, struct err *e)
{
	CLEANUP(js_unrefp) struct js *files = js_object();
	CLEANUP(js_unrefp) struct js *others = NULL;

	s->keep_pages =
		strcmp(js_get_str(want, "hugepages", "auto"), "keep") == 0;
	if (js_len(want) == 0 && js_len(s->held) == 0)
		return 0;
	if (files_of(s, want, files, e) < 0)
		return -1;
	others = others_of(s, files);
	if (lease_take(&s->lease, files, others, e) < 0)
		return -1;
	js_unref(s->held);
	s->held = js_ref(files); // also what a failure leaves half done
	return write_all(files, e);
}

// The file of one setting that says something else; NULL when all agree.
static const char *first_other(const struct settings *s, const struct js *files,
			       char *now, size_t size)
{
	const char *path;
	struct js *value;

	JS_FOREACH (files, path, value) {
		if (js_get(s->held, path) == NULL)
			continue;
		if (knob_read(path, now, size) < 0)
			snprintf(now, size, "unreadable: %s", strerror(errno));
		if (!knob_equal(now, js_str(value)))
			return path;
	}
	return NULL;
}

static size_t count_held(const struct settings *s, const struct js *files)
{
	const char *path;
	size_t n = 0;

	JS_FOREACH_KEY(files, path)
	n += js_get(s->held, path) != NULL;
	return n;
}

static void check_one(const struct settings *s, const char *name,
		      const char *value, struct arena *a, struct result *r)
{
	CLEANUP(js_unrefp) struct js *files = js_object();
	char now[LEASE_VALUE_MAX], source[96];
	struct check check = { .parameter = name, .expected = value };
	struct err e = { 0 };
	size_t held;

	if (knob_files(s->root, name, value, files, &e) < 0) {
		check.seen = e.msg;
		check.source = "the host's files";
		check.status = CHECK_FAILED;
		result_check(a, r, &check);
		return;
	}
	if (js_len(files) == 0)
		return;
	held = count_held(s, files);
	snprintf(source, sizeof(source), "%zu of %zu files of the host", held,
		 js_len(files));
	check.source = first_other(s, files, now, sizeof(now));
	check.seen = check.source == NULL ? value : now;
	check.status =
		check.source == NULL && held > 0 ? CHECK_OK : CHECK_FAILED;
	if (check.source == NULL)
		check.source = js_len(files) > 1 ? source
						 : js_iter_key(js_iter(files));
	result_check(a, r, &check);
}

void settings_check(const struct settings *s, const struct js *want,
		    struct arena *a, struct result *r)
{
	const char *name;
	struct js *value;

	JS_FOREACH (want, name, value)
		check_one(s, name, js_str(value), a, r);
}

int settings_drop_caches(const struct settings *s, struct err *e)
{
	CLEANUP(cleanup_free)
	char *path = xasprintf("%s/proc/sys/vm/drop_caches", s->root);

	sync(); // only clean pages can go
	if (file_write_value(path, "3") < 0)
		return err_sys(e, ERR_HOST, "%s", path);
	return 0;
}
