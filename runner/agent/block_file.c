#include "runner/agent/block_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "runner/agent/procfs.h"
#include "runner/base/alloc.h"
#include "runner/base/fd.h"
#include "runner/base/rng.h"

enum {
	LAYOUT_CHUNK = 1 << 20,
	MODE = 0600,
};

static const char mark[] = "user.vrun.scratch";

bool block_file_is_own(int fd)
{
	return fgetxattr(fd, mark, NULL, 0) >= 0;
}

bool block_file_is_short(const char *path, uint64_t size)
{
	CLEANUP(fd_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       (uint64_t)st.st_size < size && block_file_is_own(fd);
}

static char *parent_of(const char *path)
{
	CLEANUP(cleanup_free) char *copy = xstrdup(path);

	return xstrdup(dirname(copy));
}

// --- room ------------------------------------------------------------------

// A file system that does not tell has no limit of its own; in ramfs, memory
// is the limit.
static uint64_t free_bytes(const struct statfs *fs)
{
	long unit = fs->f_frsize != 0 ? fs->f_frsize : fs->f_bsize;
	uint64_t bytes;

	if (fs->f_type == RAMFS_MAGIC &&
	    procfs_meminfo("", "MemAvailable", &bytes) == 0)
		return bytes;
	if (fs->f_blocks == 0 ||
	    __builtin_mul_overflow(fs->f_bavail, unit, &bytes))
		return UINT64_MAX;
	return bytes;
}

int block_file_room(const char *path, uint64_t size, struct block_room *out,
		    struct err *e)
{
	CLEANUP(cleanup_free) char *dir = parent_of(path);
	bool exists = access(path, F_OK) == 0;
	const char *at = exists ? path : dir;
	struct statfs fs;
	struct stat st;

	if (stat(at, &st) < 0 || statfs(at, &fs) < 0)
		return err_sys(e, ERR_HOST, "%s: %s", path, at);
	*out = (struct block_room){
		.fs = st.st_dev,
		.need = size,
		.have = free_bytes(&fs),
	};
	if (exists)
		out->need = block_file_is_short(path, size)
				    ? size - (uint64_t)st.st_size
				    : 0;
	return 0;
}

bool block_room_is_enough(const struct block_room *r)
{
	return r->need <= r->have;
}

void block_room_describe(const struct block_room *r, char *out, size_t size)
{
	unsigned long long need = r->need >> 20, have = r->have >> 20;

	// Rounded up, so that it never looks like less than there is.
	need += r->need % (1 << 20) != 0;
	snprintf(out, size, "%llu MiB are to be written, %llu MiB are free",
		 need, have);
}

static int check_room(const char *path, uint64_t size, struct err *e)
{
	struct block_room room;
	char figures[BLOCK_ROOM_TEXT];

	if (block_file_room(path, size, &room, e) < 0)
		return -1;
	if (block_room_is_enough(&room))
		return 0;
	block_room_describe(&room, figures, sizeof(figures));
	return err_set(e, ERR_REFUSED,
		       "%s: no room to make it: %s; " BLOCK_ROOM_FIX, path,
		       figures);
}

// --- the file --------------------------------------------------------------

struct making {
	const char *path;
	char *part; // its name until it is finished; NULL: it has none
	int fd;
};

static void making_deinit(struct making *m)
{
	if (m->part != NULL)
		unlink(m->part);
	free(m->part);
	fd_closep(&m->fd);
}

// With a name, it must be new: a link that stands there is not followed.
static int open_part(struct making *m)
{
	m->part = xasprintf("%s.vrun-part", m->path);
	if (unlink(m->part) < 0 && errno != ENOENT)
		return -1;
	return open(m->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, MODE);
}

static int open_nameless(struct making *m)
{
	CLEANUP(cleanup_free) char *dir = parent_of(m->path);

	m->fd = open(dir, O_WRONLY | O_TMPFILE | O_CLOEXEC, MODE);
	// Kernels that do not know the flag see a directory opened to write.
	if (m->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR))
		m->fd = open_part(m);
	return m->fd < 0 ? -1 : 0;
}

static int write_noise(int fd, uint64_t size)
{
	CLEANUP(cleanup_free) uint64_t *chunk = xmalloc(LAYOUT_CHUNK);
	struct rng rng;

	rng_seed(&rng, size);
	for (uint64_t done = 0; done < size;) {
		uint64_t n = MIN(size - done, (uint64_t)LAYOUT_CHUNK);

		for (size_t i = 0; i < LAYOUT_CHUNK / sizeof(*chunk); i++)
			chunk[i] = rng_next(&rng);
		if (fd_write_all(fd, chunk, n) < 0)
			return -1;
		done += n;
	}
	return fsync(fd);
}

// Never over a file that came into being meanwhile.
static int give_name(const struct making *m)
{
	char self[64];

	if (m->part != NULL && access(m->path, F_OK) == 0) {
		errno = EEXIST;
		return -1;
	}
	if (m->part != NULL)
		return rename(m->part, m->path);
	snprintf(self, sizeof(self), "/proc/self/fd/%d", m->fd);
	return linkat(AT_FDCWD, self, AT_FDCWD, m->path, AT_SYMLINK_FOLLOW);
}

int block_file_make(const char *path, uint64_t size, bool *marked,
		    struct err *e)
{
	CLEANUP(making_deinit) struct making m = { .path = path, .fd = -1 };
	bool own;

	if (check_room(path, size, e) < 0)
		return -1;
	if (open_nameless(&m) < 0)
		return err_sys(e, ERR_HOST, "%s", path);
	own = fsetxattr(m.fd, mark, "1", 1, 0) == 0;
	if (write_noise(m.fd, size) < 0)
		return err_sys(e, ERR_HOST, "%s: writing %llu bytes", path,
			       (unsigned long long)size);
	if (give_name(&m) < 0)
		return err_sys(e, ERR_HOST, "%s", path);
	*marked = own;
	return 0;
}
