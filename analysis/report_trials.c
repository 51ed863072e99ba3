// The trials behind the pictures, as a table.
#include "analysis/report_figure_parts.h"
#include "analysis/report_parts.h"
#include "analysis/words.h"

enum {
	FIXED = 4, // columns before the figures
};

static bool is_listed(const struct report *r, size_t row)
{
	const struct analysis *an = r->an;

	for (size_t m = 0; m < an->nmetrics; m++)
		if (figure_has_trial(r->ds, row, an->metrics[m]))
			return true;
	return false;
}

static void set_columns(const struct report *r, struct report_table *t)
{
	static const struct report_column fixed[FIXED] = {
		{ "trial", true },
		{ "cell", false },
		{ "host", false },
		{ "round", true },
	};
	size_t n = FIXED + r->an->nmetrics;
	struct report_column *columns =
		arena_array(t->arena, n, sizeof *columns);

	for (size_t i = 0; i < FIXED; i++)
		columns[i] = fixed[i];
	for (size_t m = 0; m < r->an->nmetrics; m++)
		columns[FIXED + m] = (struct report_column){
			r->ds->metrics[r->an->metrics[m]].name, true
		};
	t->columns = columns;
	t->ncolumns = n;
}

static void add_trial(const struct report *r, size_t row,
		      struct report_table *t)
{
	const struct dataset *ds = r->ds;
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;
	char name[16];

	report_table_add(t, arena_printf(t->arena, "%u", ds->trial[row]));
	words_cell(r->an, ds->cell[row], &b);
	report_table_take(t, &b);
	report_table_add(t, intern_name(&ds->hosts, ds->host[row]));
	report_table_add(t, dataset_block_name(ds, ds->block[row], name));
	for (size_t m = 0; m < r->an->nmetrics; m++) {
		words_figure(ds->values[r->an->metrics[m]][row], &b);
		report_table_take(t, &b);
	}
}

void report_table_trials(const struct report *r, struct report_table *t)
{
	size_t listed = 0, every, seen = 0;

	for (size_t i = 0; i < r->ds->ntrials; i++)
		listed += is_listed(r, i);
	every = figure_thinning(listed);
	set_columns(r, t);
	for (size_t i = 0; i < r->ds->ntrials; i++)
		if (is_listed(r, i) && seen++ % every == 0)
			add_trial(r, i, t);
}
