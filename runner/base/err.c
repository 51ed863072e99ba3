#include "runner/base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char more_text[] = "\n(more errors follow; mend these first)";

// The names stand in parentheses so that the macros of the header leave them.
int(err_set)(struct err *e, enum err_kind kind, const char *fmt, ...)
{
	va_list ap;

	e->kind = kind;
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	return -1;
}

int(err_sys)(struct err *e, enum err_kind kind, const char *fmt, ...)
{
	int saved = errno;
	va_list ap;
	size_t used;

	e->kind = kind;
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	used = strlen(e->msg);
	snprintf(e->msg + used, sizeof(e->msg) - used, ": %s", strerror(saved));
	return -1;
}

int(err_wrap)(struct err *e, const char *fmt, ...)
{
	char context[1024];
	size_t used, keep;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(context, sizeof(context) - 2, fmt, ap);
	va_end(ap);
	used = strlen(context);
	memcpy(context + used, ": ", 3);
	used += 2;
	keep = strlen(e->msg);
	if (keep + used >= sizeof(e->msg))
		keep = sizeof(e->msg) - used - 1;
	memmove(e->msg + used, e->msg, keep);
	memcpy(e->msg, context, used);
	e->msg[used + keep] = '\0';
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
