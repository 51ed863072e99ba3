#include "runner/base/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/alloc.h"

void fd_closep(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = saved;
}

int fd_write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

ssize_t fd_read_some(int fd, void *data, size_t len)
{
	ssize_t n;

	do {
		n = read(fd, data, len);
	} while (n < 0 && errno == EINTR);
	return n;
}

int fd_read_all(int fd, struct buf *out, size_t limit)
{
	char chunk[16384];
	ssize_t n;

	while ((n = fd_read_some(fd, chunk, sizeof(chunk))) > 0) {
		if (out->len > limit || (size_t)n > limit - out->len) {
			errno = EFBIG;
			return -1;
		}
		buf_add(out, chunk, (size_t)n);
	}
	return n < 0 ? -1 : 0;
}

int fd_set_nonblock(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags < 0 ? -1 : fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

int fd_set_cloexec(int fd, bool on)
{
	return fcntl(fd, F_SETFD, on ? FD_CLOEXEC : 0);
}

// Nothing in a results directory may make its reader wait for somebody.
static int check_kind(int fd, const char *path, enum err_kind k, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(e, k, "%s", path);
	if (S_ISDIR(st.st_mode))
		return err_set(e, k, "%s: is a directory; give a file", path);
	if (k == ERR_STORE && !S_ISREG(st.st_mode))
		return err_set(e, k,
			       "%s: is a pipe or device; it must be a file",
			       path);
	return 0;
}

int file_open(const char *path, enum err_kind k, struct err *e)
{
	int wait = k == ERR_STORE ? O_NONBLOCK : 0;
	CLEANUP(fd_closep)
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | wait);

	if (fd < 0) {
		int error = errno;

		err_sys(e, k, "%s", path);
		errno = error;
		return -1;
	}
	if (check_kind(fd, path, k, e) < 0) {
		errno = EINVAL;
		return -1;
	}
	return TAKE_FD(fd);
}

int file_read(const char *path, size_t limit, struct buf *out, enum err_kind k,
	      struct err *e)
{
	CLEANUP(fd_closep) int fd = file_open(path, k, e);

	if (fd < 0)
		return -1;
	if (fd_read_all(fd, out, limit) < 0) {
		if (errno == EFBIG)
			return err_set(e, k,
				       "%s: larger than the limit of %zu bytes",
				       path, limit);
		return err_sys(e, k, "%s", path);
	}
	return 0;
}

int file_read_line(const char *path, char *out, size_t size)
{
	CLEANUP(fd_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	out[0] = '\0';
	if (fd < 0)
		return -1;
	n = fd_read_some(fd, out, size - 1);
	if (n < 0) {
		out[0] = '\0';
		return -1;
	}
	out[n] = '\0';
	n = (ssize_t)strcspn(out, "\n");
	while (n > 0 && strchr(" \t", out[n - 1]) != NULL)
		n--;
	out[n] = '\0';
	return 0;
}

int file_write_value(const char *path, const char *value)
{
	CLEANUP(fd_closep) int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd < 0 ? -1 : fd_write_all(fd, value, strlen(value));
}

static int sync_parent(const char *path)
{
	CLEANUP(cleanup_free) char *copy = xstrdup(path);
	CLEANUP(fd_closep) int fd = -1;

	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -1 : fsync(fd);
}

static int write_and_sync(const char *path, const void *data, size_t len)
{
	CLEANUP(fd_closep) int fd = -1;

	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || fd_write_all(fd, data, len) < 0)
		return -1;
	return fsync(fd);
}

// A device or a pipe: what takes its place would be no such thing any more.
static bool is_stream(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode) &&
	       !S_ISDIR(st.st_mode);
}

static int write_stream(const char *path, const void *data, size_t len)
{
	CLEANUP(fd_closep) int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd < 0 ? -1 : fd_write_all(fd, data, len);
}

static int replace(const char *path, const void *data, size_t len)
{
	CLEANUP(cleanup_free) char *real = realpath(path, NULL);
	const char *target = real != NULL ? real : path;
	CLEANUP(cleanup_free) char *tmp = NULL;

	if (real == NULL && errno != ENOENT)
		return -1;
	tmp = xasprintf("%s.new", target);
	if (write_and_sync(tmp, data, len) < 0 || rename(tmp, target) < 0 ||
	    sync_parent(target) < 0) {
		int saved = errno;

		unlink(tmp);
		errno = saved;
		return -1;
	}
	return 0;
}

int file_replace(const char *path, const void *data, size_t len, struct err *e)
{
	int rc = is_stream(path) ? write_stream(path, data, len)
				 : replace(path, data, len);

	return rc == 0 ? 0 : err_sys(e, ERR_STORE, "%s", path);
}

static int make_dir(const char *path)
{
	struct stat st;

	if (mkdir(path, 0755) == 0)
		return 0;
	if (errno != EEXIST || stat(path, &st) < 0)
		return -1;
	errno = ENOTDIR;
	return S_ISDIR(st.st_mode) ? 0 : -1;
}

int dir_make_all(const char *path)
{
	CLEANUP(cleanup_free) char *copy = xstrdup(path);

	for (char *p = copy; *p != '\0'; p++) {
		if (*p != '/' || p == copy)
			continue;
		*p = '\0';
		if (make_dir(copy) < 0)
			return -1;
		*p = '/';
	}
	return make_dir(copy);
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	remove(path);
	return 0;
}

void dir_remove_all(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

char *file_own_dir(void)
{
	CLEANUP(cleanup_free) char *self = realpath("/proc/self/exe", NULL);

	return xstrdup(self == NULL ? "." : dirname(self));
}
