// Also measured: the comparisons on metrics that the question is not about.
#include "analysis/report_parts.h"

#include <math.h>
#include <string.h>

#include "analysis/words.h"

enum {
	BRIEF_ROWS = 8,
};

static void add_row(struct report_table *t, const struct report *r,
		    const struct analysis_comparison *c)
{
	const struct dataset_metric *m = &r->ds->metrics[c->metric];
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;

	report_table_add(t, m->name);
	words_pair(r->an, c, &b);
	report_table_take(t, &b);
	words_pct(c->effect.pct, &b);
	report_table_take(t, &b);
	words_interval(c->effect.lo_pct, c->effect.hi_pct, &b);
	report_table_take(t, &b);
	words_p(c->effect.p, &b);
	report_table_take(t, &b);
	words_p(c->q, &b);
	report_table_take(t, &b);
	report_table_add(t, better_name(m->better));
}

static void set_columns(struct report_table *t)
{
	static const struct report_column columns[] = {
		{ "metric", false }, { "against the baseline", false },
		{ "effect", true },  { "interval", true },
		{ "p", true },	     { "q", true },
		{ "better", false },
	};

	t->columns = columns;
	t->ncolumns = ARRAY_LEN(columns);
}

void report_secondary_title(const struct report *r, struct buf *out)
{
	(void)r;
	buf_puts(out, REPORT_SECONDARY);
}

void report_table_secondary(const struct report *r, struct report_table *t)
{
	set_columns(t);
	for (size_t i = 0; i < r->an->nsecondary; i++)
		add_row(t, r, &r->an->secondary[i]);
}

static bool is_for_screens(const char *metric)
{
	static const char *const ends[] = { ".lat_p50", ".lat_p99" };
	size_t len = strlen(metric);

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		size_t n = strlen(ends[i]);

		if (len > n && strcmp(metric + len - n, ends[i]) == 0)
			return true;
	}
	return false;
}

void report_table_secondary_brief(const struct report *r,
				  struct report_table *t)
{
	set_columns(t);
	for (size_t i = 0; i < r->an->nsecondary; i++) {
		const struct analysis_comparison *c = &r->an->secondary[i];

		if (report_table_rows(t) < BRIEF_ROWS &&
		    is_for_screens(r->ds->metrics[c->metric].name))
			add_row(t, r, c);
	}
}
