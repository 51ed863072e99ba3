// Columns of a table: which one has which role, which rows the filters let
// through, and which columns nobody named although they matter. Of table.c.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/csv.h"
#include "analysis/table.h"

#define TABLE_NO_COLUMN SIZE_MAX

enum table_role {
	TABLE_BLOCK,
	TABLE_HOST,
	TABLE_BOOT,
	TABLE_ORDER,
	TABLE_STATUS,
	TABLE_METRIC,
	TABLE_UNIT,   // found by its name
	TABLE_BETTER, // likewise
	TABLE_ROLES,
};

struct table_map {
	size_t ncolumns;
	size_t role[TABLE_ROLES];	    // column, or TABLE_NO_COLUMN
	size_t *values, *factors, *filters; // columns, as in the spec
	size_t nvalues, nfactors;
	size_t *hits; // rows that each filter's value was in
	bool *used;   // by column
};

// Refuses a name that no column or more than one has.
int table_map_init(struct table_map *m, const struct table_spec *spec,
		   const struct csv_row *header, struct err *e) MUST_CHECK;
void table_map_deinit(struct table_map *m);
bool table_map_matches(struct table_map *m, const struct table_spec *spec,
		       const struct csv_row *row);
// The error for a table without a row, or without one that the filters leave.
int table_map_no_rows(const struct table_map *m, const struct table_spec *spec,
		      struct err *e);

// Columns that were not named and yet differ within a cell: their rows are
// pooled, and a reader must know.
enum {
	TABLE_UNUSED_MAX = 32, // columns watched
};

struct table_unused_column {
	size_t column;
	char *name;
	bool numeric, varies;
	char *first, *second; // two values seen in one cell
	char **of_cell;	      // the first value of each cell, by cell
	size_t cap;
};

struct table_unused {
	struct table_unused_column columns[TABLE_UNUSED_MAX];
	size_t n;
};

void table_unused_init(struct table_unused *u, const struct table_map *m,
		       const struct csv_row *header);
void table_unused_deinit(struct table_unused *u);
void table_unused_see(struct table_unused *u, const struct csv_row *row,
		      uint32_t cell);
void table_unused_note(const struct table_unused *u, struct strv *notes);

// From words in the name or unit (which may be NULL): "iops" is better higher,
// "ns" lower. unit is "" when the name has none.
struct table_guess {
	enum better better;
	const char *unit;
};

struct table_guess table_guess(const char *name, const char *unit);
