#include "runner/agent/block_guard.h"

#include <dirent.h>
#include <errno.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/base/fd.h"

enum {
	MOUNTINFO_MAX = 16 << 20,
	SYS_PATH_MAX = 128,
};

// Magic bytes where each format puts them (libblkid's superblocks, and the
// formats' own documents). Negative offsets count from the end.
static const struct signature {
	const char *what;
	long offset;
	const char *magic;
	size_t len;
} signatures[] = {
#define SIG(what, offset, magic)                       \
	{                                              \
		what, offset, magic, sizeof(magic) - 1 \
	}
	SIG("an ext2/3/4 file system", 0x438, "\x53\xef"),
	SIG("an XFS file system", 0, "XFSB"),
	SIG("a Btrfs file system", 0x10040, "_BHRfS_M"),
	SIG("an F2FS file system", 0x400, "\x10\x20\xf5\xf2"),
	SIG("an EROFS file system", 0x400, "\xe2\xe1\xf5\xe0"),
	SIG("a SquashFS file system", 0, "hsqs"),
	SIG("an NTFS file system", 3, "NTFS    "),
	SIG("an exFAT file system", 3, "EXFAT   "),
	SIG("a FAT file system", 0x36, "FAT"),
	SIG("a FAT file system", 0x52, "FAT32"),
	SIG("an ISO 9660 file system", 0x8001, "CD001"),
	SIG("a bcachefs or bcache device", 0x1018,
	    "\xc6\x85\x73\xf6\x4e\x1a\x45\xca"),
	SIG("an LVM volume", 0x218, "LVM2 001"),
	SIG("an LVM volume", 0x18, "LVM2 001"),
	SIG("a LUKS volume", 0, "LUKS\xba\xbe"),
	SIG("swap space", 4086, "SWAPSPACE2"),
	SIG("swap space", 65526, "SWAPSPACE2"),
	SIG("an MD RAID member", 0, "\xfc\x4e\x2b\xa9"),
	SIG("an MD RAID member", 0x1000, "\xfc\x4e\x2b\xa9"),
	SIG("an MD RAID member", -8192, "\xfc\x4e\x2b\xa9"),
	SIG("an MD RAID member", -65536, "\xfc\x4e\x2b\xa9"),
	SIG("a Ceph BlueStore device", 0, "bluestore block device"),
	SIG("a QCOW2 image", 0, "QFI\xfb"),
	SIG("a GPT partition table", 512, "EFI PART"),
	SIG("a GPT partition table", 4096, "EFI PART"),
	SIG("a GPT partition table", -512, "EFI PART"),
	SIG("a partition table or boot sector", 510, "\x55\xaa"),
#undef SIG
};

static bool holds(const unsigned char *data, size_t len, size_t offset,
		  const struct signature *s)
{
	return offset + s->len <= len &&
	       memcmp(data + offset, s->magic, s->len) == 0;
}

const char *block_guard_signature(const unsigned char *head, size_t head_len,
				  const unsigned char *tail, size_t tail_len)
{
	for (size_t i = 0; i < ARRAY_LEN(signatures); i++) {
		const struct signature *s = &signatures[i];
		size_t back = (size_t)-s->offset;

		if (s->offset >= 0
			    ? holds(head, head_len, (size_t)s->offset, s)
			    : back <= tail_len &&
				      holds(tail, tail_len, tail_len - back, s))
			return s->what;
	}
	return NULL;
}

static int refuse(const char *path, const char *what, struct err *e)
{
	return err_set(e, ERR_REFUSED,
		       "%s: refusing to write: it %s; name an empty device, "
		       "wipe it yourself with wipefs(8), or say in the matrix "
		       "`destroy: [%s]`",
		       path, what, path);
}

static int refuse_in_use(const char *path, const char *what, struct err *e)
{
	return err_set(e, ERR_REFUSED,
		       "%s: refusing to write: it %s; free it first, or name "
		       "another device",
		       path, what);
}

static bool is_mounted(dev_t dev)
{
	CLEANUP(buf_deinit) struct buf info = BUF_INIT;
	struct err ignored;
	char needle[64];

	// mountinfo's third field is major:minor.
	snprintf(needle, sizeof(needle), " %u:%u ", major(dev), minor(dev));
	return file_read("/proc/self/mountinfo", MOUNTINFO_MAX, &info, ERR_HOST,
			 &ignored) == 0 &&
	       strstr(buf_str(&info), needle) != NULL;
}

// Does the device's directory in sysfs have an entry that `match` takes?
static bool sysfs_any(dev_t dev, const char *sub, const char *each)
{
	char path[SYS_PATH_MAX];
	const struct dirent *entry;
	bool found = false;
	DIR *d;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u%s", major(dev),
		 minor(dev), sub);
	d = opendir(path);
	while (d != NULL && !found && (entry = readdir(d)) != NULL) {
		CLEANUP(cleanup_free) char *file = NULL;

		if (entry->d_name[0] == '.')
			continue;
		file = xasprintf("%s/%s%s", path, entry->d_name, each);
		found = access(file, F_OK) == 0;
	}
	if (d != NULL)
		closedir(d);
	return found;
}

static int read_end(int fd, off_t at, unsigned char *out, size_t size,
		    size_t *len)
{
	ssize_t n = pread(fd, out, size, at);

	if (n < 0)
		return -1;
	*len = (size_t)n;
	return 0;
}

static int check_content(int fd, const char *path, struct err *e)
{
	CLEANUP(cleanup_free) unsigned char *head = xmalloc(BLOCK_GUARD_HEAD);
	CLEANUP(cleanup_free) unsigned char *tail = xmalloc(BLOCK_GUARD_TAIL);
	size_t head_len, tail_len;
	const char *what;
	uint64_t size;
	off_t tail_at;

	if (ioctl(fd, BLKGETSIZE64, &size) < 0)
		return err_sys(e, ERR_HOST, "%s: size", path);
	tail_at = size > BLOCK_GUARD_TAIL ? (off_t)size - BLOCK_GUARD_TAIL : 0;
	if (read_end(fd, 0, head, BLOCK_GUARD_HEAD, &head_len) < 0 ||
	    read_end(fd, tail_at, tail, BLOCK_GUARD_TAIL, &tail_len) < 0)
		return err_sys(e, ERR_HOST,
			       "%s: reading its first and last blocks", path);
	what = block_guard_signature(head, head_len, tail, tail_len);
	if (what != NULL) {
		CLEANUP(cleanup_free)
		char *text = xasprintf("carries %s", what);

		return refuse(path, text, e);
	}
	return 0;
}

int block_guard_check(int fd, const char *path, bool destroy, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(e, ERR_HOST, "%s", path);
	if (is_mounted(st.st_rdev))
		return refuse_in_use(path, "is mounted", e);
	if (sysfs_any(st.st_rdev, "/holders", ""))
		return refuse_in_use(
			path, "is held by another driver (md, dm, ...)", e);
	if (destroy)
		return 0;
	if (sysfs_any(st.st_rdev, "", "/partition"))
		return refuse(path, "has partitions", e);
	return check_content(fd, path, e);
}
