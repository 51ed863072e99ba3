// What a short program on this machine prints, for carriers.
#pragma once

#include <stddef.h>

#include "runner/base/buf.h"
#include "runner/base/err.h"

enum {
	CAPTURE_S = 30, // then it is killed
};

// Runs argv[0], looked up in PATH, and appends its standard output, at most
// `limit` bytes. Its complaints go to standard error. Returns its exit status,
// 127 when it cannot be run; -1 with an error when it was killed or printed
// more.
int capture(char *const *argv, struct buf *out, size_t limit, struct err *e);
