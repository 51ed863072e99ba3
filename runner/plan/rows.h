// The trials of a plan in JSON: a row for each run of trials of one round, in
// the order of execution.
//	[host, block, position, "3 1,2 0"]
// `position` is that of the first of them; then the cells: blanks inside a
// boot, commas between boots. The rest follows: a trial's id and its boot
// count on, and it is repetition n of its cell when the boot had n before it.
#pragma once

#include "runner/plan/plan.h"

struct js *rows_to_js(const struct plan *p);
// Fills the trials of `p`, whose hosts, cells, rounds and repeat are read.
// Refuses what no plan can have.
int rows_from_js(const struct js *list, struct plan *p,
		 struct err *e) MUST_CHECK;
