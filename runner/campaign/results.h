// A results directory as a report sees it: plan, records, analysis,
// environment. Reads only; a campaign may be running in it.
#pragma once

#include "analysis/compare.h"
#include "analysis/dataset.h"
#include "analysis/report.h"
#include "analysis/stopping.h"
#include "runner/base/err.h"
#include "runner/base/js.h"
#include "runner/campaign/schedule.h"
#include "runner/plan/plan.h"

struct results {
	struct arena *arena;
	struct plan *plan;
	char *trials; // the journal's path
	// Of its first and last record, UTC; 0: it has none.
	int64_t first_wall_ns, last_wall_ns;
	int64_t back_ns; // the most that a stamp is before the former one
	struct dataset *ds;
	struct analysis *an;
	struct js *environment; // {host: facts, "guest": ..., "qemu": ...}
	struct schedule_counts counts;
	uint32_t rounds;	   // complete on every host, warm-up included
	struct stopping *stopping; // NULL without design.stop
	struct report report;	   // points into all of these
};

enum results_flags {
	RESULTS_ACCEPT_CONFOUNDED = 1 << 0, // as in compare_spec
	// The campaign has just come to its end, though hosts may be missing.
	RESULTS_ENDED = 1 << 1,
};

// Loads and analyses `dir`. Refuses one whose plan or records cannot be read or
// do not belong together, and one where no trial has ended (ERR_HOST: it is not
// complete); that the facts of the hosts are missing is a note.
// Where trials are left and the campaign has not ended by itself, the analysis
// is an interim one: somebody looks in mid-run, or interrupted it.
int results_load(const char *dir, unsigned flags, struct results **out,
		 struct err *e) MUST_CHECK;
void results_free(struct results *r);
void results_freep(struct results **r);

// Nothing is missing: every trial was ok, or every one that was begun before
// the stopping rule ended the campaign.
bool results_is_whole(const struct results *r);

// Cells and metrics of a plan, so that they are known before any trial, and in
// the plan's order.
int results_declare(struct dataset *ds, const struct plan *plan,
		    struct err *e) MUST_CHECK;
// How many comparisons a plan makes: every cell with its baseline, on every
// metric.
int results_family(const struct plan *plan, size_t *n,
		   struct err *e) MUST_CHECK;
// What a plan says about its comparison.
struct compare_spec results_spec(const struct plan *plan);
