// The boundaries of a plan's stopping rule: calibrated once (some seconds),
// kept in the user's cache, and written to the results directory before the
// first trial, so that a campaign looks by the same figures to its end.
#pragma once

#include <stdint.h>

#include "analysis/stopping.h"
#include "runner/base/err.h"
#include "runner/base/js.h"
#include "runner/plan/plan.h"

enum {
	BOUNDARIES_VERSION = 1,
	BOUNDARIES_FILE_MAX = 1 << 20,
};

// What the plan asks for. Refuses a plan that compares nothing.
int boundaries_rule(const struct plan *plan, struct stopping_rule *out,
		    struct err *e) MUST_CHECK;
// Fills b->bounds for b->rule: from $XDG_CACHE_HOME/vrun (~/.cache/vrun), or
// calibrated and then kept there, if that can be done.
int boundaries_obtain(struct stopping_test *b, struct err *e) MUST_CHECK;
void boundaries_deinit(struct stopping_test *b); // for CLEANUP, too

// boundaries.json; results/README.md documents it.
struct js *boundaries_to_js(const struct stopping_test *b);
// Reads them back for b->rule; refuses those of another rule.
int boundaries_from_js(const struct js *j, struct stopping_test *b,
		       struct err *e) MUST_CHECK;
// Those that stand in a results directory, for the plan's rule.
int boundaries_load(const char *dir, const struct plan *plan,
		    struct stopping_test *out, struct err *e) MUST_CHECK;
