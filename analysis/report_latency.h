// Latency percentiles of each cell: those of its trials, which are figures
// like any other, and, only to describe, of all its completions together.
// Not for others than the report.
#pragma once

#include "analysis/compare.h"
#include "analysis/latency.h"
#include "analysis/report.h"
#include "runner/base/arena.h"

enum {
	REPORT_LATENCY_PERCENTILES = 4,
};

extern const double
	report_latency_percentiles[REPORT_LATENCY_PERCENTILES]; // 50 to 99.9

struct report_latency_cell {
	uint32_t cell;
	double completions; // of all trials; NaN without histograms
	// By percentile. n is 0 where a trial has fewer than ten completions
	// beyond it, and pooled.value is NaN where all of them together have.
	struct interval_mean mean[REPORT_LATENCY_PERCENTILES];
	struct latency_pooled pooled[REPORT_LATENCY_PERCENTILES];
};

// One histogram's worth: "block.lat".
struct report_latency {
	const char *name, *unit;
	const struct report_latency_cell *cells; // ds->ncells
};

enum report_latency_pooling {
	REPORT_LATENCY_VALUES,	  // of `pooled`, without intervals: quick
	REPORT_LATENCY_INTERVALS, // by resampling
};

// The percentiles that the trials have as metrics. Returns how many names;
// *out is on the arena.
size_t report_latency(const struct report *r, enum report_latency_pooling pool,
		      struct arena *a, const struct report_latency **out);
