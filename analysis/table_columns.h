// Columns of a table: which one has which role, and which rows the filters
// let through. Of table.c.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/csv.h"
#include "analysis/table.h"

#define TABLE_NO_COLUMN SIZE_MAX
#define TABLE_ROW	(SIZE_MAX - 1) // the row's own number, from 1

// What block and order may name, unless a column is called so.
#define TABLE_ROW_NAME "row"

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
	struct table_columns header; // borrowed: the name of each column
	size_t role[TABLE_ROLES];    // column, TABLE_ROW or TABLE_NO_COLUMN
	size_t *factors, *filters;   // columns, as in the spec
	size_t nfactors;
	size_t *values; // columns; a range in the spec is several
	size_t nvalues, values_cap;
	size_t *hits; // rows that each filter's value was in
	bool *used;   // by column
};

// Refuses a name that no column or more than one has.
int table_map_init(struct table_map *m, const struct table_spec *spec,
		   struct table_columns header, struct err *e) MUST_CHECK;
void table_map_deinit(struct table_map *m);
bool table_map_matches(struct table_map *m, const struct table_spec *spec,
		       const struct csv_row *row);
// The error for a table without a row, or without one that the filters leave.
int table_map_no_rows(const struct table_map *m, const struct table_spec *spec,
		      struct err *e);
