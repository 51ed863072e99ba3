#include "analysis/table_columns.h"

#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/buf.h"
#include "runner/base/units.h"

enum {
	LISTED_MAX = 20, // names in a message
};

static void list_columns(struct buf *out, const struct table_columns *header)
{
	size_t n = MIN(header->n, (size_t)LISTED_MAX);

	for (size_t i = 0; i < n; i++)
		buf_printf(out, "%s%.64s", i > 0 ? ", " : "", header->v[i]);
	if (n < header->n)
		buf_printf(out, " and %zu more", header->n - n);
}

// TABLE_NO_COLUMN when there is none; *again when there are several.
static size_t column_named(const struct table_columns *header, const char *name,
			   bool *again)
{
	size_t found = TABLE_NO_COLUMN;

	*again = false;
	for (size_t i = 0; i < header->n; i++) {
		if (strcmp(header->v[i], name) != 0)
			continue;
		*again |= found != TABLE_NO_COLUMN;
		found = i;
	}
	return found;
}

struct finder {
	struct table_map *m;
	const struct table_spec *spec;
	struct err *e;
};

// What is likely wrong with the line of names.
static const char *remedy(const struct finder *f)
{
	const struct table_columns *header = &f->m->header;
	double x;

	if (f->spec->no_header)
		return "";
	if (header->n > 0 && header->v[0][0] == '#')
		return " (--comment '#' skips lines that begin with it, "
		       "--header LINE says which one has the names)";
	for (size_t i = 0; i < header->n; i++)
		if (units_parse_real(header->v[i], &x) == UNITS_OK)
			return " (are these figures? --header none reads a "
			       "table without a line of names)";
	return "";
}

static int no_column(const struct finder *f, const char *name)
{
	CLEANUP(buf_deinit) struct buf list = BUF_INIT;

	list_columns(&list, &f->m->header);
	return err_set(f->e, ERR_USAGE, "%s: no column \"%s\"; have %s%s",
		       f->spec->where, name, buf_str(&list), remedy(f));
}

static int find(const struct finder *f, const char *name, size_t *column)
{
	bool again;

	*column = column_named(&f->m->header, name, &again);
	if (*column == TABLE_NO_COLUMN)
		return no_column(f, name);
	if (again)
		return err_set(f->e, ERR_USAGE,
			       "%s: more than one column is called \"%s\"; "
			       "--names gives others",
			       f->spec->where, name);
	return 0;
}

// For anything but a figure.
static int find_used(const struct finder *f, const char *name, size_t *column)
{
	if (find(f, name, column) != 0)
		return -1;
	f->m->used[*column] = true;
	return 0;
}

static int find_factors(const struct finder *f)
{
	struct table_map *m = f->m;

	m->nfactors = f->spec->factors.n;
	m->factors = xcalloc(m->nfactors, sizeof(*m->factors));
	for (size_t i = 0; i < m->nfactors; i++)
		if (find_used(f, f->spec->factors.v[i], &m->factors[i]) != 0)
			return -1;
	return 0;
}

// --- figures ---

// Values are found first: what is in use is one of them.
static int add_value(const struct finder *f, size_t column)
{
	struct table_map *m = f->m;

	if (m->used[column])
		return err_set(f->e, ERR_USAGE,
			       "%s: column \"%s\" twice among the values",
			       f->spec->where, m->header.v[column]);
	m->values = xgrow(m->values, &m->values_cap, m->nvalues + 1,
			  sizeof(*m->values));
	m->values[m->nvalues++] = column;
	m->used[column] = true;
	return 0;
}

// "run1..run30": the columns from the one to the other.
static int find_range(const struct finder *f, const char *name,
		      const char *dots)
{
	CLEANUP(cleanup_free)
	char *first = xasprintf("%.*s", (int)(dots - name), name);
	size_t from, to;

	if (find(f, first, &from) != 0 || find(f, dots + 2, &to) != 0)
		return -1;
	if (from > to)
		return err_set(f->e, ERR_USAGE,
			       "%s: column \"%s\" stands after \"%s\"; a "
			       "range goes to the right",
			       f->spec->where, first, dots + 2);
	for (size_t c = from; c <= to; c++)
		if (add_value(f, c) != 0)
			return -1;
	return 0;
}

static int find_value(const struct finder *f, const char *name)
{
	const char *dots = strstr(name, "..");
	size_t column;
	bool again;

	if (dots != NULL &&
	    column_named(&f->m->header, name, &again) == TABLE_NO_COLUMN)
		return find_range(f, name, dots);
	if (find(f, name, &column) != 0)
		return -1;
	return add_value(f, column);
}

static int find_values(const struct finder *f)
{
	for (size_t i = 0; i < f->spec->values.n; i++)
		if (find_value(f, f->spec->values.v[i]) != 0)
			return -1;
	return 0;
}

// --- the rest ---

static bool is_row(const struct finder *f, size_t role, const char *name)
{
	bool again;

	return (role == TABLE_BLOCK || role == TABLE_ORDER) &&
	       strcmp(name, TABLE_ROW_NAME) == 0 &&
	       column_named(&f->m->header, name, &again) == TABLE_NO_COLUMN;
}

static int find_roles(const struct finder *f)
{
	const char *const names[TABLE_ROLES] = {
		[TABLE_BLOCK] = f->spec->block,
		[TABLE_HOST] = f->spec->host,
		[TABLE_BOOT] = f->spec->boot,
		[TABLE_ORDER] = f->spec->order,
		[TABLE_STATUS] = f->spec->status,
		[TABLE_METRIC] = f->spec->metric,
	};

	for (size_t r = 0; r < TABLE_ROLES; r++) {
		f->m->role[r] = TABLE_NO_COLUMN;
		if (names[r] == NULL)
			continue;
		if (is_row(f, r, names[r]))
			f->m->role[r] = TABLE_ROW;
		else if (find_used(f, names[r], &f->m->role[r]) != 0)
			return -1;
	}
	return 0;
}

static bool is_among(const size_t *columns, size_t n, size_t column)
{
	for (size_t i = 0; i < n; i++)
		if (columns[i] == column)
			return true;
	return false;
}

// A figure that also tells its cell or round apart compares itself.
static int refuse_shared_values(const struct finder *f)
{
	const struct table_map *m = f->m;

	for (size_t i = 0; i < m->nvalues; i++) {
		size_t c = m->values[i];

		if (is_among(m->factors, m->nfactors, c) ||
		    is_among(m->role, TABLE_ROLES, c))
			return err_set(f->e, ERR_USAGE,
				       "%s: column \"%s\" cannot be the value "
				       "and a factor, block, host or the like "
				       "at once",
				       f->spec->where, m->header.v[c]);
	}
	return 0;
}

static int find_filters(const struct finder *f)
{
	f->m->filters = xcalloc(f->spec->nfilters, sizeof(size_t));
	f->m->hits = xcalloc(f->spec->nfilters, sizeof(size_t));
	for (size_t i = 0; i < f->spec->nfilters; i++)
		if (find_used(f, f->spec->filters[i].factor,
			      &f->m->filters[i]) != 0)
			return -1;
	return 0;
}

// Columns that describe the figure, unless they were named for something.
static void find_descriptions(const struct finder *f)
{
	static const struct {
		const char *name;
		enum table_role role;
	} known[] = { { "unit", TABLE_UNIT }, { "better", TABLE_BETTER } };

	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		bool again;
		size_t c = column_named(&f->m->header, known[i].name, &again);

		if (c == TABLE_NO_COLUMN || again || f->m->used[c])
			continue;
		f->m->role[known[i].role] = c;
		f->m->used[c] = true;
	}
}

int table_map_init(struct table_map *m, const struct table_spec *spec,
		   struct table_columns header, struct err *e)
{
	struct finder f = { m, spec, e };

	m->header = header;
	m->used = xcalloc(header.n, sizeof *m->used);
	if (find_values(&f) != 0 || find_factors(&f) != 0 ||
	    find_roles(&f) != 0 || refuse_shared_values(&f) != 0 ||
	    find_filters(&f) != 0)
		return -1;
	find_descriptions(&f);
	return 0;
}

void table_map_deinit(struct table_map *m)
{
	free(m->values);
	free(m->factors);
	free(m->filters);
	free(m->hits);
	free(m->used);
}

// Values of one column are alternatives, columns are conditions.
static bool column_matches(struct table_map *m, const struct table_spec *spec,
			   const struct csv_row *row, size_t column)
{
	bool any = false;

	for (size_t i = 0; i < spec->nfilters; i++) {
		if (m->filters[i] != column ||
		    strcmp(row->fields[column].text, spec->filters[i].text) !=
			    0)
			continue;
		m->hits[i]++;
		any = true;
	}
	return any;
}

bool table_map_matches(struct table_map *m, const struct table_spec *spec,
		       const struct csv_row *row)
{
	bool all = true;

	for (size_t i = 0; i < spec->nfilters; i++)
		all &= column_matches(m, spec, row, m->filters[i]);
	return all;
}

int table_map_no_rows(const struct table_map *m, const struct table_spec *spec,
		      struct err *e)
{
	for (size_t i = 0; i < spec->nfilters; i++)
		if (m->hits[i] == 0)
			return err_set(e, ERR_USAGE, "%s: no row has %s=%s",
				       spec->where, spec->filters[i].factor,
				       spec->filters[i].text);
	return err_set(e, ERR_USAGE, "%s: no row %s", spec->where,
		       spec->nfilters > 0 ? "has all that is asked for"
		       : spec->no_header  ? "in it"
					  : "after the line of names");
}
