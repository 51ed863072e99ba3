// Diagnostics for the person who debugs vrun, on standard error, off unless
// asked for. Not for errors (struct err) and not for results.
#pragma once

#include "runner/base/compiler.h"

enum log_level {
	LOG_QUIET,
	LOG_INFO
};

void log_set_level(enum log_level level);
void log_info(const char *fmt, ...) PRINTF(1, 2);
