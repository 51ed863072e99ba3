// Figures with units, as people type them, to integers: pure, no locale.
// Each parser takes the whole string or fails; nothing is rounded silently.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/base/compiler.h"

enum units_status {
	UNITS_OK,
	UNITS_EMPTY,
	UNITS_NOT_A_NUMBER,
	UNITS_NEGATIVE,
	UNITS_UNKNOWN_UNIT,
	UNITS_TOO_LARGE,
	UNITS_FRACTION, // "0.5" where a whole number is needed
};

// Bytes. "4096", "4k", "4K", "4KiB", "512M", "1.5G", "1T"; k is 1024.
enum units_status units_parse_size(const char *s, uint64_t *bytes) MUST_CHECK;
// Nanoseconds. "3s", "250ms", "10us", "100ns", "2m", "1h", "1.5s"; "0" alone
// needs no unit, other bare numbers do.
enum units_status units_parse_duration(const char *s, uint64_t *ns) MUST_CHECK;
// A count. "128", "1e6", "64k" (k is 1000).
enum units_status units_parse_count(const char *s, uint64_t *n) MUST_CHECK;
// A fraction from "2%", "2 %" or "0.02"; may be negative.
enum units_status units_parse_ratio(const char *s, double *ratio) MUST_CHECK;
// A finite real number.
enum units_status units_parse_real(const char *s, double *x) MUST_CHECK;
// on/off, yes/no, true/false, 1/0.
enum units_status units_parse_bool(const char *s, bool *b) MUST_CHECK;

// What is wrong, for a message: "has no number", "is negative", ...
const char *units_status_text(enum units_status st);

// The shortest exact form: "512M", "4k", "1000".
void units_format_size(uint64_t bytes, char *out, size_t size);
// "3s", "250ms", "1m30s".
void units_format_duration(uint64_t ns, char *out, size_t size);
