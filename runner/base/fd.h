// Descriptors: cleanup, whole reads and writes, files read and replaced whole.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "runner/base/buf.h"
#include "runner/base/err.h"

void fd_closep(int *fd); // for CLEANUP; -1 is nothing; close is not retried

// All of `len`, through EINTR and short writes. errno is set on -1.
int fd_write_all(int fd, const void *data, size_t len) MUST_CHECK;
// Up to end of file; -1 with errno. EFBIG when `out` would have more than
// `limit` bytes.
int fd_read_all(int fd, struct buf *out, size_t limit) MUST_CHECK;
// As read(2), through EINTR. 0 at end of file, -1 with errno.
ssize_t fd_read_some(int fd, void *data, size_t len) MUST_CHECK;

int fd_set_nonblock(int fd) MUST_CHECK;		// errno
int fd_set_cloexec(int fd, bool on) MUST_CHECK; // errno

// For reading; refuses directories and, in a results directory (ERR_STORE), all
// that is no regular file. -1 with a sentence, and errno ENOENT where there is
// none.
int file_open(const char *path, enum err_kind k, struct err *e) MUST_CHECK;
// A whole file, likewise. Refuses anything over `limit` with a sentence.
int file_read(const char *path, size_t limit, struct buf *out, enum err_kind k,
	      struct err *e) MUST_CHECK;
// The first line of a file of /proc or /sys, without white space at its end;
// what does not fit is cut. Returns -1 with errno and leaves `out` empty.
int file_read_line(const char *path, char *out, size_t size) MUST_CHECK;
// Writes a value to a /proc or /sys file that exists already. errno.
int file_write_value(const char *path, const char *value) MUST_CHECK;
// Replaces a file: temporary beside it, fsync, rename, fsync of the directory.
// Links are followed; devices and pipes are written to and stay what they are.
int file_replace(const char *path, const void *data, size_t len,
		 struct err *e) MUST_CHECK;

// The directory of the running program, allocated; "." where that is not known.
char *file_own_dir(void);

// mkdir -p with mode 0755. errno; ENOTDIR where something else is.
int dir_make_all(const char *path) MUST_CHECK;
// rm -rf that never follows links and never crosses out of `path`.
void dir_remove_all(const char *path);
