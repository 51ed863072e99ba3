// A file of lines, read piece by piece and ahead of its reader: while he looks
// at one piece, a thread reads the next ones. Short files have no thread.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "runner/base/err.h"

struct lines;

// Some lines, each with its newline. The last line of the file is never given
// before `end` is known; what follows the last newline comes with it.
struct lines_piece {
	const char *text; // NUL-terminated, valid until the next call
	size_t len;
	bool end;
};

// Takes over `fd`. A line that is much longer than `max` is given without its
// end: the piece has no newline at its end and is not the last one.
struct lines *lines_new(int fd, size_t max);
void lines_free(struct lines *l); // NULL is nothing
void lines_freep(struct lines **l);

// The next piece; after the end or an error there is none. -1 with errno.
int lines_next(struct lines *l, struct lines_piece *out) MUST_CHECK;
