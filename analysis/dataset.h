// The trials that an analysis works on, stored by column: 1,000,000 trials of
// 10 metrics take about 120 MB and no allocation per trial. Filled from
// records (dataset_add_record) or from rows of a table (dataset_add_trial).
// Owns everything that it points to.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/cell_facts.h"
#include "analysis/intern.h"
#include "analysis/trial_hists.h"
#include "runner/base/arena.h"
#include "runner/base/buf.h"
#include "runner/base/err.h"
#include "runner/record/record.h"
#include "runner/record/result.h"

enum {
	DATASET_TRIALS_MAX = 20 * 1000 * 1000,
	DATASET_CELLS_MAX = 100 * 1000,
	DATASET_VALUES_MAX = 1 << 28, // trials x metrics: 2 GiB
	DATASET_FAILURES_KEPT = 1000, // all are counted, the first are listed
	DATASET_NONE = INTERN_NONE,   // no block, no such metric
};

#define DATASET_NO_BOOT UINT64_MAX

struct dataset_cell {
	const char *label; // "backing=4k, memory=1G"; "all" without factors
	const struct level *levels;
	size_t nlevels;
	// When its first and last trial ended, by the wall clock; 0: unknown.
	int64_t first_ns, last_ns;
};

struct dataset_metric {
	const char *name, *unit; // unit "" when unknown
	enum better better;
	bool declared; // no trial has had it yet
	bool mixed;    // was given with another unit or polarity, too
	size_t given;  // records only: row + 1 of the last record that has it
	bool exact;    // said to have no noise: a count, a size
};

// A trial or an attempt that gave no figure.
struct dataset_failure {
	uint32_t trial, attempt; // as recorded; the row number of a table
	uint32_t cell, host, block;
	enum outcome outcome;
	bool retried;		    // a later attempt took its place
	const char *reason, *stage; // reason is never NULL, stage may be
};

// How often the level of a parameter was read back from the running system.
struct dataset_check {
	const char *parameter;
	size_t count[3]; // by enum check_status
};

struct dataset_note {
	const char *text; // a note of the trials' own, once
	size_t trials;	  // how many have it
};

struct dataset {
	struct arena *arena;
	struct intern hosts, blocks, cell_keys, metric_names, check_names,
		note_texts;

	struct dataset_cell *cells;
	size_t ncells, cells_cap;
	struct buf key; // of the cell that is looked for
	// By a record's own number of its cell: where that was found last.
	uint32_t *hint;
	size_t hint_cap;
	struct dataset_metric *metrics;
	size_t nmetrics, metrics_cap;

	// Columns: one entry per trial. The value of metric m in trial t is
	// values[m][t]; NaN when the trial has no such figure.
	size_t ntrials, trials_cap;
	uint32_t *cell, *host, *trial, *attempt;
	uint32_t *metric; // the one metric it was to give; NONE: all of them
	uint32_t *block;  // number of the round; of a table: id in `blocks`
	uint64_t *boot;	  // one life of one VM, unique in the dataset
	double *order;	  // when it ran, on its host: any ascending figure
	uint8_t *outcome; // enum outcome
	double **values;
	bool has_blocks, has_boots, has_order;

	uint32_t warmup_rounds; // set before the first record: records of
				// earlier rounds are counted and left out
	size_t nwarmup;
	uint32_t *row_of_trial; // records only: trial id -> row + 1
	size_t row_of_trial_cap;

	struct dataset_failure *failures; // at most DATASET_FAILURES_KEPT
	size_t nfailures, failures_cap;
	size_t count[5];  // trials by enum outcome; a retried one counts once
	size_t nretried;  // attempts that a later attempt replaced
	size_t nrepeated; // records of an attempt that was there already
	struct dataset_check *checks;
	size_t nchecks, checks_cap;
	struct dataset_note *notes;
	size_t nnotes, notes_cap;
	struct cell_facts facts;  // of records that are ok
	struct trial_hists hists; // likewise
};

struct dataset *dataset_new(void);
void dataset_free(struct dataset *ds); // NULL is nothing
void dataset_freep(struct dataset **ds);

// The cell with these levels; a new one when there is none. Cells keep the
// order in which they were first named: add a plan's cells before its records
// and the report has them in the plan's order, those without trials included.
int dataset_add_cell(struct dataset *ds, const struct level *levels, size_t n,
		     uint32_t *cell, struct err *e) MUST_CHECK;
// Likewise for the levels of a record.
int dataset_cell_of(struct dataset *ds, const struct record *r, uint32_t *cell,
		    struct err *e) MUST_CHECK;
// DATASET_NONE when there is none.
uint32_t dataset_find_cell(const struct dataset *ds, const struct level *levels,
			   size_t n);
// The metric with this name; a new one when there is none. An old one with
// another unit or polarity is marked `mixed`.
int dataset_add_metric(struct dataset *ds, const struct metric *m,
		       uint32_t *metric, struct err *e) MUST_CHECK;
// A metric that trials are to have: known even when all of them fail. Unit
// and direction come from the first trial that has it.
int dataset_declare_metric(struct dataset *ds, const char *name,
			   struct err *e) MUST_CHECK;
// A metric without noise (an exit count, a size): equal figures are no sign of
// a coarse resolution. One that is not known is declared.
int dataset_declare_exact(struct dataset *ds, const char *name,
			  struct err *e) MUST_CHECK;
uint32_t dataset_find_metric(const struct dataset *ds, const char *name);

// So many are to come, more or less: they have room from the start.
void dataset_expect(struct dataset *ds, size_t trials);

// One trial of a table. Strings are copied.
struct dataset_trial {
	uint32_t cell;
	uint32_t trial, attempt;
	const char *host; // NULL: ""
	uint32_t metric;  // the only one it was to give; DATASET_NONE: all
	uint32_t block;	  // DATASET_NONE: none
	uint64_t boot;	  // DATASET_NO_BOOT: unknown
	double order;	  // NaN: unknown
	enum outcome outcome;
	const char *reason, *stage; // NULL when ok
};
int dataset_add_trial(struct dataset *ds, const struct dataset_trial *t,
		      size_t *row, struct err *e) MUST_CHECK;
void dataset_set_value(struct dataset *ds, size_t row, uint32_t metric,
		       double value);

// The rows do not stand in the order in which the trials ran; which VM they
// ran in is not known.
void dataset_forget_order(struct dataset *ds);
void dataset_forget_boots(struct dataset *ds);

// One record of a campaign, in the order of the journal. Only finished ones
// count. A later attempt of a trial takes the place of an earlier one, which
// stays in `failures`; the same attempt twice is counted and left out. A metric
// in another unit or direction than before, or twice in a trial, is no figure
// of that trial, and a note says so.
int dataset_add_record(struct dataset *ds, const struct record *r,
		       struct err *e) MUST_CHECK;

// The name of a round as the user knows it: "3" or what the table says.
const char *dataset_block_name(const struct dataset *ds, uint32_t block,
			       char out[16]);
// The level text of `factor` in a cell, or NULL.
const char *dataset_level(const struct dataset_cell *c, const char *factor);
