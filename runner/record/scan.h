// Reads the lines of a journal one after the other, for analyses of a million
// of them: what record_to_js wrote is read in place (jscan.h), everything else
// by record_parse, so that the outcome is that of record_parse. Two things are
// left out: `times`, and the search of it for keys that come twice.
#pragma once

#include "runner/record/memory.h"
#include "runner/record/record.h"

enum {
	// Distinct texts kept of each section of the facts, and sections.
	RECORD_SCAN_KNOWN = 8,
	RECORD_SCAN_SECTIONS = 16,
	RECORD_SCAN_CELLS = 100 * 1000,
};

struct record_scan; // owns what the last record points to

struct record_scan *record_scan_new(void);
void record_scan_free(struct record_scan *s); // NULL is nothing
void record_scan_freep(struct record_scan **s);

// Records that are read from now on stay until `m` is reset, and no longer than
// the scan. NULL: until the next one is read.
void record_scan_into(struct record_scan *s, struct record_memory *m);

// As record_parse, but `out` is valid until the next call and out->tree NULL.
// Sections of the facts ("guest", "qemu") that are equal in two records are
// mostly one tree, and so are the facts when all of them are: whoever holds a
// reference can tell by the pointer that he has seen them.
int record_scan_line(struct record_scan *s, const char *line, size_t len,
		     struct record *out, struct err *e) MUST_CHECK;
