// In what two plans differ, for people.
#pragma once

#include <stddef.h>

#include "runner/base/buf.h"
#include "runner/base/js.h"

enum {
	DIFFERENCE_LINES_MAX = 10,
	DIFFERENCE_TEXT_MAX = 60, // of one value
};

// One line per difference, "path: a here, b there" with the two names for
// here and there; after DIFFERENCE_LINES_MAX lines how many more there are.
// Returns the number of differences.
size_t difference_print(const struct js *a, const char *a_name,
			const struct js *b, const char *b_name,
			struct buf *out);
