// One line of trials.jsonl: an event in the life of a trial. Versioned; the
// format is documented in results/README.md.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/base/arena.h"
#include "runner/base/err.h"
#include "runner/record/result.h"

enum {
	RECORD_VERSION = 1,
	RECORD_LINE_MAX = 8 << 20,
	RECORD_LEVELS_MAX = 64,
};

enum record_event {
	RECORD_STARTED,
	RECORD_FINISHED
};

// The level of a factor that has no effect in a cell: it stands for all of
// them.
#define LEVEL_ANY "-"

struct level {
	const char *factor, *text; // "backing", "hugetlb-2M" as displayed
};

// The same factors at the same levels, in the same order.
bool levels_equal(const struct level *a, size_t na, const struct level *b,
		  size_t nb);

struct record {
	enum record_event event;
	uint32_t trial;	  // id in the plan
	uint32_t attempt; // 1, then 2.. for retries; names the one it repeats
	const char *host;
	uint32_t block, boot, position, cell; // as in the plan
	uint32_t boot_attempt; // counts re-boots of the same planned boot
	struct level *levels;  // factors only
	size_t nlevels;
	int64_t wall_ns;       // when the event happened, UTC
	int64_t mono_ns;       // on the host's monotonic clock; 0 if unknown
	struct result *result; // finished only, else NULL
	struct js *tree; // what result borrows from; record_parse alone sets it
};

struct js *record_to_js(const struct record *r);
int record_from_js(const struct js *j, struct arena *a, struct record *out,
		   struct err *e) MUST_CHECK;

// One line, without the newline. out->tree is the caller's to unref when it
// is done with the record.
int record_parse(const char *line, size_t len, struct arena *a,
		 struct record *out, struct err *e) MUST_CHECK;
