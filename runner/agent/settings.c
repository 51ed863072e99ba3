#include "runner/agent/settings.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/agent/hugepages.h"
#include "runner/agent/procfs.h"
#include "runner/base/alloc.h"
#include "runner/base/fd.h"

#define LEASE_PREFIX "lease-"

static const struct page_key {
	const char *key;
	uint64_t bytes;
} page_keys[] = {
	{ "2M", 2 << 20 },
	{ "1G", 1 << 30 },
};

// --- leases --------------------------------------------------------------

// The agent that wrote it still lives: same pid, same start.
static bool owner_lives(const struct js *lease)
{
	pid_t pid = (pid_t)js_get_int(lease, "pid", 0);
	struct procfs_stat st;

	return pid > 0 && procfs_stat(pid, 0, &st) == 0 &&
	       st.start_ticks == (uint64_t)js_get_int(lease, "start_ticks", -1);
}

static int put_one(const char *path, const char *old, struct err *e)
{
	char now[SETTINGS_VALUE_MAX];

	if (file_read_line(path, now, sizeof(now)) == 0 &&
	    strcmp(now, old) == 0)
		return 0;
	if (file_write_value(path, old) < 0)
		return err_sys(e, ERR_HOST, "%s: cannot restore \"%s\"", path,
			       old);
	return 0;
}

// All of them, also when one fails; the last failure is told.
static int put_back(const struct js *values, struct err *e)
{
	const char *path;
	struct js *old;
	int rc = 0;

	JS_FOREACH (values, path, old) {
		if (js_str(old) != NULL && put_one(path, js_str(old), e) < 0)
			rc = -1;
	}
	return rc;
}

static struct js *read_lease(const char *path, struct err *e)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	if (file_read(path, SETTINGS_LEASE_MAX, &text, ERR_HOST, e) < 0)
		return NULL;
	return js_parse(buf_str(&text), text.len, path, e);
}

static bool is_lease(const char *name)
{
	size_t len = strlen(name);

	return strncmp(name, LEASE_PREFIX, strlen(LEASE_PREFIX)) == 0 &&
	       len > 5 && strcmp(name + len - 5, ".json") == 0;
}

// Calls back for each lease of another agent; the first that says other than
// 0 ends it.
static int each_lease(const struct settings *s,
		      int (*fn)(const char *path, const struct js *lease,
				struct err *e),
		      struct err *e)
{
	DIR *d = opendir(s->dir);
	struct dirent *ent;
	int rc = 0;

	if (d == NULL)
		return err_sys(e, ERR_HOST, "%s", s->dir);
	while (rc == 0 && (ent = readdir(d)) != NULL) {
		CLEANUP(cleanup_free) char *path = NULL;
		CLEANUP(js_unrefp) struct js *lease = NULL;

		path = xasprintf("%s/%s", s->dir, ent->d_name);
		if (!is_lease(ent->d_name) || strcmp(path, s->lease) == 0)
			continue;
		lease = read_lease(path, e);
		rc = lease == NULL ? err_wrap(e, "lease") : fn(path, lease, e);
	}
	closedir(d);
	return rc;
}

static int recover(const char *path, const struct js *lease, struct err *e)
{
	if (owner_lives(lease))
		return 0;
	if (put_back(js_get(lease, "values"), e) < 0)
		return -1;
	if (unlink(path) < 0 && errno != ENOENT)
		return err_sys(e, ERR_HOST, "%s", path);
	return 0;
}

static int refuse_living(const char *path, const struct js *lease,
			 struct err *e)
{
	(void)path;
	if (!owner_lives(lease))
		return 0;
	return err_set(e, ERR_HOST,
		       "another vrun agent (pid %d) has changed this host's "
		       "settings; wait for its campaign to end",
		       (int)js_get_int(lease, "pid", 0));
}

static int write_lease(const struct settings *s, struct err *e)
{
	CLEANUP(js_unrefp) struct js *lease = js_object();
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct procfs_stat st;

	if (procfs_stat(getpid(), 0, &st) < 0)
		return err_sys(e, ERR_HOST, "/proc/self/stat");
	js_set_int(lease, "pid", getpid());
	js_set_int(lease, "start_ticks", (int64_t)st.start_ticks);
	js_set(lease, "values", js_ref(s->saved));
	js_print_pretty(lease, &text);
	return file_replace(s->lease, text.data, text.len, e);
}

// Remembers how `path` is, durably, unless it is remembered already.
static int save(struct settings *s, const char *path, struct err *e)
{
	char old[SETTINGS_VALUE_MAX];

	if (js_get(s->saved, path) != NULL)
		return 0;
	if (file_read_line(path, old, sizeof(old)) < 0)
		return err_sys(e, ERR_HOST, "%s", path);
	if (s->saved == NULL)
		s->saved = js_object();
	js_set_str(s->saved, path, old);
	return write_lease(s, e);
}

int settings_init(struct settings *s, const char *dir, const char *root,
		  struct err *e)
{
	*s = (struct settings){
		.root = xstrdup(root),
		.dir = xstrdup(dir),
		.lease = xasprintf("%s/" LEASE_PREFIX "%d.json", dir,
				   (int)getpid()),
	};
	if (each_lease(s, recover, e) == 0)
		return 0;
	settings_deinit(s);
	return -1;
}

int settings_restore(struct settings *s, struct err *e)
{
	if (s->saved == NULL)
		return 0;
	if (put_back(s->saved, e) < 0)
		return -1;
	js_unref(s->saved);
	s->saved = NULL;
	if (unlink(s->lease) < 0)
		return err_sys(e, ERR_HOST, "%s", s->lease);
	return 0;
}

void settings_deinit(struct settings *s)
{
	js_unref(s->saved);
	free(s->root);
	free(s->dir);
	free(s->lease);
	*s = (struct settings){ 0 };
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
	if (now.available >= need)
		return 0;
	*got += room_for(s, page_bytes);
	if (*got < need)
		return 0;
	if (each_lease(s, refuse_living, e) < 0 || save(s, path, e) < 0)
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
