#include "runner/agent/lease.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "runner/agent/knob.h"
#include "runner/agent/procfs.h"
#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"

#define LEASE_PREFIX "lease-"

enum {
	LOOK_MS = 10, // between looks whether the lock is free
};

// Agents of this user take turns: between a look at the leases of others and
// what follows from it, none of them comes or goes. Returns a descriptor; its
// end is the end of the turn. The directory itself is locked: nothing is left.
static int lock(const struct lease *l, struct err *e)
{
	int64_t until = clock_mono_ns() + LEASE_LOCK_S * NS_PER_S;
	CLEANUP(fd_closep)
	int fd = open(l->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return err_sys(e, ERR_HOST, "%s", l->dir);
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return err_sys(e, ERR_HOST, "%s: cannot be locked",
				       l->dir);
		if (clock_mono_ns() > until)
			return err_set(e, ERR_HOST,
				       "%s: another vrun agent has been at "
				       "this host's settings for %d s; end it "
				       "if it hangs (fuser %s)",
				       l->dir, LEASE_LOCK_S, l->dir);
		clock_sleep_ns(LOOK_MS * NS_PER_MS);
	}
	return TAKE_FD(fd);
}

// The agent that wrote it still lives: same pid, same start.
static bool owner_lives(const struct js *lease)
{
	pid_t pid = (pid_t)js_get_int(lease, "pid", 0);
	struct procfs_stat st;

	return pid > 0 && procfs_stat(pid, 0, &st) == 0 && !st.ended &&
	       st.start_ticks == (uint64_t)js_get_int(lease, "start_ticks", -1);
}

static void add_change(struct js *list, const char *path, const char *from,
		       const char *to)
{
	struct js *change = js_object();

	js_set_str(change, "file", path);
	js_set_str(change, "from", from);
	js_set_str(change, "to", to);
	js_append(list, change);
}

// `log` NULL: nobody wants to know.
static int put_one(const char *path, const char *old, struct js *log,
		   struct err *e)
{
	char now[LEASE_VALUE_MAX] = "";

	if (knob_read(path, now, sizeof(now)) == 0 && knob_equal(now, old))
		return 0;
	if (file_write_value(path, old) < 0)
		return err_sys(e, ERR_HOST, "%s: cannot restore \"%s\"", path,
			       old);
	if (log != NULL)
		add_change(log, path, now, old);
	return 0;
}

// All of them, also when one fails; the last failure is told.
static int put_all(const struct js *values, struct js *log, struct err *e)
{
	const char *path;
	struct js *old;
	int rc = 0;

	JS_FOREACH (values, path, old) {
		if (js_str(old) != NULL &&
		    put_one(path, js_str(old), log, e) < 0)
			rc = -1;
	}
	return rc;
}

// Twice when need be: a CPU whose sibling comes back brings its own files.
static int put_back(const struct js *values, struct js *log, struct err *e)
{
	return put_all(values, log, e) == 0 ? 0 : put_all(values, log, e);
}

static struct js *read_lease(const char *path, struct err *e)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	if (file_read(path, LEASE_BYTES_MAX, &text, ERR_HOST, e) < 0)
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
static int each_lease(const struct lease *l,
		      int (*fn)(const char *path, const struct js *lease,
				struct js *list, struct err *e),
		      struct js *list, struct err *e)
{
	DIR *d = opendir(l->dir);
	struct dirent *ent;
	int rc = 0;

	if (d == NULL)
		return err_sys(e, ERR_HOST, "%s", l->dir);
	while (rc == 0 && (ent = readdir(d)) != NULL) {
		CLEANUP(cleanup_free) char *path = NULL;
		CLEANUP(js_unrefp) struct js *lease = NULL;

		path = xasprintf("%s/%s", l->dir, ent->d_name);
		if (!is_lease(ent->d_name) || strcmp(path, l->file) == 0)
			continue;
		lease = read_lease(path, e);
		rc = lease == NULL ? err_wrap(e, "lease")
				   : fn(path, lease, list, e);
	}
	closedir(d);
	return rc;
}

// Files of /sys and /proc do not outlive the boot that they were changed in.
static bool is_of_this_boot(const struct js *lease)
{
	char now[PROCFS_BOOT_ID_MAX];

	return procfs_boot_id(now) < 0 ||
	       strcmp(js_get_str(lease, "boot", now), now) == 0;
}

static int recover(const char *path, const struct js *lease, struct js *log,
		   struct err *e)
{
	bool same_boot = is_of_this_boot(lease);

	if (same_boot && owner_lives(lease))
		return 0;
	if (same_boot && put_back(js_get(lease, "values"), log, e) < 0)
		return -1;
	if (unlink(path) < 0 && errno != ENOENT)
		return err_sys(e, ERR_HOST, "%s", path);
	return 0;
}

// What a file that the lease remembers says now, where that differs.
static struct js *changes_of(const struct js *lease)
{
	struct js *list = js_array(), *old;
	const char *path;

	JS_FOREACH (js_get(lease, "values"), path, old) {
		char now[LEASE_VALUE_MAX];

		if (js_str(old) != NULL &&
		    knob_read(path, now, sizeof(now)) == 0 &&
		    !knob_equal(now, js_str(old)))
			add_change(list, path, now, js_str(old));
	}
	return list;
}

static int add_holder(const char *path, const struct js *lease, struct js *list,
		      struct err *e)
{
	struct js *holder;

	(void)path;
	(void)e;
	if (!is_of_this_boot(lease) || !owner_lives(lease))
		return 0;
	holder = js_object();
	js_set_int(holder, "pid", js_get_int(lease, "pid", 0));
	js_set_str(holder, "campaign", js_get_str(lease, "campaign", ""));
	js_set(holder, "changed", changes_of(lease));
	js_append(list, holder);
	return 0;
}

static int refuse_living(const char *path, const struct js *lease,
			 struct js *list, struct err *e)
{
	(void)path;
	(void)list;
	if (!is_of_this_boot(lease) || !owner_lives(lease))
		return 0;
	return err_set(e, ERR_HOST,
		       "another vrun agent (pid %d) has changed this host's "
		       "settings; wait for its campaign to end",
		       (int)js_get_int(lease, "pid", 0));
}

static int write_file(const struct lease *l, struct err *e)
{
	CLEANUP(js_unrefp) struct js *js = js_object();
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	char boot[PROCFS_BOOT_ID_MAX];
	struct procfs_stat st;

	if (procfs_stat(getpid(), 0, &st) < 0)
		return err_sys(e, ERR_HOST, "/proc/self/stat");
	if (procfs_boot_id(boot) == 0)
		js_set_str(js, "boot", boot);
	js_set_int(js, "pid", getpid());
	js_set_int(js, "start_ticks", (int64_t)st.start_ticks);
	if (l->campaign != NULL)
		js_set_str(js, "campaign", l->campaign);
	js_set(js, "values", js_ref(l->saved));
	js_print_pretty(js, &text);
	return file_replace(l->file, text.data, text.len, e);
}

static int save(struct lease *l, const struct js *files, struct err *e)
{
	bool news = false;
	const char *path;

	JS_FOREACH_KEY(files, path)
	{
		char old[LEASE_VALUE_MAX];

		if (js_get(l->saved, path) != NULL)
			continue;
		if (knob_read(path, old, sizeof(old)) < 0)
			return err_sys(e, ERR_HOST, "%s", path);
		if (l->saved == NULL)
			l->saved = js_object();
		js_set_str(l->saved, path, old);
		news = true;
	}
	return news ? write_file(l, e) : 0;
}

static int put_back_of(const struct lease *l, const struct js *files,
		       struct err *e)
{
	CLEANUP(js_unrefp) struct js *back = js_object();
	const char *path;

	JS_FOREACH_KEY(files, path)
	js_set(back, path, js_ref(js_get(l->saved, path)));
	return put_back(back, NULL, e);
}

int lease_take(struct lease *l, const struct js *files, const struct js *back,
	       struct err *e)
{
	CLEANUP(fd_closep) int turn = lock(l, e);

	if (turn < 0 || each_lease(l, refuse_living, NULL, e) < 0 ||
	    put_back_of(l, back, e) < 0)
		return -1;
	return save(l, files, e);
}

int lease_init(struct lease *l, const char *dir, struct err *e)
{
	*l = (struct lease){
		.dir = xstrdup(dir),
		.file = xasprintf("%s/" LEASE_PREFIX "%d.json", dir,
				  (int)getpid()),
	};
	l->restored = js_array();
	if (lease_recover(l, e) == 0)
		return 0;
	lease_deinit(l);
	return -1;
}

int lease_recover(struct lease *l, struct err *e)
{
	CLEANUP(fd_closep) int turn = lock(l, e);

	return turn < 0 ? -1 : each_lease(l, recover, l->restored, e);
}

int lease_holders(const struct lease *l, struct js *out, struct err *e)
{
	CLEANUP(fd_closep) int turn = lock(l, e);

	return turn < 0 ? -1 : each_lease(l, add_holder, out, e);
}

int lease_restore(struct lease *l, struct err *e)
{
	CLEANUP(fd_closep) int turn = -1;

	if (l->saved == NULL)
		return 0;
	turn = lock(l, e);
	if (turn < 0 || put_back(l->saved, NULL, e) < 0)
		return -1;
	js_unref(l->saved);
	l->saved = NULL;
	if (unlink(l->file) < 0)
		return err_sys(e, ERR_HOST, "%s", l->file);
	return 0;
}

void lease_deinit(struct lease *l)
{
	js_unref(l->saved);
	js_unref(l->restored);
	free(l->dir);
	free(l->file);
	*l = (struct lease){ 0 };
}
