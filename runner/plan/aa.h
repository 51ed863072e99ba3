// A/A: the plan's baseline against itself, to learn how large a difference
// noise alone makes. Pure.
#pragma once

#include "runner/plan/expand.h"
#include "runner/plan/plan.h"

#define AA_FACTOR "arm" // its levels are A1, the baseline, and A2

// Leaves two copies of the first baseline cell in place of all cells, told
// apart by AA_FACTOR alone. They share a boot where all the plan's cells did:
// an A/A has the noise of the comparison that it stands in for. The stopping
// rule goes: a noise floor is of a number of rounds. `x` is updated.
void aa_cells(struct plan *p, struct expansion *x);
