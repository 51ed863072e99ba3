// A list of CPUs in the kernel's notation, "0-3,8": in the order given. Pure.
#pragma once

#include <stddef.h>

#include "runner/base/err.h"

enum {
	CPULIST_MAX = 1024, // CPUs of a list; also one above the highest number
};

struct cpulist {
	int cpu[CPULIST_MAX];
	size_t n;
};

// Refuses an empty list, numbers from CPULIST_MAX, ranges that run backwards.
int cpulist_parse(const char *text, struct cpulist *out,
		  struct err *e) MUST_CHECK;
