// Workloads: each kind is one row of the table in workload.c. A list of them
// runs in order and gives one result.
#pragma once

#include <stdint.h>

#include "runner/base/arena.h"
#include "runner/base/err.h"
#include "runner/base/js.h"
#include "runner/proto/artifact.h"
#include "runner/record/result.h"

enum {
	WORKLOAD_LIST_MAX = 32,
	WORKLOAD_NAME_MAX = 64,
};

// Where a trial stands in its campaign; what a model or a seed hangs on.
struct workload_place {
	uint64_t seed; // of the campaign
	int64_t seq;   // of the trial, in the order of execution
	int64_t boot;
};

// One workload's run: where its figures go.
struct workload_run {
	const char *name; // prefix of its metrics: "block"
	struct workload_place place;
	struct arena *a;
	struct result *r;
	struct js *facts; // an object of its own in the result's facts
	struct artifacts *artifacts; // NULL: nobody wants any
	// Says what is being done now; may be NULL.
	void (*stage)(void *arg, const char *stage);
	void *stage_arg;
};

struct workload_kind {
	const char *kind;
	// Adds figures, checks and notes to the result. -1: it could not be
	// carried out; the sentence becomes the reason of a failed trial.
	int (*run)(const struct js *w, struct workload_run *run, struct err *e);
};

// Runs every workload of the list; the result is `failed` with a reason when
// one is malformed or does not get through. `proto` gives place, stage and
// artifacts.
struct result *workload_run_all(const struct js *list,
				const struct workload_run *proto,
				struct arena *a);

// For the kinds: figures named <workload>.<figure>, and checks, whose failure
// makes the result invalid.
void workload_metric(struct workload_run *run, const char *figure, double value,
		     const char *unit, enum better better);
void workload_check(struct workload_run *run, const struct check *c);
void workload_hist(struct workload_run *run, const char *figure,
		   struct js *hist); // takes it over
void workload_stage(struct workload_run *run, const char *stage);
// Keeps a file <workload>.<name>; a note in the result when it is too large.
void workload_artifact(struct workload_run *run, const char *name,
		       const struct buf *data);
