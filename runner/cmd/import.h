// What the files of `vrun import` share: trials that other tools measured,
// read from their output, on the way to a table or a campaign.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/base/arena.h"
#include "runner/base/err.h"
#include "runner/base/js.h"
#include "runner/base/strv.h"
#include "runner/plan/plan.h"
#include "runner/record/record.h"
#include "runner/record/result.h"

enum {
	IMPORT_FILE_MAX = 256 << 20,
	IMPORT_FILES_MAX = 100000,
	IMPORT_CELLS_MAX = 1000,
	IMPORT_FIXED = 8,
};

// Columns of the table besides the factors; no factor can have their names.
extern const char *const import_fixed[IMPORT_FIXED];

// Everything hangs on the import's arena, but for the histogram.
struct import_trial {
	const struct level *levels;
	size_t nlevels;
	size_t input;	    // index of its file
	size_t run;	    // in its file, from 1
	int64_t order;	    // ascends as the trials ran; < 0: unknown
	int64_t written_ms; // when its file says that it ended, UTC; 0: not
	const char *status; // "ok", or why not
	const char *tool;   // "fio-3.33", "hyperfine"
	const struct metric *figures;
	size_t nfigures;
	struct js *latency; // histogram in ns, owned; or NULL
};

struct import_input {
	const char *path;
	const struct level *levels; // as given before the file
	size_t first_trial;	    // index, if it has one
};

// Of a pattern: a level, and what stands before it.
struct import_part {
	const char *before;
	bool is_factor; // else it is passed over
};

struct import {
	struct arena *arena;
	struct strv factors;		   // of the option
	const char *pattern, *pattern_end; // what follows its last level
	struct import_part *parts;
	size_t nparts, parts_cap;
	bool keep_failed;
	struct import_input *inputs;
	size_t ninputs, inputs_cap;
	struct import_trial *trials;
	size_t n, cap;
	const char **columns; // factors of all trials
	size_t ncolumns, columns_cap;
	size_t nfio, nhyperfine; // files
	bool has_order;		 // of every trial
	uint32_t *as_ran;	 // indices of the trials, as they ran
};

// "backing,memory"; NULL: none.
int import_factors(struct import *im, const char *list,
		   struct err *e) MUST_CHECK;
// "run-{backing}-{}.json": the factors are in the names of the files; {} is
// passed over. NULL: they are not.
int import_pattern(struct import *im, const char *pattern,
		   struct err *e) MUST_CHECK;
// What the pattern finds in a file's name, without its directory: a level for
// each factor.
int import_levels(struct import *im, const char *path, struct level *out,
		  struct err *e) MUST_CHECK;
// "4k,1G=run.json" with a level for each of the factors; with a pattern
// or without factors the file alone. What is no JSON, or another program's, is
// for fio's reader to refuse.
int import_read(struct import *im, const char *operand,
		struct err *e) MUST_CHECK;
// After the last file: sets has_order and as_ran.
void import_finish(struct import *im);
// The n-th trial that ran; as given, if the order is unknown.
const struct import_trial *import_nth(const struct import *im, uint32_t n);
void import_deinit(struct import *im); // for CLEANUP, too

// The level of a factor, or `none`.
const char *import_level(const struct import_trial *t, const char *factor,
			 const char *none);

// What a campaign says that no file does. Borrowed; NULL is nothing.
struct import_spec {
	const char *name, *question, *host;
	const char *const *metrics; // none: what the tool is about
	size_t nmetrics;
	const struct level *baseline; // none: the first cell's
	size_t nbaseline;
	bool has_margin, rounds; // rounds: the n-th trials of all cells are one
	double margin;
};

// The plan that the trials would have been run by, and the journal that they
// would have left, in its order. Refuses figures that cannot be one campaign.
int import_plan(const struct import *im, const struct import_spec *spec,
		struct plan **out, struct err *e) MUST_CHECK;
void import_journal(const struct import *im, const struct plan *plan,
		    struct buf *out);
