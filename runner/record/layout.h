// What the two readers of a record share; not for others.
#pragma once

#include <stddef.h>

#include "runner/record/result.h"

enum {
	OUTCOMES = OUTCOME_LOST + 1,
	BETTERS = BETTER_NEITHER + 1,
	CHECK_STATUSES = CHECK_UNVERIFIED + 1,
	RECORD_NUMBERS = 7,
	RECORD_TEXT_MAX = 4096,	  // of a host, factor or level
	RESULT_TEXT_MAX = 1 << 16 // of any text of a result
};

// The whole numbers of a record, in the order in which they are written: each
// is a uint32_t of struct record.
struct record_number {
	const char *key;
	const char *written; // ,"key":
	size_t len;	     // of that
	size_t offset;
};

extern const struct record_number record_numbers[RECORD_NUMBERS];

extern const char *const outcome_names[OUTCOMES];
extern const char *const better_names[BETTERS];
extern const char *const check_names[CHECK_STATUSES];
