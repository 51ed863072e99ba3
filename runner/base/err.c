#include "runner/base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "runner/base/alloc.h"

// Else one looks for a disk that is full.
static const char too_large[] =
	"; `ulimit -f unlimited` lifts the limit of this shell, if that is "
	"it, else the file system has one";
static const char more_text[] = "\n(more errors follow; mend these first)";

// What does not fit goes from the middle: the place stands first and the reason
// last; what is long is a path or a value between them.
static void put(struct err *e, const char *text, size_t len)
{
	static const char gap[] = " [...] ";
	const size_t head = sizeof(e->msg) / 2;
	const size_t tail = sizeof(e->msg) - head - sizeof(gap);

	if (len < sizeof(e->msg)) {
		memcpy(e->msg, text, len + 1);
		return;
	}
	memcpy(e->msg, text, head);
	memcpy(e->msg + head, gap, sizeof(gap) - 1);
	memcpy(e->msg + head + sizeof(gap) - 1, text + len - tail, tail + 1);
}

// The message is `fmt`, then `end`.
static void PRINTF(3, 0)
	format(struct err *e, const char *end, const char *fmt, va_list ap)
{
	CLEANUP(cleanup_free) char *text = xvasprintf(fmt, ap);
	CLEANUP(cleanup_free) char *all = xasprintf("%s%s", text, end);

	put(e, all, strlen(all));
}

// The names stand in parentheses so that the macros of the header leave them.
int(err_set)(struct err *e, enum err_kind kind, const char *fmt, ...)
{
	va_list ap;

	e->kind = kind;
	va_start(ap, fmt);
	format(e, "", fmt, ap);
	va_end(ap);
	return -1;
}

int(err_sys)(struct err *e, enum err_kind kind, const char *fmt, ...)
{
	CLEANUP(cleanup_free)
	char *reason = xasprintf(": %s%s", strerror(errno),
				 errno == EFBIG ? too_large : "");
	va_list ap;

	e->kind = kind;
	va_start(ap, fmt);
	format(e, reason, fmt, ap);
	va_end(ap);
	return -1;
}

int(err_wrap)(struct err *e, const char *fmt, ...)
{
	CLEANUP(cleanup_free) char *rest = xasprintf(": %s", e->msg);
	va_list ap;

	va_start(ap, fmt);
	format(e, rest, fmt, ap);
	va_end(ap);
	return -1;
}

static bool is_full(const char *msg, size_t used)
{
	size_t more = sizeof(more_text) - 1;

	return used >= more && memcmp(msg + used - more, more_text, more) == 0;
}

void err_add_line(struct err *e, enum err_kind kind, const char *line)
{
	size_t used = e->kind == ERR_NONE ? 0 : strlen(e->msg);
	size_t need = strlen(line) + 1;

	if (is_full(e->msg, used))
		return;
	if (used + need + sizeof(more_text) > sizeof(e->msg)) {
		if (used == 0)
			err_set(e, kind, "%.200s...", line);
		else
			memcpy(e->msg + used, more_text, sizeof(more_text));
		return;
	}
	if (used > 0)
		e->msg[used++] = '\n';
	memcpy(e->msg + used, line, need);
	e->kind = kind;
}
