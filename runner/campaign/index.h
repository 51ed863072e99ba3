// index.html of a directory of results: every campaign in it with its question
// and answer, from the report.json that each left.
#pragma once

#include "runner/base/err.h"

#define INDEX_FILE "index.html"

enum {
	INDEX_REPORT_MAX = 64 << 20, // bytes of a report.json
};

// Replaces <root>/index.html as a whole; two vruns that do so take turns. A
// campaign whose report cannot be read is listed with the reason, what is no
// campaign is named, and neither is an error.
int index_write(const char *root, struct err *e) MUST_CHECK;
