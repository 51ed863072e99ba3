#include "runner/base/strv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"

void strv_deinit(struct strv *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i]);
	free(s->v);
	*s = (struct strv)STRV_INIT;
}

static void add_owned(struct strv *s, char *arg)
{
	s->v = xgrow(s->v, &s->cap, s->n + 2, sizeof(*s->v));
	s->v[s->n++] = arg;
	s->v[s->n] = NULL;
}

void strv_add(struct strv *s, const char *arg)
{
	add_owned(s, xstrdup(arg));
}

void strv_addf(struct strv *s, const char *fmt, ...)
{
	char *arg = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&arg, fmt, ap) < 0)
		abort();
	va_end(ap);
	add_owned(s, arg);
}

static void quote_one(const char *arg, struct buf *out)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-./=,:+@%";

	if (arg[0] != '\0' && arg[strspn(arg, plain)] == '\0') {
		buf_puts(out, arg);
		return;
	}
	buf_putc(out, '\'');
	for (const char *p = arg; *p != '\0'; p++) {
		if (*p == '\'')
			buf_puts(out, "'\\''");
		else
			buf_putc(out, *p);
	}
	buf_putc(out, '\'');
}

void strv_quote(const struct strv *s, struct buf *out)
{
	for (size_t i = 0; i < s->n; i++) {
		if (i > 0)
			buf_putc(out, ' ');
		quote_one(s->v[i], out);
	}
}
