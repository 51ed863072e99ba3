// Of each cell: every trial, the quartiles, and the mean with its interval;
// and, where arms are worlds apart, bars on a log scale.
#include "analysis/report_figure_parts.h"

#include <float.h>

#include "analysis/words.h"

enum {
	ROW = 44,
	STRIP = 9,	   // trials are this far above the middle of a row
	JITTER = 6,	   // and at most this far from there
	MEAN = 12,	   // the mean is this far below
	QUARTILES_MIN = 8, // figures that make a box worth drawing
	BAR_ROW = 34,
	BAR = 16, // its height
	BAR_LABEL = 90,
};

struct cells {
	const struct report *r;
	size_t family;			   // which metric of it
	uint32_t metric;		   // in the dataset
	const struct analysis_cell *cells; // by row
	size_t nhosts; // rows of each cell; 1: all hosts in one
	size_t every, ntrials;
	bool spread; // some cell has more than one figure
	struct figure_rows rows;
};

static void label(const struct cells *p, size_t row, struct buf *out)
{
	const struct analysis_cell *c = &p->cells[row];
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	words_cell(p->r->an, c->cell, &text);
	if (p->nhosts > 1)
		buf_printf(&text, " on %s",
			   intern_name(&p->r->ds->hosts, c->host));
	buf_printf(&text, " (n\u00a0=\u00a0%zu)", c->d.n);
	figure_label(out, figure_row_y(&p->rows, row), buf_str(&text));
}

static struct cells begin(const struct report *r, size_t family)
{
	return (struct cells){
		.r = r,
		.family = family,
		.metric = r->an->metrics[family],
		.cells = figure_cells_of(r->an, family),
		.nhosts = 1,
		.rows = { .x = SVG_AXIS(FIGURE_LABELS, SVG_WIDTH - 30),
			  .row = ROW,
			  .n = MIN(r->ds->ncells, (size_t)REPORT_FIGURE_ROWS) },
	};
}

// Hosts differ: where there is room, each has rows of its own.
static void split_hosts(struct cells *p)
{
	const struct analysis *an = p->r->an;
	size_t nhosts = p->r->ds->hosts.n, rows = p->r->ds->ncells * nhosts;

	if (an->nhost_cells == 0 || rows > REPORT_FIGURE_ROWS)
		return;
	p->nhosts = nhosts;
	p->cells = an->host_cells + p->family * rows;
	p->rows.n = rows;
}

static const struct dataset_metric *metric_of(const struct cells *p)
{
	return &p->r->ds->metrics[p->metric];
}

static void finish(struct cells *p, struct figure *f)
{
	CLEANUP(buf_deinit) struct buf title = BUF_INIT;

	figure_metric(metric_of(p), p->rows.x.log, &title);
	figure_rows_axis(f, &p->rows, metric_of(p)->unit, buf_str(&title));
	figure_say_cut(p->rows.n / p->nhosts, p->r->ds->ncells, "cell",
		       &f->caption);
}

// --- distribution ---

static size_t row_of(const struct cells *p, size_t trial)
{
	const struct dataset *ds = p->r->ds;

	return p->nhosts == 1 ? ds->cell[trial]
			      : ds->cell[trial] * p->nhosts + ds->host[trial];
}

static bool is_drawn(const struct cells *p, size_t trial)
{
	return row_of(p, trial) < p->rows.n &&
	       figure_has_trial(p->r->ds, trial, p->metric);
}

static void measure(struct cells *p)
{
	struct svg_axis *x = &p->rows.x;

	x->log = figure_wants_log(p->r->an, p->family);
	for (size_t i = 0; i < p->rows.n; i++) {
		const struct analysis_cell *c = &p->cells[i];

		p->ntrials += c->n;
		p->spread |= c->d.n > 1;
		svg_widen(x, c->mean.lo);
		svg_widen(x, c->mean.hi);
	}
	for (size_t i = 0; i < p->r->ds->ntrials; i++)
		if (is_drawn(p, i))
			svg_widen(x, p->r->ds->values[p->metric][i]);
	p->every = figure_thinning(p->ntrials);
}

// The same in every report of the same trials; neighbours are apart.
static double jitter(size_t row)
{
	double part = (double)row * 0.61803398874989485;

	return JITTER * (2 * (part - floor(part)) - 1);
}

static void strips(const struct cells *p, struct buf *out)
{
	const struct dataset *ds = p->r->ds;
	size_t seen = 0;

	for (size_t i = 0; i < ds->ntrials; i++) {
		double y = figure_row_y(&p->rows, row_of(p, i)) - STRIP;

		if (is_drawn(p, i) && seen++ % p->every == 0)
			svg_dot(out, ds->cell[i],
				svg_at(&p->rows.x, ds->values[p->metric][i]),
				y + jitter(i));
	}
}

static void quartiles(const struct cells *p, size_t row, struct buf *out)
{
	const struct describe *d = &p->cells[row].d;
	double top = figure_row_y(&p->rows, row) - STRIP - JITTER - 2;
	double height = 2 * JITTER + 4;
	double q1 = svg_at(&p->rows.x, d->q1), q3 = svg_at(&p->rows.x, d->q3);
	double median = svg_at(&p->rows.x, d->median);

	if (d->n < QUARTILES_MIN)
		return;
	svg_rect(out, "quartiles",
		 (struct svg_rect){ q1, top, q3 - q1, height });
	svg_line(out, "median",
		 (struct svg_line){ median, top, median, top + height });
}

static void mean(const struct cells *p, size_t row, double y, struct buf *out)
{
	const struct analysis_cell *c = &p->cells[row];

	svg_whisker(out, &p->rows.x, c->mean.lo, c->mean.hi, y);
	if (isfinite(c->d.mean))
		svg_marker(out, c->cell, svg_at(&p->rows.x, c->d.mean), y);
}

static bool has_quartiles(const struct cells *p)
{
	for (size_t i = 0; i < p->rows.n; i++)
		if (p->cells[i].d.n >= QUARTILES_MIN)
			return true;
	return false;
}

static void describe_cells(const struct cells *p, struct figure *f)
{
	const char *name = metric_of(p)->name;

	buf_printf(&f->name, "cells-%s", name);
	buf_printf(&f->title, "Distribution of %s in each cell", name);
	buf_printf(&f->about,
		   "Of each cell every trial's figure of %s as a dot, and "
		   "below them the mean with its %.4g %% interval. The tables "
		   "of cells and of trials have the figures.",
		   name, 100 * (1 - p->r->an->alpha));
	buf_printf(&f->caption,
		   "%s of each trial as a dot; %sbelow, the mean%s.", name,
		   has_quartiles(p) ? "boxes are quartiles with the median, "
				      "from n = 8; "
				    : "",
		   p->nhosts < p->r->ds->hosts.n ? " over all hosts"
						 : " with its interval");
	if (p->every > 1)
		buf_printf(&f->caption, " One trial in %zu is drawn.",
			   p->every);
}

static void distribution(struct report_figures *to, size_t family)
{
	CLEANUP(figure_deinit) struct figure f = { 0 };
	struct cells p = begin(to->r, family);

	split_hosts(&p);
	measure(&p);
	if (!p.spread)
		return; // one figure a cell: the table has it
	svg_pad(&p.rows.x);
	describe_cells(&p, &f);
	finish(&p, &f);
	strips(&p, &f.body);
	for (size_t i = 0; i < p.rows.n; i++) {
		label(&p, i, &f.body);
		quartiles(&p, i, &f.body);
		mean(&p, i, figure_row_y(&p.rows, i) + MEAN, &f.body);
	}
	figure_add(to, &f);
}

void figure_cells(struct report_figures *to)
{
	const struct analysis *an = to->r->an;

	for (size_t m = 0; m < MIN(an->nmetrics, (size_t)REPORT_FIGURE_METRICS);
	     m++)
		distribution(to, m);
}

// --- bars ---

// Bars begin at a power of ten that leaves the least of them a length.
static void measure_bars(struct cells *p)
{
	struct svg_axis *x = &p->rows.x;

	x->to = SVG_WIDTH - BAR_LABEL;
	x->log = true;
	for (size_t i = 0; i < p->rows.n; i++) {
		svg_widen(x, p->cells[i].d.mean);
		svg_widen(x, p->cells[i].mean.hi);
	}
	x->lo = fmax(pow(10, floor(log10(x->lo / 1.5))), DBL_MIN);
}

static void bar(const struct cells *p, size_t cell, struct buf *out)
{
	const struct analysis_cell *c = &p->cells[cell];
	double y = figure_row_y(&p->rows, cell), end;
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	char class[16];

	label(p, cell, out);
	if (!isfinite(c->d.mean))
		return;
	end = svg_at(&p->rows.x, c->d.mean);
	snprintf(class, sizeof class, "bar c%zu", cell % SVG_COLORS);
	svg_rect(out, class,
		 (struct svg_rect){ p->rows.x.from, y - BAR / 2.0,
				    end - p->rows.x.from, BAR });
	svg_whisker(out, &p->rows.x, c->mean.lo, c->mean.hi, y);
	if (isfinite(c->mean.hi))
		end = svg_at(&p->rows.x, c->mean.hi);
	words_figure(c->d.mean, &text);
	svg_text(out, "start", end + 8, y + 4, buf_str(&text));
}

static void describe_bars(const struct cells *p, struct figure *f)
{
	const char *name = metric_of(p)->name;

	buf_printf(&f->name, "bars-%s", name);
	buf_printf(&f->title, "%s by cell, on a log scale", name);
	buf_printf(&f->about,
		   "The mean of %s in each cell as a bar on a log scale, with "
		   "its %.4g %% interval. The table of cells has the figures.",
		   name, 100 * (1 - p->r->an->alpha));
	buf_printf(&f->caption,
		   "Means of %s on a log scale: equal lengths are equal "
		   "ratios, and no bar begins at 0.",
		   name);
}

static void bars(struct report_figures *to, size_t family)
{
	CLEANUP(figure_deinit) struct figure f = { 0 };
	struct cells p = begin(to->r, family);

	if (!figure_wants_log(to->r->an, family))
		return;
	p.rows.row = BAR_ROW;
	measure_bars(&p);
	describe_bars(&p, &f);
	finish(&p, &f);
	for (size_t i = 0; i < p.rows.n; i++)
		bar(&p, i, &f.body);
	figure_add(to, &f);
}

void figure_bars(struct report_figures *to)
{
	const struct analysis *an = to->r->an;

	for (size_t m = 0; m < MIN(an->nmetrics, (size_t)REPORT_FIGURE_METRICS);
	     m++)
		bars(to, m);
}
