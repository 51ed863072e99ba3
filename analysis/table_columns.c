#include "analysis/table_columns.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "runner/base/alloc.h"
#include "runner/base/buf.h"
#include "runner/base/units.h"

enum {
	LISTED_MAX = 20, // names in a message
};

static void list_columns(struct buf *out, const struct csv_row *header)
{
	size_t n = MIN(header->n, (size_t)LISTED_MAX);

	for (size_t i = 0; i < n; i++)
		buf_printf(out, "%s%.64s", i > 0 ? ", " : "",
			   header->fields[i].text);
	if (n < header->n)
		buf_printf(out, " and %zu more", header->n - n);
}

// SIZE_MAX when there is none; *again when there are several.
static size_t column_named(const struct csv_row *header, const char *name,
			   bool *again)
{
	size_t found = TABLE_NO_COLUMN;

	*again = false;
	for (size_t i = 0; i < header->n; i++) {
		if (strcmp(header->fields[i].text, name) != 0)
			continue;
		*again |= found != TABLE_NO_COLUMN;
		found = i;
	}
	return found;
}

struct finder {
	struct table_map *m;
	const struct table_spec *spec;
	const struct csv_row *header;
	struct err *e;
};

static int find(const struct finder *f, const char *name, size_t *column)
{
	CLEANUP(buf_deinit) struct buf list = BUF_INIT;
	bool again;

	*column = column_named(f->header, name, &again);
	if (*column == TABLE_NO_COLUMN) {
		list_columns(&list, f->header);
		return err_set(f->e, ERR_USAGE, "%s: no column \"%s\"; have %s",
			       f->spec->where, name, buf_str(&list));
	}
	if (again)
		return err_set(f->e, ERR_USAGE,
			       "%s: more than one column is called \"%s\"",
			       f->spec->where, name);
	f->m->used[*column] = true;
	return 0;
}

static int find_list(const struct finder *f, const struct table_columns *names,
		     size_t **columns)
{
	*columns = xcalloc(names->n, sizeof **columns);
	for (size_t i = 0; i < names->n; i++)
		if (find(f, names->v[i], &(*columns)[i]) != 0)
			return -1;
	return 0;
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
		if (names[r] != NULL && find(f, names[r], &f->m->role[r]) != 0)
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
				       f->spec->where, f->spec->values.v[i]);
	}
	return 0;
}

static int find_filters(const struct finder *f)
{
	f->m->filters = xcalloc(f->spec->nfilters, sizeof(size_t));
	f->m->hits = xcalloc(f->spec->nfilters, sizeof(size_t));
	for (size_t i = 0; i < f->spec->nfilters; i++)
		if (find(f, f->spec->filters[i].factor, &f->m->filters[i]) != 0)
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
		size_t c = column_named(f->header, known[i].name, &again);

		if (c == TABLE_NO_COLUMN || again || f->m->used[c])
			continue;
		f->m->role[known[i].role] = c;
		f->m->used[c] = true;
	}
}

int table_map_init(struct table_map *m, const struct table_spec *spec,
		   const struct csv_row *header, struct err *e)
{
	struct finder f = { m, spec, header, e };

	m->ncolumns = header->n;
	m->nvalues = spec->values.n;
	m->nfactors = spec->factors.n;
	m->used = xcalloc(header->n, sizeof *m->used);
	if (find_list(&f, &spec->values, &m->values) != 0 ||
	    find_list(&f, &spec->factors, &m->factors) != 0 ||
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
					  : "after the line of names");
}

// --- columns that nobody named ---

void table_unused_init(struct table_unused *u, const struct table_map *m,
		       const struct csv_row *header)
{
	for (size_t c = 0; c < header->n && u->n < TABLE_UNUSED_MAX; c++) {
		if (m->used[c])
			continue;
		u->columns[u->n++] = (struct table_unused_column){
			.column = c,
			.name = xstrdup(header->fields[c].text),
			.numeric = true,
		};
	}
}

void table_unused_deinit(struct table_unused *u)
{
	for (size_t i = 0; i < u->n; i++) {
		struct table_unused_column *c = &u->columns[i];

		for (size_t k = 0; k < c->cap; k++)
			free(c->of_cell[k]);
		free(c->of_cell);
		free(c->name);
		free(c->first);
		free(c->second);
	}
}

static void see_column(struct table_unused_column *c, const char *text,
		       uint32_t cell)
{
	double x;

	c->numeric &= units_parse_real(text, &x) == UNITS_OK;
	if (c->varies)
		return;
	c->of_cell = xgrow(c->of_cell, &c->cap, (size_t)cell + 1,
			   sizeof *c->of_cell);
	if (c->of_cell[cell] == NULL) {
		c->of_cell[cell] = xstrdup(text);
	} else if (strcmp(c->of_cell[cell], text) != 0) {
		c->varies = true;
		c->first = xstrdup(c->of_cell[cell]);
		c->second = xstrdup(text);
	}
}

void table_unused_see(struct table_unused *u, const struct csv_row *row,
		      uint32_t cell)
{
	for (size_t i = 0; i < u->n; i++)
		see_column(&u->columns[i],
			   row->fields[u->columns[i].column].text, cell);
}

static bool is_round_name(const char *name)
{
	static const char *const names[] = {
		"round", "block", "pass", "rep", "repetition", "iteration"
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcasecmp(name, names[i]) == 0)
			return true;
	return false;
}

void table_unused_note(const struct table_unused *u, struct strv *notes)
{
	for (size_t i = 0; i < u->n; i++) {
		const struct table_unused_column *c = &u->columns[i];

		if (!c->varies)
			continue;
		if (!c->numeric)
			strv_addf(
				notes,
				"column \"%s\" differs within a cell (\"%s\", "
				"\"%s\") and is not named: its rows are "
				"pooled; --factors or --where keeps them "
				"apart",
				c->name, c->first, c->second);
		else if (is_round_name(c->name))
			strv_addf(notes,
				  "column \"%s\" is not used: the arms are not "
				  "paired; --block %s pairs them, if equal "
				  "values ran side by side",
				  c->name, c->name);
	}
}

// --- direction ---

static const struct meaning {
	const char *word;
	struct table_guess guess;
} meanings[] = {
	{ "iops", { BETTER_HIGHER, "IOPS" } },
	{ "mbps", { BETTER_HIGHER, "MB/s" } },
	{ "mb/s", { BETTER_HIGHER, "MB/s" } },
	{ "gbps", { BETTER_HIGHER, "Gb/s" } },
	{ "ops/s", { BETTER_HIGHER, "ops/s" } },
	{ "ops", { BETTER_HIGHER, "ops/s" } },
	{ "bw", { BETTER_HIGHER, "" } },
	{ "bandwidth", { BETTER_HIGHER, "" } },
	{ "throughput", { BETTER_HIGHER, "" } },
	{ "score", { BETTER_HIGHER, "" } },
	{ "seconds", { BETTER_LOWER, "s" } },
	{ "sec", { BETTER_LOWER, "s" } },
	{ "s", { BETTER_LOWER, "s" } },
	{ "ms", { BETTER_LOWER, "ms" } },
	{ "us", { BETTER_LOWER, "us" } },
	{ "ns", { BETTER_LOWER, "ns" } },
	{ "latency", { BETTER_LOWER, "" } },
	{ "lat", { BETTER_LOWER, "" } },
	{ "time", { BETTER_LOWER, "" } },
	{ "duration", { BETTER_LOWER, "" } },
};

// Is `word` one of the words of `text`, apart by anything but letters, digits
// and slashes?
static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	while (*text != '\0') {
		size_t n = 0;

		while (isalnum((unsigned char)text[n]) || text[n] == '/')
			n++;
		if (n == len && strncasecmp(text, word, len) == 0)
			return true;
		text += n > 0 ? n : 1;
	}
	return false;
}

struct table_guess table_guess(const char *name, const char *unit)
{
	for (size_t i = 0; i < ARRAY_LEN(meanings); i++)
		if (has_word(name, meanings[i].word) ||
		    (unit != NULL && has_word(unit, meanings[i].word)))
			return meanings[i].guess;
	return (struct table_guess){ BETTER_NEITHER, "" };
}
