// What one trial gave: outcome, figures, treatment checks. Made by the agent,
// carried in a `result` message, kept in the trial's record, read by the
// analysis. Everything hangs on the arena that decoded it, except the js
// members, which the result borrows from its JSON tree.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/base/arena.h"
#include "runner/base/err.h"
#include "runner/base/js.h"

enum {
	RESULT_METRICS_MAX = 4096,
	RESULT_CHECKS_MAX = 256,
	RESULT_NOTES_MAX = 64,
};

enum outcome {
	OUTCOME_OK,
	OUTCOME_FAILED,	 // the workload or its VM failed
	OUTCOME_INVALID, // a treatment did not take effect: no number counts
	OUTCOME_TIMEOUT, // right-censored; `stage` says where it stalled
	OUTCOME_LOST,	 // the host or the controller went away in it
};

enum better {
	BETTER_HIGHER,
	BETTER_LOWER,
	BETTER_NEITHER, // descriptive only: never faster or slower
};

struct metric {
	const char *name; // "block.iops": <workload>.<figure>
	double value;
	const char *unit; // "IOPS", "MB/s", "ns", "s", "1", "%"
	enum better better;
};

enum check_status {
	CHECK_OK,
	CHECK_FAILED,
	CHECK_UNVERIFIED
};

// One treatment check: was the level of `parameter` read back from the
// running system?
struct check {
	const char *parameter; // "backing", "block.iodepth"
	const char *expected, *seen;
	const char *source; // "/proc/1234/smaps", "QMP query-kvm"
	enum check_status status;
};

struct result {
	enum outcome outcome;
	const char *reason; // a sentence; NULL when ok
	const char *stage;  // where it stood when it did not end ok, or NULL
	// Not ok, and another attempt would end the same way: what was asked
	// for was refused before anything ran. A retry is for bad luck.
	bool final;
	struct metric *metrics;
	size_t nmetrics;
	struct check *checks;
	size_t nchecks;
	const char **notes; // warnings that a reader of the figure must know
	size_t nnotes;
	struct js *hists; // {"block.lat": histogram in ns, ...} or NULL
	struct js *times; // {"boot_ns":, "run_ns":, ...} host's monotonic clock
	struct js *facts; // {"guest": {...}, "qemu": {...}, "host": {...}}
};

const char *outcome_name(enum outcome o); // "ok", "failed", ...
int outcome_from_name(const char *name, enum outcome *out) MUST_CHECK; // 0, -1
const char *better_name(enum better b); // "higher", "lower", "neither"
int better_from_name(const char *name, enum better *out) MUST_CHECK;
const char *check_status_name(enum check_status s);

// Builders: they grow arena arrays. Strings are copied.
struct result *result_new(struct arena *a);
void result_metric(struct arena *a, struct result *r, const struct metric *m);
void result_check(struct arena *a, struct result *r, const struct check *c);
void result_note(struct arena *a, struct result *r, const char *fmt, ...)
	PRINTF(3, 4);
// Adds the figures, checks and notes of another one.
void result_join(struct arena *a, struct result *r, const struct result *more);
// Sets outcome and reason, unless a worse one stands already.
void result_fail(struct arena *a, struct result *r, enum outcome o,
		 const char *fmt, ...) PRINTF(4, 5);

struct js *result_to_js(const struct result *r);
// Checks every length, count and string against the limits above.
int result_from_js(const struct js *j, struct arena *a, struct result *out,
		   struct err *e) MUST_CHECK;
