#include "runner/agent/block_device.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/agent/block_file.h"
#include "runner/agent/block_guard.h"
#include "runner/base/fd.h"

// statx(2)'s figures on direct I/O, newer than the C library's struct: by the
// kernel's ABI (Linux 6.1).
#define MASK_DIOALIGN 0x2000U

enum {
	DIO_MEM_OFFSET = 0x98,
	DIO_OFFSET_OFFSET = 0x9c,
	PAGE_BYTES = 4096,
	FALLBACK_BLOCK = 512,
};

static int refuse_file(const char *path, struct err *e)
{
	return err_set(e, ERR_REFUSED,
		       "%s: refusing to write: the file exists and vrun did "
		       "not make it; name one that does not exist, with "
		       "`size:`, remove it, or say in the matrix "
		       "`destroy: [%s]`",
		       path, path);
}

// O_NOATIME is for owners only: a nicety, so tried and given up.
static int open_retry(const char *path, int flags)
{
	int fd = open(path, flags | O_NOATIME | O_CLOEXEC);

	if (fd < 0 && errno == EPERM)
		fd = open(path, flags | O_CLOEXEC);
	return fd;
}

static int open_error(const char *path, const struct block_params *p,
		      struct err *e)
{
	if (errno == EINVAL && p->direct)
		return err_set(e, ERR_HOST,
			       "%s: its file system takes no direct I/O; say "
			       "`direct: false` or use another place",
			       path);
	if (errno == EBUSY)
		return err_set(e, ERR_REFUSED,
			       "%s: refusing to write: the device is in use "
			       "(mounted, swap, md or dm)",
			       path);
	return err_sys(e, ERR_HOST, "%s", path);
}

// Writing to a device is exclusive: the kernel refuses what is mounted.
static int open_target(struct block_device *d, const struct block_params *p,
		       struct err *e)
{
	int flags = block_writes(p) ? O_RDWR : O_RDONLY;

	if (p->direct)
		flags |= O_DIRECT;
	if (d->is_block && block_writes(p))
		flags |= O_EXCL;
	d->fd = open_retry(d->path, flags);
	return d->fd < 0 ? open_error(d->path, p, e) : 0;
}

static int guard_target(const struct block_device *d,
			const struct block_params *p, struct err *e)
{
	CLEANUP(fd_closep) int fd = -1;

	if (!block_writes(p))
		return 0;
	fd = open(d->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, ERR_HOST, "%s", d->path);
	if (d->is_block)
		return block_guard_check(fd, d->path, p->destroy, e);
	if (d->unlink || p->destroy || block_file_is_own(fd))
		return 0;
	return refuse_file(d->path, e);
}

// What statx says of direct I/O on this file, or 512 and a page.
static void file_alignment(struct block_device *d)
{
	struct statx sx;
	uint32_t mem, offset;

	d->logical_block = FALLBACK_BLOCK;
	if (statx(d->fd, "", AT_EMPTY_PATH, MASK_DIOALIGN, &sx) < 0 ||
	    (sx.stx_mask & MASK_DIOALIGN) == 0)
		return;
	memcpy(&mem, (const char *)&sx + DIO_MEM_OFFSET, sizeof(mem));
	memcpy(&offset, (const char *)&sx + DIO_OFFSET_OFFSET, sizeof(offset));
	if (offset != 0)
		d->logical_block = offset;
	// A power of two, or not to be believed.
	if (mem > d->align && (mem & (mem - 1)) == 0)
		d->align = mem;
}

static int measure_block(struct block_device *d, struct err *e)
{
	int lbs;

	if (ioctl(d->fd, BLKGETSIZE64, &d->size) < 0 ||
	    ioctl(d->fd, BLKSSZGET, &lbs) < 0)
		return err_sys(e, ERR_HOST, "%s: size and block size", d->path);
	d->logical_block = (uint32_t)lbs;
	return 0;
}

static int measure_file(struct block_device *d, struct err *e)
{
	struct stat st;
	off_t hole;

	if (fstat(d->fd, &st) < 0)
		return err_sys(e, ERR_HOST, "%s", d->path);
	d->size = (uint64_t)st.st_size;
	hole = lseek(d->fd, 0, SEEK_HOLE);
	d->has_holes = hole >= 0 && hole < st.st_size;
	file_alignment(d);
	return 0;
}

static int make_file(struct block_device *d, const struct block_params *p,
		     struct err *e)
{
	bool marked;

	if (p->size == 0)
		return err_set(e, ERR_HOST,
			       "%s: does not exist; give a `size:` to have it "
			       "made",
			       d->path);
	if (block_file_make(d->path, (uint64_t)p->size, &marked, e) < 0)
		return -1;
	d->unlink = !marked;
	return 0;
}

static int look_at(struct block_device *d, const struct block_params *p,
		   struct err *e)
{
	struct stat st;

	if (block_file_is_short(d->path, (uint64_t)p->size) &&
	    unlink(d->path) < 0)
		return err_sys(e, ERR_HOST, "%s", d->path);
	if (stat(d->path, &st) < 0)
		return errno == ENOENT ? make_file(d, p, e)
				       : err_sys(e, ERR_HOST, "%s", d->path);
	d->is_block = S_ISBLK(st.st_mode);
	if (!d->is_block && !S_ISREG(st.st_mode))
		return err_set(e, ERR_HOST,
			       "%s: is neither a block device nor a regular "
			       "file",
			       d->path);
	return 0;
}

static void drop_name(struct block_device *d)
{
	if (d->unlink)
		unlink(d->path);
	d->unlink = false;
}

int block_device_open(struct block_device *d, const char *path,
		      const struct block_params *p, struct err *e)
{
	*d = (struct block_device){ .fd = -1,
				    .path = path,
				    .align = PAGE_BYTES };
	if (look_at(d, p, e) < 0 || guard_target(d, p, e) < 0 ||
	    open_target(d, p, e) < 0)
		return -1;
	// Only fio needs its name, to open it itself.
	if (d->unlink && p->engine == BLOCK_BUILTIN)
		drop_name(d);
	return d->is_block ? measure_block(d, e) : measure_file(d, e);
}

void block_device_close(struct block_device *d)
{
	fd_closep(&d->fd);
	drop_name(d);
}
