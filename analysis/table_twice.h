// Rows of a table that are the same in every column: copies, perhaps, which
// pretend to be trials. By a 64-bit hash of the fields: among 10 million rows
// the chance that it errs is one in a million. Of table.c.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/csv.h"

struct table_twice_row {
	uint64_t hash;
	size_t line;
};

struct table_twice {
	struct table_twice_row *rows;
	size_t n, cap;
};

struct table_twice_found {
	size_t copies;	     // rows that repeat an earlier one
	size_t first, again; // lines of the first pair
};

void table_twice_deinit(struct table_twice *t); // for CLEANUP, too
void table_twice_see(struct table_twice *t, const struct csv_row *row);
// Sorts the rows: the last thing that is done with them.
struct table_twice_found table_twice_find(struct table_twice *t);
