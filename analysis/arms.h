// Arms: the figures of one cell on one host, in units of replication. Trials
// that shared a boot are averaged to one unit first: the unit is the boot,
// not the trial (Kalibera & Jones 2013). Without boots each trial is a unit.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/dataset.h"
#include "analysis/sample.h"
#include "runner/base/err.h"

enum {
	ARMS_GROUPS_MAX = 20 * 1000 * 1000, // cells x hosts
};

// What arms are made of, side by side: a dataset's columns have the trials of
// a group far from each other.
struct arms_trial {
	double order; // the row where none was recorded
	uint64_t boot;
	uint32_t row, block;
	uint32_t metric; // the only one it was to give, or DATASET_NONE
	enum outcome outcome;
};

// The trials of a dataset by (cell, host). Valid while no trial is added.
struct arms_index {
	const struct dataset *ds;
	size_t nhosts;
	size_t *start; // of group cell * nhosts + host; one more at the end
	struct arms_trial *trials; // in the dataset's order within a group
};

int arms_index_init(struct arms_index *ix, const struct dataset *ds,
		    struct err *e) MUST_CHECK;
void arms_index_deinit(struct arms_index *ix); // for CLEANUP, too

struct arm_unit {
	double value; // mean of its trials' finite figures; NaN: none
	double order; // when the first of them ran
	uint64_t boot;
	uint32_t block;
};

struct arm {
	struct arm_unit *units; // in order of execution
	size_t nunits;
	size_t ok, failed, invalid; // trials; ok without a figure is invalid
	size_t nboots;		    // 0 when boots are unknown
	bool boot_spans_blocks;	    // one boot served several rounds
	double *values;		    // of the units, NaN included
};

void arm_load(const struct arms_index *ix, uint32_t cell, uint32_t host,
	      uint32_t metric, struct arm *out);
void arm_deinit(struct arm *a); // for CLEANUP, too
struct sample arm_sample(const struct arm *a);
size_t arm_trials(const struct arm *a);
size_t arm_finite(const struct arm *a); // units with a figure
bool arm_has_boot(const struct arm *a, uint64_t boot);

// Two arms by rounds: all rounds in which either has a trial, ascending.
// Several units of an arm in one round are averaged.
struct arm_rounds {
	double *a, *b;	 // NaN where the arm has no figure
	uint32_t *block; // the round's number, ascending
	bool *a_first;	 // in this round, A ran before B
	size_t n;
	size_t both; // rounds in which both have a trial, with figure or not
};

void arm_rounds_init(struct arm_rounds *r, const struct arm *a,
		     const struct arm *b);
void arm_rounds_deinit(struct arm_rounds *r); // for CLEANUP, too

// is_b[i]: was the i-th unit to run one of `b`? Caller frees.
bool *arms_interleaving(const struct arm *a, const struct arm *b, size_t *n);
