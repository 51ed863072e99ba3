// MANIFEST.sha256 of a finished campaign, as sha256sum(1) checks it.
#include "runner/campaign/store.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "runner/base/alloc.h"
#include "runner/base/fd.h"
#include "runner/base/sha256.h"

enum {
	MANIFEST_DEPTH_MAX = 8,
};

static const size_t manifest_file_max = 4ULL << 30;

static bool is_left_out(const char *path)
{
	return strcmp(path, STORE_MANIFEST) == 0 ||
	       strcmp(path, STORE_LOCK) == 0;
}

// `path` is relative to the directory of the store.
static int add_file(const struct store *s, const char *path, struct buf *out,
		    struct err *e)
{
	CLEANUP(cleanup_free) char *full = store_path(s, path);
	CLEANUP(buf_deinit) struct buf data = BUF_INIT;
	char hex[SHA256_HEX_CHARS + 1];

	if (file_read(full, manifest_file_max, &data, ERR_STORE, e) < 0)
		return -1;
	sha256_hex(buf_str(&data), data.len, hex);
	buf_printf(out, "%s  %s\n", hex, path);
	return 0;
}

static int not_dots(const struct dirent *d)
{
	return strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int add_dir(const struct store *s, const char *path, int depth,
		   struct buf *out, struct err *e);

static int add_entry(const struct store *s, const char *path, int depth,
		     struct buf *out, struct err *e)
{
	CLEANUP(cleanup_free) char *full = store_path(s, path);
	struct stat st;

	if (is_left_out(path))
		return 0;
	if (lstat(full, &st) < 0)
		return err_sys(e, ERR_STORE, "%s", full);
	if (S_ISDIR(st.st_mode) && depth < MANIFEST_DEPTH_MAX)
		return add_dir(s, path, depth + 1, out, e);
	return S_ISREG(st.st_mode) ? add_file(s, path, out, e) : 0;
}

static int add_dir(const struct store *s, const char *path, int depth,
		   struct buf *out, struct err *e)
{
	CLEANUP(cleanup_free) char *full = store_path(s, path);
	struct dirent **names;
	int n, rc = 0;

	n = scandir(full, &names, not_dots, by_bytes);
	if (n < 0)
		return err_sys(e, ERR_STORE, "%s", full);
	for (int i = 0; i < n; i++) {
		CLEANUP(cleanup_free) char *child = NULL;

		child = path[0] == '\0'
				? xstrdup(names[i]->d_name)
				: xasprintf("%s/%s", path, names[i]->d_name);
		free(names[i]);
		if (rc == 0)
			rc = add_entry(s, child, depth, out, e);
	}
	free(names);
	return rc;
}

int store_finish(const struct store *s, struct err *e)
{
	CLEANUP(buf_deinit) struct buf list = BUF_INIT;

	if (add_dir(s, "", 0, &list, e) < 0)
		return -1;
	return store_write(s, STORE_MANIFEST, list.data, list.len, e);
}
