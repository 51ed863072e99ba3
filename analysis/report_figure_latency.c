// Latency percentiles of each cell, on a log scale.
#include "analysis/report_figure_parts.h"

#include "analysis/report_latency.h"
#include "analysis/words.h"

enum {
	ROW = 60,
	STEP = 12, // from one percentile to the next within a row
	LEGEND = 22,
};

// Percentiles differ by shape and colour.
static void mark(struct buf *out, size_t percentile, double x, double y)
{
	svg_marker(out, (uint32_t)percentile, x, y);
}

static bool measure(const struct report_latency *l, struct figure_rows *rows)
{
	for (size_t c = 0; c < rows->n; c++)
		for (size_t i = 0; i < REPORT_LATENCY_PERCENTILES; i++) {
			svg_widen(&rows->x, l->cells[c].mean[i].mean);
			svg_widen(&rows->x, l->cells[c].mean[i].hi);
			svg_widen(&rows->x, l->cells[c].pooled[i].value);
		}
	if (!(rows->x.lo <= rows->x.hi))
		return false;
	// An interval may reach below 0; the means are what counts here.
	for (size_t c = 0; c < rows->n; c++)
		for (size_t i = 0; i < REPORT_LATENCY_PERCENTILES; i++)
			if (l->cells[c].mean[i].lo > rows->x.lo / 2)
				svg_widen(&rows->x, l->cells[c].mean[i].lo);
	svg_pad(&rows->x);
	return true;
}

static void row(const struct report *r, const struct report_latency *l,
		const struct figure_rows *rows, size_t cell, struct buf *out)
{
	const struct report_latency_cell *c = &l->cells[cell];
	double y = figure_row_y(rows, cell);
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	words_cell(r->an, c->cell, &text);
	figure_label(out, y, buf_str(&text));
	for (size_t i = 0; i < REPORT_LATENCY_PERCENTILES; i++) {
		const struct interval_mean *m = &c->mean[i];
		double at = y + STEP * ((double)i - 1.5);

		svg_whisker(out, &rows->x, m->lo, m->hi, at);
		if (isfinite(m->mean))
			mark(out, i, svg_at(&rows->x, m->mean), at);
		if (isfinite(c->pooled[i].value))
			svg_ring(out, svg_at(&rows->x, c->pooled[i].value), at);
	}
}

static bool is_pooled(const struct report_latency *l, size_t cells)
{
	for (size_t c = 0; c < cells; c++)
		if (isfinite(l->cells[c].pooled[0].value))
			return true;
	return false;
}

static void legend(struct figure *f, bool pooled)
{
	double x = FIGURE_LABELS;

	for (size_t i = 0; i < REPORT_LATENCY_PERCENTILES; i++) {
		char text[16];

		snprintf(text, sizeof text, "p%.4g",
			 report_latency_percentiles[i]);
		mark(&f->body, i, x, f->height + 6);
		svg_text(&f->body, "start", x + 10, f->height + 10, text);
		x += 70;
	}
	if (pooled) {
		svg_ring(&f->body, x, f->height + 6);
		svg_text(&f->body, "start", x + 10, f->height + 10,
			 "all trials pooled");
	}
	f->height += LEGEND;
}

static void describe_latency(const struct report *r,
			     const struct report_latency *l, bool pooled,
			     struct figure *f)
{
	buf_printf(&f->name, "latency-%s", l->name);
	buf_printf(&f->title, "Percentiles of %s by cell", l->name);
	buf_printf(&f->about,
		   "Of each cell the 50th, 90th, 99th and 99.9th percentile of "
		   "%s on a log scale, each the mean over trials with its "
		   "%.4g %% interval. The table of latency percentiles has the "
		   "figures.",
		   l->name, 100 * (1 - r->an->alpha));
	buf_printf(&f->caption, "Percentiles of %s: means over trials%s%s.",
		   l->name, r->ds->hosts.n > 1 ? "" : " with their intervals",
		   pooled ? "; rings are those of all trials together, only to "
			    "describe"
			  : "");
}

static void one(struct report_figures *to, const struct report_latency *l)
{
	CLEANUP(figure_deinit) struct figure f = { 0 };
	CLEANUP(buf_deinit) struct buf title = BUF_INIT;
	struct figure_rows rows = {
		.x = SVG_AXIS(FIGURE_LABELS, SVG_WIDTH - 30),
		.row = ROW,
		.n = MIN(to->r->ds->ncells, (size_t)REPORT_FIGURE_ROWS),
	};
	bool pooled;

	rows.x.log = true;
	if (!measure(l, &rows))
		return;
	pooled = is_pooled(l, rows.n);
	describe_latency(to->r, l, pooled, &f);
	figure_say_cut(rows.n, to->r->ds->ncells, "cell", &f.caption);
	buf_printf(&title, "%s%s%s (log scale)", l->name,
		   l->unit[0] != '\0' ? ", " : "", l->unit);
	figure_rows_axis(&f, &rows, l->unit, buf_str(&title));
	for (size_t c = 0; c < rows.n; c++)
		row(to->r, l, &rows, c, &f.body);
	legend(&f, pooled);
	figure_add(to, &f);
}

void figure_latency(struct report_figures *to)
{
	const struct report_latency *all;
	size_t n =
		report_latency(to->r, REPORT_LATENCY_VALUES, to->arena, &all);

	for (size_t i = 0; i < n; i++)
		one(to, &all[i]);
}
