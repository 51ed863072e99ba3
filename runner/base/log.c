#include "runner/base/log.h"

#include <stdarg.h>
#include <stdio.h>

#include "runner/base/plain.h"

static enum log_level log_level = LOG_QUIET;

void log_set_level(enum log_level level)
{
	log_level = level;
}

void log_info(const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	if (log_level < LOG_INFO)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	plain_text(line);
	fprintf(stderr, "vrun: %s\n", line);
}
