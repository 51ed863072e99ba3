#include "runner/agent/rundir.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/agent/procfs.h"
#include "runner/base/alloc.h"
#include "runner/base/fd.h"

static char *base_name(void)
{
	const char *given = getenv("VRUN_RUNDIR");
	const char *xdg = getenv("XDG_RUNTIME_DIR");

	if (given != NULL && given[0] == '/')
		return xstrdup(given);
	if (geteuid() == 0)
		return xstrdup("/run/vrun");
	if (xdg != NULL && xdg[0] == '/')
		return xasprintf("%s/vrun", xdg);
	return xasprintf("/tmp/vrun-%u", (unsigned)geteuid());
}

// One's own, in which others have none of the permissions `others`.
static int make_own(const char *path, mode_t others, struct err *e)
{
	struct stat st;

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return err_sys(e, ERR_HOST, "%s", path);
	if (lstat(path, &st) < 0)
		return err_sys(e, ERR_HOST, "%s", path);
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
	    (st.st_mode & others) != 0)
		return err_set(e, ERR_HOST,
			       "%s: must be a directory of your own with mode "
			       "%04o or less; remove it, or name another in "
			       "VRUN_RUNDIR or VRUN_STATEDIR",
			       path, 0777 & ~others);
	return 0;
}

int rundir_make_private(const char *path, struct err *e)
{
	return make_own(path, 077, e);
}

static char *state_name(void)
{
	const char *given = getenv("VRUN_STATEDIR");
	const char *xdg = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (given != NULL && given[0] == '/')
		return xstrdup(given);
	if (geteuid() == 0)
		return xstrdup("/var/lib/vrun");
	if (xdg != NULL && xdg[0] == '/')
		return xasprintf("%s/vrun", xdg);
	if (home != NULL && home[0] == '/')
		return xasprintf("%s/.local/state/vrun", home);
	return xasprintf("/var/tmp/vrun-%u", (unsigned)geteuid());
}

char *rundir_state(struct err *e)
{
	CLEANUP(cleanup_free) char *path = state_name();
	CLEANUP(cleanup_free) char *copy = xstrdup(path);

	if (dir_make_all(dirname(copy)) < 0) {
		err_sys(e, ERR_HOST, "%s", path);
		return NULL;
	}
	return make_own(path, 022, e) < 0 ? NULL : TAKE_PTR(path);
}

static bool is_dead(const char *name)
{
	char *end;
	long pid = strtol(name, &end, 10);
	struct procfs_stat st;

	return isdigit((unsigned char)name[0]) && *end == '\0' && pid > 0 &&
	       (procfs_stat((pid_t)pid, 0, &st) < 0 || st.ended);
}

static void sweep(const char *base)
{
	DIR *d = opendir(base);
	struct dirent *ent;

	if (d == NULL)
		return;
	while ((ent = readdir(d)) != NULL) {
		CLEANUP(cleanup_free) char *path = NULL;

		if (!is_dead(ent->d_name))
			continue;
		path = xasprintf("%s/%s", base, ent->d_name);
		dir_remove_all(path);
	}
	closedir(d);
}

char *rundir_base(struct err *e)
{
	CLEANUP(cleanup_free) char *base = base_name();

	return rundir_make_private(base, e) < 0 ? NULL : TAKE_PTR(base);
}

int rundir_open(struct rundir *d, struct err *e)
{
	CLEANUP(cleanup_free) char *base = rundir_base(e);
	CLEANUP(cleanup_free) char *own = NULL;

	*d = (struct rundir){ 0 };
	if (base == NULL)
		return -1;
	sweep(base);
	own = xasprintf("%s/%d", base, (int)getpid());
	if (rundir_make_private(own, e) < 0)
		return -1;
	d->base = TAKE_PTR(base);
	d->own = TAKE_PTR(own);
	return 0;
}

void rundir_close(struct rundir *d)
{
	if (d->own != NULL)
		dir_remove_all(d->own);
	free(d->own);
	free(d->base);
	*d = (struct rundir){ 0 };
}
