// Cells of a table as figures: value, outcome, metric.
#include "analysis/table_parts.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "analysis/sample.h"

void table_reading_deinit(struct table_reading *g)
{
	buf_deinit(&g->reason);
}

// Returns whether the status column, if there is one, says ok.
static bool read_status(const struct table_reader *r, const struct csv_row *row,
			struct table_reading *g)
{
	const char *status = table_field(r, row, TABLE_STATUS);

	if (status == NULL || strcasecmp(status, "ok") == 0)
		return true;
	if (outcome_from_name(status, &g->outcome) != 0)
		g->outcome = OUTCOME_FAILED;
	buf_printf(&g->reason, "status is \"%s\"", status);
	return false;
}

int table_read_value(const struct table_reader *r, const struct csv_row *row,
		     struct table_reading *g, struct err *e)
{
	size_t column = r->map.values[g->column];
	const char *text = row->fields[column].text, *why;
	struct table_number n;

	if (!read_status(r, row, g))
		return 0;
	why = table_number_read(text, &r->spec->style, &n);
	if (why != NULL)
		return table_fail_at(r, row, column, why, e);
	g->value = n.value;
	g->unit = n.unit;
	if (isfinite(g->value))
		return 0;
	g->outcome = OUTCOME_INVALID;
	buf_printf(&g->reason, "value is \"%s\"", text);
	return 0;
}

// `given` is what the row calls it, `own` its column.
static const char *figure_name(const struct table_reader *r, const char *given,
			       const char *own)
{
	if (given != NULL)
		return given[0] != '\0' ? given : "(empty)";
	return r->map.nvalues == 1 || table_is_wide(r, TABLE_METRICS) ? own
								      : "value";
}

// The figure that a row has: what cell, row and options say of it, and what
// its name tells.
static int describe(const struct table_reader *r, const struct csv_row *row,
		    const struct table_reading *g, struct metric *m,
		    struct err *e)
{
	const char *name = table_field(r, row, TABLE_METRIC);
	const char *unit = table_field(r, row, TABLE_UNIT);
	const char *better = table_field(r, row, TABLE_BETTER);
	const char *own = table_value_name(r, g->column);
	struct table_guess guess = r->guesses[g->column];

	if (name != NULL || unit != NULL)
		guess = table_guess(name != NULL ? name : own, unit);
	if (table_guess(g->unit, NULL).better != BETTER_NEITHER)
		guess = table_guess(g->unit, NULL);
	*m = (struct metric){ .name = figure_name(r, name, own),
			      .unit = unit != NULL ? unit : guess.unit,
			      .better = guess.better };
	if (g->unit[0] != '\0')
		m->unit = g->unit;
	if (r->spec->has_better)
		m->better = r->spec->better;
	else if (better != NULL && better_from_name(better, &m->better) != 0)
		return table_fail_at(
			r, row, r->map.role[TABLE_BETTER],
			"is no direction (have higher, lower, neither)", e);
	return 0;
}

static void say_unit(const char *unit, struct buf *out)
{
	if (unit[0] == '\0')
		buf_puts(out, "without a unit");
	else
		buf_printf(out, "in \"%s\"", unit);
}

// Figures of several units or directions cannot be of one sample.
static int refuse_mixed(const struct table_reader *r, const struct csv_row *row,
			size_t column, const struct metric *m, struct err *e)
{
	const struct dataset_metric *dm =
		&r->ds->metrics[dataset_find_metric(r->ds, m->name)];
	bool units = strcmp(m->unit, dm->unit) != 0;
	size_t at = r->map.role[units ? TABLE_UNIT : TABLE_BETTER];
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	buf_printf(&text, "%s is ", m->name);
	if (units) {
		say_unit(m->unit, &text);
		buf_puts(&text, " here, but ");
		say_unit(dm->unit, &text);
		buf_puts(&text, " before: give all its figures one unit, or "
				"pick rows by --where");
	} else {
		buf_printf(&text, "better when %s here, but when %s before",
			   better_name(m->better), better_name(dm->better));
	}
	if (at == TABLE_NO_COLUMN)
		at = column;
	return err_set(e, ERR_USAGE, "%s:%zu:%zu: %s", r->spec->where,
		       row->line, row->fields[at].column, buf_str(&text));
}

// Where the units are in the cells, one without a figure tells none.
int table_read_metric(const struct table_reader *r, const struct csv_row *row,
		      const struct table_reading *g, uint32_t *metric,
		      struct err *e)
{
	struct metric m;

	if (describe(r, row, g, &m, e) != 0)
		return -1;
	if (r->spec->style.units && !isfinite(g->value)) {
		if (dataset_declare_metric(r->ds, m.name, e) != 0)
			return -1;
		*metric = dataset_find_metric(r->ds, m.name);
		return 0;
	}
	if (dataset_add_metric(r->ds, &m, metric, e) != 0)
		return -1;
	if (!r->ds->metrics[*metric].mixed)
		return 0;
	return refuse_mixed(r, row, r->map.values[g->column], &m, e);
}
