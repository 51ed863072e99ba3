#include "runner/agent/meeting.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "runner/agent/rundir.h"
#include "runner/base/alloc.h"
#include "runner/base/fd.h"

#define PREFIX "campaign-"

enum {
	MEETING_BACKLOG = 8,
};

int meeting_init(struct meeting *m, const char *campaign, struct err *e)
{
	CLEANUP(cleanup_free) char *base = rundir_base(e);

	*m = (struct meeting){ .lock = -1, .listener = -1 };
	if (base == NULL)
		return -1;
	m->dir = xasprintf("%s/" PREFIX "%s", base, campaign);
	return 0;
}

void meeting_deinit(struct meeting *m)
{
	fd_closep(&m->listener);
	fd_closep(&m->lock);
	free(m->dir);
	m->dir = NULL;
}

// A campaign's name may be longer than a socket's may: the directory is named
// by its descriptor.
static int open_socket(const struct meeting *m, struct sockaddr_un *addr,
		       int *dir)
{
	*dir = open(m->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*dir < 0)
		return -1;
	*addr = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(addr->sun_path, sizeof(addr->sun_path),
		 "/proc/self/fd/%d/socket", *dir);
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

int meeting_connect(const struct meeting *m)
{
	CLEANUP(fd_closep) int dir = -1, fd = -1;
	struct sockaddr_un addr;

	fd = open_socket(m, &addr, &dir);
	if (fd < 0 ||
	    connect(fd, (const struct sockaddr *)&addr, sizeof(addr)) < 0)
		return -1;
	return TAKE_FD(fd);
}

static int listen_here(const struct meeting *m)
{
	CLEANUP(fd_closep) int dir = -1, fd = -1;
	struct sockaddr_un addr;

	fd = open_socket(m, &addr, &dir);
	if (fd < 0 || (unlinkat(dir, "socket", 0) < 0 && errno != ENOENT) ||
	    bind(fd, (const struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    listen(fd, MEETING_BACKLOG) < 0 || fd_set_nonblock(fd) < 0)
		return -1;
	return TAKE_FD(fd);
}

// The lock of a directory; -1 with EWOULDBLOCK when an agent holds it, or when
// what was locked is of a directory that is gone by now.
static int lock_dir(const char *dir)
{
	CLEANUP(cleanup_free) char *path = xasprintf("%s/lock", dir);
	CLEANUP(fd_closep) int fd = -1;
	struct stat st;

	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0 || fstat(fd, &st) < 0)
		return -1;
	if (st.st_nlink > 0)
		return TAKE_FD(fd);
	errno = EWOULDBLOCK;
	return -1;
}

int meeting_occupy(struct meeting *m, struct err *e)
{
	if (rundir_make_private(m->dir, e) < 0)
		return -1;
	m->lock = lock_dir(m->dir);
	if (m->lock < 0 && (errno == EWOULDBLOCK || errno == ENOENT))
		return 0;
	if (m->lock < 0)
		return err_sys(e, ERR_HOST, "%s/lock", m->dir);
	m->listener = listen_here(m);
	if (m->listener < 0)
		return err_sys(e, ERR_HOST, "%s/socket", m->dir);
	return 1;
}

int meeting_take_stdio(const struct meeting *m, struct err *e)
{
	CLEANUP(cleanup_free) char *path = xasprintf("%s/log", m->dir);
	CLEANUP(fd_closep) int null = -1, log = -1;

	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (null < 0 || log < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(null, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0)
		return err_sys(e, ERR_HOST, "%s", path);
	return 0;
}

void meeting_leave(struct meeting *m)
{
	dir_remove_all(m->dir);
	meeting_deinit(m);
}

void meeting_sweep(const char *base)
{
	DIR *d = opendir(base);
	struct dirent *ent;

	while (d != NULL && (ent = readdir(d)) != NULL) {
		CLEANUP(cleanup_free) char *dir = NULL;
		CLEANUP(fd_closep) int lock = -1;

		if (strncmp(ent->d_name, PREFIX, strlen(PREFIX)) != 0)
			continue;
		dir = xasprintf("%s/%s", base, ent->d_name);
		lock = lock_dir(dir);
		if (lock >= 0)
			dir_remove_all(dir);
	}
	if (d != NULL)
		closedir(d);
}
