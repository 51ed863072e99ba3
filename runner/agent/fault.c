#include "runner/agent/fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int fault_set(struct fault *f, enum outcome o, const char *fmt, ...)
{
	va_list ap;

	f->outcome = o;
	f->err.kind = ERR_HOST;
	va_start(ap, fmt);
	vsnprintf(f->err.msg, sizeof(f->err.msg), fmt, ap);
	va_end(ap);
	return -1;
}

int fault_from_err(struct fault *f, enum outcome o)
{
	f->outcome = o;
	return -1;
}

int fault_wrap(struct fault *f, const char *fmt, ...)
{
	char context[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(context, sizeof(context), fmt, ap);
	va_end(ap);
	return err_wrap(&f->err, "%s", context);
}

int fault_add(struct fault *f, const char *fmt, ...)
{
	size_t len = strlen(f->err.msg), room = sizeof(f->err.msg) - len;
	va_list ap;

	if (room <= sizeof("; "))
		return -1;
	memcpy(f->err.msg + len, "; ", sizeof("; "));
	va_start(ap, fmt);
	vsnprintf(f->err.msg + len + 2, room - 2, fmt, ap);
	va_end(ap);
	return -1;
}
