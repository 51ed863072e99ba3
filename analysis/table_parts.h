// What the files of table.c share: the reader, and its parts in the order in
// which they are used.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analysis/intern.h"
#include "analysis/table.h"
#include "analysis/table_columns.h"
#include "analysis/table_guess.h"
#include "analysis/table_twice.h"
#include "analysis/table_unused.h"
#include "runner/base/buf.h"

struct table_reader {
	const struct table_spec *spec;
	struct dataset *ds;
	struct csv csv;
	struct strv names; // of the columns
	struct table_map map;
	struct table_unused unused;
	struct table_twice twice;
	struct table_guess *guesses; // by value column
	struct intern boots;
	struct level *levels; // of the row in hand; borrowed texts
	size_t nlevels;
	size_t row;	   // of the table, from 1
	char row_text[24]; // the same
	size_t rows;	   // that the filters let through
};

// The line of names, or what stands for it: sets names, map, unused, guesses
// and levels.
int table_read_header(struct table_reader *r, struct err *e) MUST_CHECK;

// What one value column of a row gives.
struct table_reading {
	size_t column; // among the value columns
	double value;
	const char *unit; // that the cell itself has, or ""
	enum outcome outcome;
	struct buf reason; // "" when ok
};

void table_reading_deinit(struct table_reading *g); // for CLEANUP, too

// The figure in g->column, unless the status column says that there is none.
int table_read_value(const struct table_reader *r, const struct csv_row *row,
		     struct table_reading *g, struct err *e) MUST_CHECK;
// What it is a figure of. Refuses one in another unit or direction than
// before.
int table_read_metric(const struct table_reader *r, const struct csv_row *row,
		      const struct table_reading *g, uint32_t *metric,
		      struct err *e) MUST_CHECK;

// --- for all of them ---

// where:line:column: "text" <what>; returns -1.
int table_fail_at(const struct table_reader *r, const struct csv_row *row,
		  size_t column, const char *what, struct err *e);
// What the row has in that role; NULL: there is no such column.
const char *table_field(const struct table_reader *r, const struct csv_row *row,
			enum table_role role);
const char *table_value_name(const struct table_reader *r, size_t value);
// Are there several value columns that are this?
bool table_is_wide(const struct table_reader *r, enum table_wide wide);
