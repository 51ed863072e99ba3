// From factors to cells: fills the plan's cells, baseline and notes. Pure.
#pragma once

#include <stdint.h>

#include "runner/matrix/matrix.h"
#include "runner/plan/plan.h"

enum {
	EXPAND_COMBINATIONS_MAX = 1000 * 1000, // before exclusion
};

struct expansion {
	uint32_t ngroups; // of boots
	uint64_t work_ns; // of the longest cell: its ramps and runtimes
};

// Findings (a rule that drops nothing, a baseline that is no cell, too many
// cells) are added to `d`; 0 when there were none.
int expand_cells(const struct matrix *m, struct plan *p, struct expansion *out,
		 struct diags *d) MUST_CHECK;

// The time that a cell's workloads take by their own ramp and runtime.
uint64_t expand_work_ns(const struct js *workloads);
