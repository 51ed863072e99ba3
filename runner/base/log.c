#include "runner/base/log.h"

#include <stdarg.h>
#include <stdio.h>

static enum log_level log_level = LOG_QUIET;

void log_set_level(enum log_level level)
{
	log_level = level;
}

static PRINTF(1, 0) void emit(const char *fmt, va_list ap)
{
	char line[1024];

	vsnprintf(line, sizeof(line), fmt, ap);
	fprintf(stderr, "vrun: %s\n", line);
}

void log_info(const char *fmt, ...)
{
	va_list ap;

	if (log_level < LOG_INFO)
		return;
	va_start(ap, fmt);
	emit(fmt, ap);
	va_end(ap);
}

void log_debug(const char *fmt, ...)
{
	va_list ap;

	if (log_level < LOG_DEBUG)
		return;
	va_start(ap, fmt);
	emit(fmt, ap);
	va_end(ap);
}
