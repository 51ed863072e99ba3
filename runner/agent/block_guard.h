// Is there anything on a block device that writing would destroy?
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "runner/base/err.h"

enum {
	BLOCK_GUARD_HEAD = 128 << 10, // bytes of the front that are looked at
	BLOCK_GUARD_TAIL = 64 << 10,  // and of the end
};

// The file system, partition table or volume whose signature stands in the
// first `head_len` bytes or the last `tail_len` bytes; NULL when none is
// known. Pure.
const char *block_guard_signature(const unsigned char *head, size_t head_len,
				  const unsigned char *tail, size_t tail_len);

// Refuses, with a sentence, a block device that is mounted, held by another
// driver or, unless `destroy`, partitioned or carries a signature. `fd` is open
// for reading.
int block_guard_check(int fd, const char *path, bool destroy,
		      struct err *e) MUST_CHECK;
