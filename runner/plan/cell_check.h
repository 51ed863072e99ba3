// What parameters must be together, cell by cell, that no single row of the
// table can say. Pure.
#pragma once

#include "runner/matrix/matrix.h"
#include "runner/plan/plan.h"

// Findings are added to `d`, at the place of the figure that does not fit.
void cell_check(const struct matrix *m, const struct plan *p, struct diags *d);
