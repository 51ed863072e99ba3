// The comparison: every cell against its baseline, on every primary metric,
// by the estimator that the recorded design asks for. All formulas live in
// the modules included here; this one decides what is compared with what,
// what counts as one figure, and what must be said about it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/dataset.h"
#include "analysis/describe.h"
#include "analysis/diagnose.h"
#include "analysis/effect.h"
#include "analysis/hosts.h"
#include "analysis/interval.h"
#include "analysis/paired.h"
#include "analysis/serial.h"
#include "analysis/twosample.h"
#include "analysis/verdict.h"
#include "runner/base/arena.h"
#include "runner/base/err.h"

#define COMPARE_ALPHA 0.05

enum {
	// Comparisons up to which the exact tests are made, too.
	COMPARE_EXACT_MAX = 100,
	// Hosts that a claim on hosts like these takes.
	COMPARE_HOSTS_MIN = 3,
};

struct compare_spec {
	const char *const *metrics; // the family; none: every metric that has
	size_t nmetrics;	    // a direction
	// Levels of some or all factors: each other cell is compared with the
	// cell that has these and is otherwise equal. None: the first cell's.
	const struct level *baseline;
	size_t nbaseline;
	double margin;	 // ratio, 0.02; NaN: none, "equivalent" unavailable
	double alpha;	 // COMPARE_ALPHA
	bool sequential; // the plan ran one cell after the other: not blocked
	bool accept_confounded; // the user insists; the report says so
	// Looked at before the planned end: anytime-valid claims
	// (compare_interim.c).
	bool interim;
};

enum compare_estimator {
	COMPARE_BLOCKED,   // paired_ratio over complete rounds
	COMPARE_UNBLOCKED, // twosample_ratio
};

// Why not blocked; the report says it.
enum compare_why {
	COMPARE_HAS_BLOCKS,	   // blocked
	COMPARE_NO_BLOCKS,	   // no round was recorded
	COMPARE_SEQUENTIAL,	   // arms ran one after the other
	COMPARE_BOOTS_SPAN_BLOCKS, // one boot served several rounds
	COMPARE_NO_SHARED_BLOCK,   // no round has both arms
};

// One cell, one metric, on one host or (host DATASET_NONE) on all.
// Figures are of units: boots where several trials shared one, else trials.
struct analysis_cell {
	uint32_t cell, metric, host;
	size_t n, failed, invalid; // trials
	size_t units;
	struct describe d;
	struct interval_mean mean;	 // NaN interval over several hosts
	struct interval_quantile median; // likewise
	bool autocorrelated;		 // the interval uses n_eff
	bool quantised; // the SD is below what the resolution alone gives
	struct diagnose_outliers outliers;
	struct diagnose_clusters clusters;
	struct serial_trend trend; // p NaN when no order was recorded
};

// One comparison on one host.
struct analysis_host {
	uint32_t host;
	size_t n, n_baseline; // units used: complete rounds when blocked
	size_t dropped;	      // rounds that lack an arm
	struct effect effect;
	struct diagnose_order order; // auc NaN when no order was recorded
};

struct analysis_comparison {
	uint32_t cell, baseline, metric;
	enum compare_estimator estimator;
	enum compare_why why;
	size_t n, n_baseline, dropped; // summed over hosts
	size_t nhosts;
	struct analysis_host *hosts;	    // those with both arms
	struct effect effect;		    // these hosts
	struct hosts_population population; // hosts like these; k < 2: none
	struct tost population_tost;
	double population_p_holm, population_p_eq_holm;
	// By the same rules; of fewer than COMPARE_HOSTS_MIN hosts no claim.
	struct verdict population_verdict;
	struct welch welch; // of the raw figures, unpaired; one host only
	struct hedges hedges;
	struct fieller fieller;
	struct paired_diff diff; // blocked on one host: b - a
	struct tost tost;
	double p_holm, p_eq_holm;
	struct diagnose_failures failures;
	struct diagnose_fragility fragility; // one host only
	struct diagnose_slot slot; // blocked on one host, order recorded
	double warmup; // studentised first contrast; blocked, one host
	// Exact tests beside t, on one host: of the signs of the rounds, or
	// Mann & Whitney's; p_exact_min is the least that so few can give.
	double p_exact, p_exact_min;
	double rel_eff; // what pairing by round bought (rcbd.h); one host
	double auc;	// mean over hosts; NaN: no order recorded
	bool order_confounded, boot_confounded, opposed, method_dependent;
	bool ratio_doubtful; // the baseline is too noisy for a ratio
	bool autocorrelated; // the effect uses n_eff on some host
	struct verdict verdict;
	double q; // of secondary comparisons: Benjamini-Hochberg
};

struct analysis {
	struct arena *arena;
	const struct dataset *ds; // borrowed
	double alpha, margin;
	struct level *baseline; // as given, or the first cell's
	size_t nbaseline;
	bool baseline_given, accepted_confounded, interim;
	bool *constant;	   // by level of the first cell: every cell has it
	uint32_t *metrics; // the family's
	size_t nmetrics;
	struct analysis_cell *cells; // by metric, cell; pooled ones
	size_t ncells;
	struct analysis_cell *host_cells; // by metric, cell, host; only with
	size_t nhost_cells;		  // several hosts
	struct analysis_comparison *comparisons; // by metric, then cell
	size_t ncomparisons;
	// The same pairs on metrics outside of the family that have a
	// direction and that every trial has: exploratory, without Holm and
	// verdict.
	struct analysis_comparison *secondary;
	size_t nsecondary;
	size_t family, family_eq; // sizes for Holm: tests that gave a p
	const char **warnings;	  // sentences
	size_t nwarnings, warnings_cap;
};

// Refuses: no trial or no metric; an unknown metric; a baseline with an
// unknown factor or level, or that leaves no cell anything to be compared
// with (the message lists the cells).
int compare_run(const struct dataset *ds, const struct compare_spec *spec,
		struct analysis **out, struct err *e) MUST_CHECK;
// What compare_run would compare, before there is any trial: of the analysis
// only metrics, baseline, and cell, baseline and metric of the comparisons
// are set. Refuses the same, but for the trials.
int compare_pairs(const struct dataset *ds, const struct compare_spec *spec,
		  struct analysis **out, struct err *e) MUST_CHECK;
void analysis_free(struct analysis *an); // NULL is nothing
void analysis_freep(struct analysis **an);

// The first comparison so far, for a progress line: one pass over the trials.
struct compare_estimate {
	const char *metric, *cell, *baseline; // labels, of the dataset
	size_t n, n_baseline;
	double ratio_pct, lo_pct, hi_pct; // NaN: not yet
};

// False: there is no pair with figures yet.
bool compare_estimate(const struct dataset *ds, const struct compare_spec *spec,
		      struct compare_estimate *out);
