// What the name of a figure, or its unit, tells of it. Pure.
#pragma once

#include "runner/record/result.h"

// From words in the name or unit (which may be NULL): "iops" is better higher,
// "ns" lower. unit is "" when the name has none.
struct table_guess {
	enum better better;
	const char *unit;
};

struct table_guess table_guess(const char *name, const char *unit);
