// A page that lists campaigns with their answers, for a directory of results
// that is published as it is. Pure: the caller has read the directory.
#pragma once

#include <stddef.h>

#include "runner/base/buf.h"

struct report_index_entry {
	const char *dir;     // its name within the directory of results
	const char *name;    // of the campaign
	const char *started; // "2026-12-01T04:19:44Z"; "" when unknown
	const char *question, *answer; // NULL when there is no report
	const char *trouble;	       // why there is none, else NULL
	const char *page; // the report's name within dir; NULL: there is none
};

// What is in no campaign's shape is named below the table.
struct report_index {
	const struct report_index_entry *entries; // in the order to show
	size_t n;
	const char *const *skipped;
	size_t nskipped;
};

void report_index_write(const struct report_index *index, struct buf *out);
