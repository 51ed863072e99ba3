// A campaign as its results directory shows it, followed while it grows. Reads
// only: takes no lock, writes nothing, and may run on another day or, where
// the directory is shared, on another machine.
#pragma once

#include <stddef.h>

#include "runner/base/err.h"
#include "runner/campaign/schedule.h"
#include "runner/campaign/view.h"
#include "runner/plan/plan.h"
#include "runner/record/record.h"

enum follow_state {
	FOLLOW_RUNS,
	FOLLOW_STOPPED, // nobody writes there, and it was not finished
	FOLLOW_ENDED,
};

struct follow;

// Reads the plan. ERR_USAGE when `dir`, which is borrowed, is no campaign.
int follow_open(const char *dir, struct follow **out, struct err *e) MUST_CHECK;
void follow_free(struct follow *f);
void follow_freep(struct follow **f);

// A trial that ended, after so many that are over.
typedef void follow_fn(void *ctx, const struct record *r, size_t over,
		       int64_t took_ns);
// Looks whether somebody writes there, then takes in what was added to the
// journal since. `finished` may be NULL.
int follow_read(struct follow *f, follow_fn *finished, void *ctx,
		struct err *e) MUST_CHECK;

enum follow_state follow_state(const struct follow *f); // at that look
const struct plan *follow_plan(const struct follow *f);
struct schedule_counts follow_counts(const struct follow *f);
void follow_fill(void *follow, struct arena *a, struct view *v);
