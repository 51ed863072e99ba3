#include "analysis/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analysis/csv.h"
#include "analysis/intern.h"
#include "analysis/table_columns.h"
#include "analysis/sample.h"
#include "runner/base/alloc.h"
#include "runner/base/units.h"

struct reader {
	const struct table_spec *spec;
	struct dataset *ds;
	struct csv csv;
	struct table_map map;
	struct table_unused unused;
	struct intern boots;
	struct level *levels; // of the row in hand; borrowed texts
	size_t nlevels;
	size_t rows; // that the filters let through
};

static void reader_deinit(struct reader *r)
{
	csv_deinit(&r->csv);
	table_map_deinit(&r->map);
	table_unused_deinit(&r->unused);
	intern_deinit(&r->boots);
	free(r->levels);
}

static int fail_at(const struct reader *r, const struct csv_row *row,
		   size_t column, const char *what, struct err *e)
{
	const struct csv_field *f = &row->fields[column];

	return err_set(e, ERR_USAGE, "%s:%zu:%zu: \"%.64s\" %s", r->spec->where,
		       row->line, f->column, f->text, what);
}

static const char *field(const struct reader *r, const struct csv_row *row,
			 enum table_role role)
{
	size_t c = r->map.role[role];

	return c != TABLE_NO_COLUMN ? row->fields[c].text : NULL;
}

// Words for "no figure" in other people's tables.
static bool is_missing(const char *text)
{
	static const char *const words[] = {
		"",    "-",    "na",   "n/a",	   "nan",	"null", "none",
		"inf", "+inf", "-inf", "infinity", "-infinity", "-nan", "+nan",
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strcasecmp(text, words[i]) == 0)
			return true;
	return false;
}

static int read_number(const struct reader *r, const struct csv_row *row,
		       size_t column, double *out, struct err *e)
{
	const char *text = row->fields[column].text;

	*out = NO_FIGURE;
	if (is_missing(text) || units_parse_real(text, out) == UNITS_OK)
		return 0;
	if (strchr(text, ',') != NULL)
		return fail_at(r, row, column,
			       "is no number: write a decimal point, and no "
			       "commas between thousands",
			       e);
	return fail_at(r, row, column, "is no number", e);
}

static void row_levels(struct reader *r, const struct csv_row *row)
{
	r->nlevels = 0;
	for (size_t i = 0; i < r->map.nfactors; i++) {
		size_t c = r->map.factors[i];
		const char *text = row->fields[c].text;

		r->levels[r->nlevels++] = (struct level){
			.factor = r->spec->factors.v[i],
			.text = text[0] != '\0' ? text : "(empty)",
		};
	}
}

// A boot is one of its host: "1" on two hosts is two boots.
static uint64_t boot_id(struct reader *r, const struct dataset_trial *t,
			const char *boot)
{
	CLEANUP(buf_deinit) struct buf key = BUF_INIT;

	buf_printf(&key, "%zu:%s%s", strlen(t->host), t->host, boot);
	return intern_id(&r->boots, buf_str(&key), key.len);
}

static int row_trial(struct reader *r, const struct csv_row *row,
		     struct dataset_trial *t, struct err *e)
{
	const char *host = field(r, row, TABLE_HOST);
	const char *block = field(r, row, TABLE_BLOCK);
	const char *boot = field(r, row, TABLE_BOOT);

	*t = (struct dataset_trial){ .trial = (uint32_t)row->line,
				     .attempt = 1,
				     .host = host != NULL ? host : "",
				     .block = DATASET_NONE,
				     .boot = DATASET_NO_BOOT,
				     .order = NO_FIGURE };
	if (block != NULL)
		t->block = intern_id(&r->ds->blocks, block, strlen(block));
	if (boot != NULL)
		t->boot = boot_id(r, t, boot);
	if (r->map.role[TABLE_ORDER] == TABLE_NO_COLUMN)
		return 0;
	if (read_number(r, row, r->map.role[TABLE_ORDER], &t->order, e) != 0)
		return -1;
	if (isnan(t->order))
		return fail_at(r, row, r->map.role[TABLE_ORDER],
			       "is no place in the order of execution", e);
	return 0;
}

// What one value column of a row gives.
struct reading {
	double value;
	enum outcome outcome;
	struct buf reason; // "" when ok
};

static void reading_deinit(struct reading *g)
{
	buf_deinit(&g->reason);
}

// Returns whether the status column, if there is one, says ok.
static bool read_status(const struct reader *r, const struct csv_row *row,
			struct reading *g)
{
	const char *status = field(r, row, TABLE_STATUS);

	if (status == NULL || strcasecmp(status, "ok") == 0)
		return true;
	if (outcome_from_name(status, &g->outcome) != 0)
		g->outcome = OUTCOME_FAILED;
	buf_printf(&g->reason, "status is \"%s\"", status);
	return false;
}

static int read_value(const struct reader *r, const struct csv_row *row,
		      size_t column, struct reading *g, struct err *e)
{
	g->value = NO_FIGURE;
	if (!read_status(r, row, g))
		return 0;
	if (read_number(r, row, column, &g->value, e) != 0)
		return -1;
	if (isfinite(g->value))
		return 0;
	g->outcome = OUTCOME_INVALID;
	buf_printf(&g->reason, "value is \"%s\"", row->fields[column].text);
	return 0;
}

// The figure that a row has: what the row and the options say of it, and what
// its name tells.
static int row_metric(const struct reader *r, const struct csv_row *row,
		      const char *value_column, uint32_t *metric, struct err *e)
{
	const char *name = field(r, row, TABLE_METRIC);
	const char *unit = field(r, row, TABLE_UNIT);
	const char *better = field(r, row, TABLE_BETTER);
	struct table_guess guess =
		table_guess(name != NULL ? name : value_column, unit);
	struct metric m = { .name = name,
			    .unit = unit != NULL ? unit : guess.unit,
			    .better = guess.better };

	if (name == NULL)
		m.name = r->spec->values.n > 1 ? "value" : value_column;
	if (r->spec->has_better)
		m.better = r->spec->better;
	else if (better != NULL && better_from_name(better, &m.better) != 0)
		return fail_at(r, row, r->map.role[TABLE_BETTER],
			       "is no direction (have higher, lower, neither)",
			       e);
	return dataset_add_metric(r->ds, &m, metric, e);
}

// The cell of a row in one value column.
static int row_cell(struct reader *r, const char *value_column, uint32_t *cell,
		    struct err *e)
{
	size_t n = r->nlevels;

	if (r->spec->values.n > 1)
		r->levels[n++] = (struct level){ "column", value_column };
	return dataset_add_cell(r->ds, r->levels, n, cell, e);
}

// One trial: a row's figure in one value column. `t` holds what its row says.
static int add_value(struct reader *r, const struct csv_row *row, size_t value,
		     struct dataset_trial *t, struct err *e)
{
	CLEANUP(reading_deinit) struct reading g = { .outcome = OUTCOME_OK };
	const char *name = r->spec->values.v[value];
	size_t at;

	if (row_cell(r, name, &t->cell, e) != 0 ||
	    row_metric(r, row, name, &t->metric, e) != 0 ||
	    read_value(r, row, r->map.values[value], &g, e) != 0)
		return -1;
	t->outcome = g.outcome;
	t->reason = g.reason.len > 0 ? buf_str(&g.reason) : NULL;
	if (dataset_add_trial(r->ds, t, &at, e) != 0)
		return -1;
	dataset_set_value(r->ds, at, t->metric, g.value);
	table_unused_see(&r->unused, row, t->cell);
	return 0;
}

static int add_row(struct reader *r, const struct csv_row *row, struct err *e)
{
	struct dataset_trial t;

	if (row->n != r->map.ncolumns)
		return err_set(e, ERR_USAGE,
			       "%s:%zu: %zu fields where the header has %zu",
			       r->spec->where, row->line, row->n,
			       r->map.ncolumns);
	if (!table_map_matches(&r->map, r->spec, row))
		return 0;
	r->rows++;
	row_levels(r, row);
	if (row_trial(r, row, &t, e) != 0)
		return -1;
	for (size_t v = 0; v < r->spec->values.n; v++)
		if (add_value(r, row, v, &t, e) != 0)
			return -1;
	return 0;
}

static int read_header(struct reader *r, struct err *e)
{
	struct csv_row row;
	bool more;

	if (csv_next(&r->csv, &row, &more, e) != 0)
		return -1;
	if (!more)
		return err_set(e, ERR_USAGE,
			       "%s: empty; a table begins with a line of "
			       "column names",
			       r->spec->where);
	if (table_map_init(&r->map, r->spec, &row, e) != 0)
		return -1;
	table_unused_init(&r->unused, &r->map, &row);
	r->levels = xcalloc(r->map.nfactors + 1, sizeof *r->levels);
	return 0;
}

static int read_rows(struct reader *r, struct err *e)
{
	for (;;) {
		struct csv_row row;
		bool more;

		if (csv_next(&r->csv, &row, &more, e) != 0)
			return -1;
		if (!more)
			break;
		if (add_row(r, &row, e) != 0)
			return -1;
	}
	if (r->rows == 0)
		return table_map_no_rows(&r->map, r->spec, e);
	return 0;
}

// Directions that no one stated are said, since the verdict hangs on them.
static void note_directions(const struct reader *r, struct strv *notes)
{
	if (r->spec->has_better || r->map.role[TABLE_BETTER] != TABLE_NO_COLUMN)
		return;
	for (size_t m = 0; m < r->ds->nmetrics; m++) {
		const struct dataset_metric *dm = &r->ds->metrics[m];

		if (dm->better == BETTER_NEITHER)
			strv_addf(notes,
				  "%s: it is not known whether higher or "
				  "lower is better; --better says it",
				  dm->name);
		else
			strv_addf(notes,
				  "%s is taken as better when %s, from its "
				  "name; --better says otherwise",
				  dm->name, better_name(dm->better));
	}
}

int table_read(const struct table_spec *spec, struct dataset *ds,
	       struct strv *notes, struct err *e)
{
	CLEANUP(reader_deinit)
	struct reader r = { .spec = spec, .ds = ds };

	intern_init(&r.boots);
	csv_init(&r.csv, spec->text, spec->len,
		 &(struct csv_format){ .separator = spec->separator },
		 spec->where);
	if (read_header(&r, e) != 0 || read_rows(&r, e) != 0)
		return -1;
	note_directions(&r, notes);
	table_unused_note(&r.unused, notes);
	return 0;
}
