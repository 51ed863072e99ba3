// Anybody's table as a dataset: which column holds what is the caller's to
// say. Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analysis/csv.h"
#include "analysis/dataset.h"
#include "analysis/table_number.h"
#include "runner/base/err.h"
#include "runner/base/strv.h"
#include "runner/record/record.h"

struct table_columns { // names of columns
	const char *const *v;
	size_t n;
};

// What several columns of figures are.
enum table_wide {
	TABLE_ARMS,    // levels of the factor TABLE_WIDE_FACTOR
	TABLE_ROUNDS,  // blocks: what a column has, ran side by side
	TABLE_REPEATS, // trials of the row's cell, of no order
	TABLE_METRICS, // figures of their own
};

#define TABLE_WIDE_FACTOR "column"

// All borrowed; a name that is NULL is not there.
struct table_spec {
	const char *where; // names the table in messages: "FILE.csv"
	const char *text;  // of the table
	size_t len;
	struct csv_format format; // the first line is that of the names
	struct table_style style;
	bool no_header;		    // the columns are called 1, 2, ...
	struct table_columns names; // instead of these, or of the header's

	// The figures. "A..B" is the columns from A to B, unless one is called
	// so. Several: the table is wide, each row gives a trial per column.
	struct table_columns values;
	enum table_wide wide;
	struct table_columns factors;
	const char *block, *host, *boot;
	const char *order;  // when the trial ran: a number that ascends
	const char *status; // "ok", or an outcome, or anything else: failed
	const char *metric; // names the figure of the row, else the value's
			    // column does
	// Rows count when, for each column named, one of its values is there.
	const struct level *filters;
	size_t nfilters;
	bool has_better; // else a column "better", else what names say
	enum better better;
};

// Adds every row to `ds`. What was assumed goes to `notes` as sentences.
// Columns "unit" and "better" describe the figure unless named otherwise;
// block and order may be "row", the row's own number. A value that is empty,
// NaN or infinite makes an invalid trial; other text is an error, as
// where:line:column, and so are figures of one metric in several units.
int table_read(const struct table_spec *spec, struct dataset *ds,
	       struct strv *notes, struct err *e) MUST_CHECK;
