// The line of names of a table: its columns and what they tell.
#include "analysis/table_parts.h"

#include <string.h>

#include "runner/base/alloc.h"

static int no_names(const struct table_reader *r, struct err *e)
{
	if (r->spec->format.first_line > 1)
		return err_set(e, ERR_USAGE,
			       "%s: nothing from line %zu on, where --header "
			       "has the names of the columns",
			       r->spec->where, r->spec->format.first_line);
	return err_set(e, ERR_USAGE,
		       "%s: empty; a table begins with a line of column names",
		       r->spec->where);
}

// Without a line of names the first row is read twice: here and as a row.
static int read_names(struct table_reader *r, struct err *e)
{
	CLEANUP(csv_deinit) struct csv ahead = r->csv; // it has no row yet
	const struct table_columns *given = &r->spec->names;
	struct csv_row row;
	bool more;

	if (csv_next(&ahead, &row, &more, e) != 0)
		return -1;
	if (!more)
		return no_names(r, e);
	if (given->n > 0 && given->n != row.n)
		return err_set(e, ERR_USAGE,
			       "%s:%zu: %zu columns, but --names names %zu",
			       r->spec->where, row.line, row.n, given->n);
	for (size_t i = 0; i < row.n; i++) {
		if (given->n > 0)
			strv_add(&r->names, given->v[i]);
		else if (r->spec->no_header)
			strv_addf(&r->names, "%zu", i + 1);
		else
			strv_add(&r->names, row.fields[i].text);
	}
	if (r->spec->no_header)
		return 0;
	r->csv = ahead;
	ahead = (struct csv){ 0 };
	return 0;
}

// Columns that hold one figure must not tell of two.
static int join_guess(struct table_reader *r, size_t value, struct err *e)
{
	struct table_guess *all = &r->guesses[0], *g = &r->guesses[value];

	if (all->unit[0] != '\0' && g->unit[0] != '\0' &&
	    strcmp(all->unit, g->unit) != 0)
		return err_set(e, ERR_USAGE,
			       "%s: by their names column \"%s\" is in %s and "
			       "\"%s\" in %s, so they hold no figures of one "
			       "kind; --columns metrics keeps them apart, "
			       "--names gives other names",
			       r->spec->where, table_value_name(r, 0),
			       all->unit, table_value_name(r, value), g->unit);
	if (all->unit[0] == '\0' && g->unit[0] != '\0')
		*all = *g;
	return 0;
}

static int guess_values(struct table_reader *r, struct err *e)
{
	size_t n = r->map.nvalues;
	bool apart = table_is_wide(r, TABLE_METRICS) ||
		     r->map.role[TABLE_UNIT] != TABLE_NO_COLUMN;

	r->guesses = xcalloc(n, sizeof(*r->guesses));
	for (size_t v = 0; v < n; v++)
		r->guesses[v] = table_guess(table_value_name(r, v), NULL);
	for (size_t v = 1; v < n && !apart; v++)
		if (join_guess(r, v, e) != 0)
			return -1;
	for (size_t v = 1; v < n && !apart; v++)
		r->guesses[v] = r->guesses[0];
	return 0;
}

static int refuse_wide(const struct table_reader *r, struct err *e)
{
	for (size_t i = 0; table_is_wide(r, TABLE_ARMS) && i < r->map.nfactors;
	     i++)
		if (strcmp(r->spec->factors.v[i], TABLE_WIDE_FACTOR) == 0)
			return err_set(e, ERR_USAGE,
				       "%s: the factor of a wide table is "
				       "called \"" TABLE_WIDE_FACTOR
				       "\", too; --names gives the column "
				       "another name",
				       r->spec->where);
	if (table_is_wide(r, TABLE_ROUNDS) &&
	    r->map.role[TABLE_BLOCK] != TABLE_NO_COLUMN)
		return err_set(e, ERR_USAGE,
			       "%s: either the columns are rounds or a --block "
			       "column names them",
			       r->spec->where);
	return 0;
}

int table_read_header(struct table_reader *r, struct err *e)
{
	struct table_columns header;

	if (read_names(r, e) != 0)
		return -1;
	header = (struct table_columns){ (const char *const *)r->names.v,
					 r->names.n };
	if (table_map_init(&r->map, r->spec, header, e) != 0 ||
	    refuse_wide(r, e) != 0 || guess_values(r, e) != 0)
		return -1;
	table_unused_init(&r->unused, &r->map);
	r->levels = xcalloc(r->map.nfactors + 1, sizeof *r->levels);
	return 0;
}
