// Host settings by the names that a matrix uses ("governor", "thp"), or by the
// path of a file of /sys or /proc/sys: which files they are and what these must
// hold. Reads names below `root` ("" but in tests); changes nothing.
#pragma once

#include "runner/base/err.h"
#include "runner/base/js.h"

enum {
	KNOB_FILES_MAX = 4096, // of one setting
	KNOB_PATH_MAX = 512,   // bytes, root left out
};

// Adds {path: value} for the setting `name` at `value`, paths with root in
// front, to `out`. An action without a file (drop-caches, hugepages) adds
// nothing. An error when the name is unknown or this host has no such file.
int knob_files(const char *root, const char *name, const char *value,
	       struct js *out, struct err *e) MUST_CHECK;

// Whether this file may refuse a value: interrupts of one CPU, and those that
// their driver places, cannot be moved.
bool knob_may_refuse(const char *path);

// What such a file says now: its first line; of a choice like
// "always [madvise] never" the one in brackets. -1 with errno.
int knob_read(const char *path, char *out, size_t size) MUST_CHECK;

// Whether two texts say the same: equal, or the same set of CPUs.
bool knob_equal(const char *a, const char *b);
