#include "analysis/table_twice.h"

#include <stdlib.h>

#include "runner/base/alloc.h"

// FNV-1a (Fowler, Noll, Vo); the NUL after each field keeps fields apart.
static uint64_t hash_row(const struct csv_row *row)
{
	uint64_t h = 0xcbf29ce484222325;

	for (size_t i = 0; i < row->n; i++)
		for (size_t k = 0; k <= row->fields[i].len; k++)
			h = (h ^ (unsigned char)row->fields[i].text[k]) *
			    0x100000001b3;
	return h;
}

void table_twice_deinit(struct table_twice *t)
{
	free(t->rows);
	*t = (struct table_twice){ 0 };
}

void table_twice_see(struct table_twice *t, const struct csv_row *row)
{
	t->rows = xgrow(t->rows, &t->cap, t->n + 1, sizeof(*t->rows));
	t->rows[t->n++] = (struct table_twice_row){ hash_row(row), row->line };
}

static int by_hash(const void *a, const void *b)
{
	const struct table_twice_row *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

struct table_twice_found table_twice_find(struct table_twice *t)
{
	struct table_twice_found found = { .again = SIZE_MAX };
	size_t first = 0; // of those that are the same

	if (t->n > 0)
		qsort(t->rows, t->n, sizeof(*t->rows), by_hash);
	for (size_t i = 1; i < t->n; i++) {
		if (t->rows[i].hash != t->rows[first].hash) {
			first = i;
			continue;
		}
		found.copies++;
		if (t->rows[i].line >= found.again)
			continue;
		found.again = t->rows[i].line;
		found.first = t->rows[first].line;
	}
	return found;
}
