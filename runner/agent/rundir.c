#include "runner/agent/rundir.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static int make_private(const char *path, struct err *e)
{
	struct stat st;

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return err_sys(e, ERR_HOST, "%s", path);
	if (lstat(path, &st) < 0)
		return err_sys(e, ERR_HOST, "%s", path);
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
	    (st.st_mode & 077) != 0)
		return err_set(e, ERR_HOST,
			       "%s: must be a directory of your own with mode "
			       "0700; remove it or set VRUN_RUNDIR",
			       path);
	return 0;
}

static bool is_dead(const char *name)
{
	char *end;
	long pid = strtol(name, &end, 10);

	return isdigit((unsigned char)name[0]) && *end == '\0' && pid > 0 &&
	       kill((pid_t)pid, 0) < 0 && errno == ESRCH;
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

int rundir_open(struct rundir *d, struct err *e)
{
	*d = (struct rundir){ .base = base_name() };
	d->own = xasprintf("%s/%d", d->base, (int)getpid());
	if (make_private(d->base, e) == 0) {
		sweep(d->base);
		if (make_private(d->own, e) == 0)
			return 0;
	}
	free(d->base);
	free(d->own);
	*d = (struct rundir){ 0 };
	return -1;
}

void rundir_close(struct rundir *d)
{
	if (d->own != NULL)
		dir_remove_all(d->own);
	free(d->own);
	free(d->base);
	*d = (struct rundir){ 0 };
}
