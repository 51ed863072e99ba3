// One error, as a sentence read outside-in: where: what: what would be right.
// The caller owns the struct; it holds the text itself, of which a part in the
// middle is left out where it is longer than that. Only main prints it.
#pragma once

#include "runner/base/compiler.h"

// Kinds exist where a caller branches; main maps each to an exit status.
enum err_kind {
	ERR_NONE,
	ERR_USAGE,	 // bad arguments or a bad matrix
	ERR_REFUSED,	 // preflight refused
	ERR_HOST,	 // a host, its agent or its QEMU failed
	ERR_STORE,	 // the results directory failed
	ERR_INTERRUPTED, // stopped by a signal
};

enum {
	ERR_MSG_MAX = 8192
};

struct err {
	enum err_kind kind;
	char msg[ERR_MSG_MAX];
};

// Sets kind and message. Returns -1, so that a function can end with
// `return err_set(e, ...)`.
int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
	PRINTF(3, 4);

// As err_set, with ": strerror(errno)" at the end, and what to do about it
// where the words do not tell.
int err_sys(struct err *e, enum err_kind kind, const char *fmt, ...)
	PRINTF(3, 4);

// Puts "context: " before the message. Returns -1.
int err_wrap(struct err *e, const char *fmt, ...) PRINTF(2, 3);

// Adds one more line to the message, for errors reported all at once; sets
// kind when there was none. When the message is full its last line says that
// more follow, and nothing is added any more.
void err_add_line(struct err *e, enum err_kind kind, const char *line);

// So that compilers and analyzers see the -1, and do not take what a failed
// function left alone for a value that its caller uses.
static inline int err_minus_one(void)
{
	return -1;
}
#define err_set(...)  ((void)err_set(__VA_ARGS__), err_minus_one())
#define err_sys(...)  ((void)err_sys(__VA_ARGS__), err_minus_one())
#define err_wrap(...) ((void)err_wrap(__VA_ARGS__), err_minus_one())
