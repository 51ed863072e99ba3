#include "runner/campaign/store.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"
#include "runner/proto/artifact.h"

enum {
	STORE_SAME_SECOND_MAX = 100, // campaigns of one name and second
	STORE_PROBE_BYTES = 4096,
};

// The nearest part of `root` that exists: "results/a/b" -> "results".
static char *existing_part(const char *root)
{
	char *part = xstrdup(root);
	struct stat st;

	while (stat(part, &st) < 0 && errno == ENOENT) {
		char *parent = xstrdup(dirname(part));

		free(part);
		part = parent;
	}
	return part;
}

static int write_probe(const char *dir)
{
	static const char zeros[STORE_PROBE_BYTES];
	CLEANUP(cleanup_free)
	char *path = xasprintf("%s/.vrun-probe-XXXXXX", dir);
	CLEANUP(fd_closep) int fd = mkostemp(path, O_CLOEXEC);
	int rc, saved;

	if (fd < 0)
		return -1;
	rc = fd_write_all(fd, zeros, sizeof(zeros));
	if (rc == 0)
		rc = fdatasync(fd);
	saved = errno;
	unlink(path);
	errno = saved;
	return rc;
}

// What is around a directory that has yet to be made is not ours to write in.
// Where nothing can be made, as in /proc, there is no room either.
static int try_write(const char *root, const char *part, uint64_t room)
{
	if (strcmp(root, part) == 0)
		return write_probe(part);
	errno = ENOSPC;
	return room == 0 ? -1
			 : faccessat(AT_FDCWD, part, W_OK | X_OK, AT_EACCESS);
}

int store_probe(const char *root, uint64_t *free_bytes, struct err *e)
{
	static const char remedy[] = "give --results DIR another place";
	CLEANUP(cleanup_free) char *part = existing_part(root);
	struct statvfs fs;
	struct stat st;
	uint64_t room;
	int rc;

	if (stat(part, &st) < 0 || statvfs(part, &fs) < 0) {
		rc = err_sys(e, ERR_STORE, "results in %s: %s", root, part);
	} else if (!S_ISDIR(st.st_mode)) {
		return err_set(e, ERR_STORE,
			       "results in %s: %s is not a directory; %s", root,
			       part, remedy);
	} else {
		room = (uint64_t)fs.f_bavail * fs.f_frsize;
		if (try_write(root, part, room) == 0) {
			*free_bytes = room;
			return 0;
		}
		rc = err_sys(e, ERR_STORE, "results in %s: write to %s", root,
			     part);
	}
	snprintf(e->msg + strlen(e->msg), sizeof(e->msg) - strlen(e->msg),
		 "; %s", remedy);
	return rc;
}

// What is safe in a file's name and pleasant in a shell.
static char *plain_name(const char *name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-.";
	char *out = xstrdup(name[0] != '\0' ? name : "campaign");

	for (char *p = out; *p != '\0'; p++) {
		if (strchr(plain, *p) == NULL || (p == out && *p == '.'))
			*p = '-';
	}
	return out;
}

static char *make_dir(const char *root, const struct plan *plan, struct err *e)
{
	CLEANUP(cleanup_free) char *name = plain_name(plan->name);
	char stamp[CLOCK_STAMP_MAX], again[16] = "";

	clock_format_compact(clock_wall_ns(), stamp);
	for (int i = 2; i < STORE_SAME_SECOND_MAX; i++) {
		char *dir = xasprintf("%s/%s-%s-%.*s%s", root, name, stamp,
				      STORE_ID_CHARS, plan->id, again);

		if (mkdir(dir, 0755) == 0)
			return dir;
		if (errno != EEXIST || i == STORE_SAME_SECOND_MAX - 1) {
			err_sys(e, ERR_STORE, "%s", dir);
			free(dir);
			return NULL;
		}
		free(dir);
		snprintf(again, sizeof(again), "-%d", i);
	}
	return NULL;
}

// Says who holds the lock from what the holder wrote into it.
static int locked_by_other(const char *dir, int fd, struct err *e)
{
	char who[128];
	ssize_t n = pread(fd, who, sizeof(who) - 1, 0);

	who[n > 0 ? n : 0] = '\0';
	who[strcspn(who, "\n")] = '\0';
	return err_set(e, ERR_STORE,
		       "%s: is in use by %s; wait for it, or stop it", dir,
		       who[0] != '\0' ? who : "another vrun");
}

static int sign_lock(int fd)
{
	char host[64] = "?", since[CLOCK_STAMP_MAX], who[160];
	int n;

	gethostname(host, sizeof(host) - 1);
	clock_format_utc(clock_wall_ns(), since);
	n = snprintf(who, sizeof(who), "vrun, process %d on %s, since %s\n",
		     (int)getpid(), host, since);
	if (ftruncate(fd, 0) < 0)
		return -1;
	return pwrite(fd, who, (size_t)n, 0) == n ? 0 : -1;
}

static int lock_dir(const char *dir, struct err *e)
{
	CLEANUP(cleanup_free) char *path = xasprintf("%s/" STORE_LOCK, dir);
	CLEANUP(fd_closep) int fd = -1;

	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_sys(e, ERR_STORE, "%s", path);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno == EWOULDBLOCK)
			return locked_by_other(dir, fd, e);
		return err_sys(e, ERR_STORE, "%s: lock", path);
	}
	if (sign_lock(fd) < 0)
		return err_sys(e, ERR_STORE, "%s", path);
	return TAKE_FD(fd);
}

static int lock_and_give(const char *dir, struct store **out, struct err *e)
{
	CLEANUP(store_closep) struct store *s = xcalloc(1, sizeof(*s));

	s->lock = -1;
	s->dir = realpath(dir, NULL);
	if (s->dir == NULL)
		return err_sys(e, ERR_STORE, "%s", dir);
	s->lock = lock_dir(s->dir, e);
	if (s->lock < 0)
		return -1;
	*out = TAKE_PTR(s);
	return 0;
}

int store_create(const char *root, const struct plan *plan, struct store **out,
		 struct err *e)
{
	CLEANUP(cleanup_free) char *dir = NULL;

	if (dir_make_all(root) < 0)
		return err_sys(e, ERR_STORE, "results in %s", root);
	dir = make_dir(root, plan, e);
	if (dir == NULL)
		return -1;
	return lock_and_give(dir, out, e);
}

bool store_has(const char *dir, const char *name)
{
	CLEANUP(cleanup_free) char *path = xasprintf("%s/%s", dir, name);

	return access(path, R_OK) == 0;
}

int store_check(const char *dir, struct err *e)
{
	if (store_has(dir, STORE_PLAN))
		return 0;
	return err_sys(e, ERR_USAGE,
		       "%s: not a results directory of vrun: " STORE_PLAN, dir);
}

int store_open(const char *dir, struct store **out, struct err *e)
{
	if (store_check(dir, e) < 0)
		return -1;
	return lock_and_give(dir, out, e);
}

void store_close(struct store *s)
{
	if (s == NULL)
		return;
	fd_closep(&s->lock);
	free(s->dir);
	free(s);
}

void store_closep(struct store **s)
{
	store_close(*s);
	*s = NULL;
}

char *store_path(const struct store *s, const char *name)
{
	return xasprintf("%s/%s", s->dir, name);
}

int store_write(const struct store *s, const char *name, const char *data,
		size_t len, struct err *e)
{
	CLEANUP(cleanup_free) char *path = store_path(s, name);

	return file_replace(path, data, len, e);
}

int store_write_js(const struct store *s, const char *name, const struct js *j,
		   struct err *e)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	js_print_pretty(j, &text);
	return store_write(s, name, text.data, text.len, e);
}

struct js *store_read_js(const char *dir, const char *name, struct err *e)
{
	CLEANUP(cleanup_free) char *path = xasprintf("%s/%s", dir, name);
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct js *j;

	if (file_read(path, STORE_FILE_MAX, &text, ERR_STORE, e) < 0)
		return NULL;
	j = js_parse(buf_str(&text), text.len, path, e);
	if (j == NULL)
		e->kind = ERR_STORE;
	return j;
}

int store_artifact(const struct store *s, struct store_attempt of,
		   const char *name, const struct buf *data, struct err *e)
{
	CLEANUP(cleanup_free) char *dir = NULL, *path = NULL;

	assert(artifact_name_is_good(name));
	if (of.attempt <= 1)
		dir = xasprintf("%s/" STORE_ARTIFACTS "/%u", s->dir, of.trial);
	else
		dir = xasprintf("%s/" STORE_ARTIFACTS "/%u.%u", s->dir,
				of.trial, of.attempt);
	if (dir_make_all(dir) < 0)
		return err_sys(e, ERR_STORE, "%s", dir);
	path = xasprintf("%s/%s", dir, name);
	return file_replace(path, buf_str(data), data->len, e);
}
