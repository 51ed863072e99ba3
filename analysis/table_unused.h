// Columns of a table that were not named and yet differ within a cell: their
// rows are pooled, and a reader must know. Of table.c.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/csv.h"
#include "analysis/table_columns.h"
#include "runner/base/strv.h"

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

void table_unused_init(struct table_unused *u, const struct table_map *m);
void table_unused_deinit(struct table_unused *u);
void table_unused_see(struct table_unused *u, const struct csv_row *row,
		      uint32_t cell);
void table_unused_note(const struct table_unused *u, struct strv *notes);
