// What a hook printed: lines "metric NAME VALUE UNIT [higher|lower]" become
// figures of the result; all else is for people. Pure.
#pragma once

#include "runner/base/arena.h"
#include "runner/base/err.h"
#include "runner/record/result.h"

enum {
	HOOK_METRICS_MAX = 256, // of one run of a hook
	HOOK_NAME_MAX = 64,	// bytes of a metric's name or unit
};

// Adds "HOOK.NAME" for each such line. An error names the line.
int hook_output_read(const char *hook, const char *text, struct arena *a,
		     struct result *r, struct err *e) MUST_CHECK;
// Whether a line says "ready".
bool hook_output_is_ready(const char *text);
