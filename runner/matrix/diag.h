// Findings about one document, gathered so that a reader sees all of them at
// once, in the order of their places.
#pragma once

#include <stddef.h>

#include "runner/base/arena.h"
#include "runner/base/err.h"

enum {
	DIAG_MAX = 200,	     // more findings than this are not kept
	DIAG_QUOTE_MAX = 48, // bytes of user text in a message
};

// Where something was said. Line 0: not in a file ("--set fixed.memory").
struct place {
	const char *file;
	int line, col; // from 1
};

struct diag {
	struct place at;
	const char *text;
};

struct diags {
	struct arena *arena; // borrowed; holds the texts
	struct diag *v;
	size_t n, cap;
};

void diag_add(struct diags *d, struct place at, const char *fmt, ...)
	PRINTF(3, 4);

// 0 when there is none. Else -1, with one line each in `e`, sorted by place,
// "FILE:LINE:COL: text"; equal ones are told once.
int diag_report(struct diags *d, struct err *e) MUST_CHECK;

// User text in double quotes, fit for a terminal: control characters are
// escaped and what is long is cut.
const char *diag_quote(struct arena *a, const char *text);

// The nearest of `n` names by edits (restricted Damerau-Levenshtein), or NULL
// when none is near enough to be a slip of the keyboard.
const char *diag_nearest(const char *text, const char *const *names, size_t n);

// "; did you mean \"x\"?" or "".
const char *diag_hint(struct arena *a, const char *text,
		      const char *const *names, size_t n);

// "a, b, c".
const char *diag_list(struct arena *a, const char *const *names, size_t n);
