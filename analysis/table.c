#include "analysis/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/sample.h"
#include "analysis/table_number.h"
#include "analysis/table_parts.h"

static void reader_deinit(struct table_reader *r)
{
	csv_deinit(&r->csv);
	strv_deinit(&r->names);
	table_map_deinit(&r->map);
	table_unused_deinit(&r->unused);
	table_twice_deinit(&r->twice);
	intern_deinit(&r->boots);
	free(r->guesses);
	free(r->levels);
}

int table_fail_at(const struct table_reader *r, const struct csv_row *row,
		  size_t column, const char *what, struct err *e)
{
	const struct csv_field *f = &row->fields[column];

	return err_set(e, ERR_USAGE, "%s:%zu:%zu: \"%.64s\" %s", r->spec->where,
		       row->line, f->column, f->text, what);
}

const char *table_field(const struct table_reader *r, const struct csv_row *row,
			enum table_role role)
{
	size_t c = r->map.role[role];

	if (c == TABLE_ROW)
		return r->row_text;
	return c != TABLE_NO_COLUMN ? row->fields[c].text : NULL;
}

const char *table_value_name(const struct table_reader *r, size_t value)
{
	return r->map.header.v[r->map.values[value]];
}

bool table_is_wide(const struct table_reader *r, enum table_wide wide)
{
	return r->map.nvalues > 1 && r->spec->wide == wide;
}

static void row_levels(struct table_reader *r, const struct csv_row *row)
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
static uint64_t boot_id(struct table_reader *r, const struct dataset_trial *t,
			const char *boot)
{
	CLEANUP(buf_deinit) struct buf key = BUF_INIT;

	buf_printf(&key, "%zu:%s%s", strlen(t->host), t->host, boot);
	return intern_id(&r->boots, buf_str(&key), key.len);
}

static int read_order(const struct table_reader *r, const struct csv_row *row,
		      double *out, struct err *e)
{
	size_t c = r->map.role[TABLE_ORDER];
	struct table_number n;
	const char *why;

	*out = c == TABLE_ROW ? (double)r->row : NO_FIGURE;
	if (c == TABLE_ROW || c == TABLE_NO_COLUMN)
		return 0;
	why = table_number_read(row->fields[c].text, &r->spec->style, &n);
	if (why != NULL)
		return table_fail_at(r, row, c, why, e);
	if (isnan(n.value))
		return table_fail_at(
			r, row, c, "is no place in the order of execution", e);
	*out = n.value;
	return 0;
}

static int row_trial(struct table_reader *r, const struct csv_row *row,
		     struct dataset_trial *t, struct err *e)
{
	const char *host = table_field(r, row, TABLE_HOST);
	const char *block = table_field(r, row, TABLE_BLOCK);
	const char *boot = table_field(r, row, TABLE_BOOT);

	*t = (struct dataset_trial){ .trial = (uint32_t)row->line,
				     .attempt = 1,
				     .host = host != NULL ? host : "",
				     .block = DATASET_NONE,
				     .boot = DATASET_NO_BOOT };
	if (block != NULL)
		t->block = intern_id(&r->ds->blocks, block, strlen(block));
	if (boot != NULL)
		t->boot = boot_id(r, t, boot);
	return read_order(r, row, &t->order, e);
}

// The cell of a row in one value column.
static int row_cell(struct table_reader *r, size_t value, uint32_t *cell,
		    struct err *e)
{
	size_t n = r->nlevels;

	if (table_is_wide(r, TABLE_ARMS))
		r->levels[n++] = (struct level){ TABLE_WIDE_FACTOR,
						 table_value_name(r, value) };
	return dataset_add_cell(r->ds, r->levels, n, cell, e);
}

// One trial: a row's figure in one value column. `t` holds what its row says.
static int add_value(struct table_reader *r, const struct csv_row *row,
		     size_t value, struct dataset_trial *t, struct err *e)
{
	CLEANUP(table_reading_deinit)
	struct table_reading g = { .column = value,
				   .value = NO_FIGURE,
				   .unit = "" };
	const char *name = table_value_name(r, value);
	size_t at;

	if (table_read_value(r, row, &g, e) != 0 ||
	    row_cell(r, value, &t->cell, e) != 0 ||
	    table_read_metric(r, row, &g, &t->metric, e) != 0)
		return -1;
	if (table_is_wide(r, TABLE_ROUNDS))
		t->block = intern_id(&r->ds->blocks, name, strlen(name));
	t->outcome = g.outcome;
	t->reason = g.reason.len > 0 ? buf_str(&g.reason) : NULL;
	if (dataset_add_trial(r->ds, t, &at, e) != 0)
		return -1;
	dataset_set_value(r->ds, at, t->metric, g.value);
	table_unused_see(&r->unused, row, t->cell);
	return 0;
}

// --- rows ---

static int refuse_length(const struct table_reader *r,
			 const struct csv_row *row, struct err *e)
{
	size_t want = r->map.header.n;
	size_t at = row->n > want ? want : row->n - 1;
	const char *remedy = "--separator says otherwise";

	if (row->fields[0].text[0] == '#')
		remedy = "--comment '#' skips lines that begin with it";
	return err_set(e, ERR_USAGE,
		       "%s:%zu:%zu: %zu fields where the %s has %zu; they are "
		       "parted by %s: %s",
		       r->spec->where, row->line, row->fields[at].column,
		       row->n, r->spec->no_header ? "first row" : "header",
		       want, csv_separator_name(&r->csv), remedy);
}

// Is there a column besides the figure and its cell? Without one, rows that
// are the same are figures that are the same.
static bool rows_have_names(const struct table_reader *r)
{
	static const enum table_role naming[] = { TABLE_BLOCK, TABLE_BOOT,
						  TABLE_ORDER };

	for (size_t i = 0; i < ARRAY_LEN(naming); i++)
		if (r->map.role[naming[i]] < TABLE_ROW)
			return true;
	return r->unused.n > 0;
}

static int add_row(struct table_reader *r, const struct csv_row *row,
		   struct err *e)
{
	struct dataset_trial t;

	r->row++;
	if (row->n != r->map.header.n)
		return refuse_length(r, row, e);
	if (!table_map_matches(&r->map, r->spec, row))
		return 0;
	r->rows++;
	snprintf(r->row_text, sizeof(r->row_text), "%zu", r->row);
	if (rows_have_names(r))
		table_twice_see(&r->twice, row);
	row_levels(r, row);
	if (row_trial(r, row, &t, e) != 0)
		return -1;
	for (size_t v = 0; v < r->map.nvalues; v++)
		if (add_value(r, row, v, &t, e) != 0)
			return -1;
	return 0;
}

static int read_rows(struct table_reader *r, struct err *e)
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

// --- notes ---

// Directions that no one stated are said, since the verdict hangs on them.
static void note_directions(const struct table_reader *r, struct strv *notes)
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

// One trial cannot have run twice at the same time; otherwise a reader decides.
static int check_twice(struct table_reader *r, struct strv *notes,
		       struct err *e)
{
	struct table_twice_found f = table_twice_find(&r->twice);

	if (f.copies == 0)
		return 0;
	if (r->map.role[TABLE_ORDER] < TABLE_ROW)
		return err_set(e, ERR_USAGE,
			       "%s:%zu: the same as line %zu in every column, "
			       "its place in the order included: delete the "
			       "copy",
			       r->spec->where, f.again, f.first);
	strv_addf(notes,
		  "%zu %s the same as an earlier one in every column (the "
		  "first: line %zu as line %zu) and %s as trials: if they are "
		  "copies, delete them",
		  f.copies, f.copies == 1 ? "row is" : "rows are", f.again,
		  f.first, f.copies == 1 ? "counts" : "count");
	return 0;
}

int table_read(const struct table_spec *spec, struct dataset *ds,
	       struct strv *notes, struct err *e)
{
	CLEANUP(reader_deinit)
	struct table_reader r = { .spec = spec, .ds = ds };
	struct csv_format format = spec->format;

	format.decimal = spec->style.decimal;
	intern_init(&r.boots);
	csv_init(&r.csv, spec->text, spec->len, &format, spec->where);
	if (table_read_header(&r, e) != 0 || read_rows(&r, e) != 0 ||
	    check_twice(&r, notes, e) != 0)
		return -1;
	note_directions(&r, notes);
	table_unused_note(&r.unused, notes);
	return 0;
}
