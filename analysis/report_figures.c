#include "analysis/report_figures.h"

#include <math.h>
#include <string.h>

#include "analysis/svg.h"
#include "analysis/words.h"
#include "runner/base/alloc.h"

enum {
	LABELS = 280, // pixels left of a plot of effects
	LABEL_CHARS = 36,
	ROW = 34,
	TOP = 10,
	UNDER = 44, // an axis with its title
	LEFT = 84,  // of a plot of trials
	PLOT = 240,
	LEGEND = 22, // a line of it
};

// --- effects ---

static size_t count_rows(const struct analysis *an)
{
	size_t n = 0;

	for (size_t i = 0; i < an->ncomparisons; i++)
		n += isfinite(an->comparisons[i].effect.pct);
	return MIN(n, (size_t)REPORT_FIGURE_ROWS);
}

static struct svg_axis effects_axis(const struct analysis *an)
{
	struct svg_axis x = { 0, 0, LABELS, SVG_WIDTH - 10 };
	size_t rows = 0;

	if (an->margin > 0) {
		svg_widen(&x, 100 * an->margin);
		svg_widen(&x, -100 * an->margin / (1 + an->margin));
	}
	for (size_t i = 0; i < an->ncomparisons; i++) {
		const struct effect *e = &an->comparisons[i].effect;

		if (!isfinite(e->pct) || rows++ >= REPORT_FIGURE_ROWS)
			continue;
		svg_widen(&x, e->pct);
		svg_widen(&x, e->lo_pct);
		svg_widen(&x, e->hi_pct);
	}
	svg_pad(&x);
	return x;
}

// Symmetric about 0 on the log scale, as the test of equivalence is.
static void margin_band(const struct analysis *an, const struct svg_axis *x,
			double bottom, struct buf *out)
{
	double lo = svg_at(x, -100 * an->margin / (1 + an->margin));
	double hi = svg_at(x, 100 * an->margin);

	if (an->margin > 0)
		buf_printf(out,
			   "<rect class=\"band\" x=\"%.1f\" y=\"%d\" "
			   "width=\"%.1f\" height=\"%.1f\"/>\n",
			   lo, TOP, hi - lo, bottom - TOP);
}

// How much of a text fits in one line of a label: up to a blank.
static size_t line_len(const char *text)
{
	size_t len = strlen(text), end = LABEL_CHARS;

	if (len <= LABEL_CHARS)
		return len;
	while (end > 0 && text[end] != ' ')
		end--;
	if (end > 0)
		return end;
	// Not within a character of several bytes.
	for (end = LABEL_CHARS; ((unsigned char)text[end] & 0xc0) == 0x80;)
		end--;
	return end;
}

// One line or two; the table has it whole.
static void label(const struct analysis *an,
		  const struct analysis_comparison *c, double y,
		  struct buf *out)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	CLEANUP(buf_deinit) struct buf line = BUF_INIT;
	const char *rest;
	size_t len;

	words_comparison(an, c, &text);
	len = line_len(buf_str(&text));
	rest = text.data + len + strspn(text.data + len, " ");
	buf_add(&line, text.data, len);
	svg_text(out, "end", LABELS - 10, y + (*rest != '\0' ? -3 : 4),
		 buf_str(&line));
	if (*rest == '\0')
		return;
	len = line_len(rest);
	buf_clear(&line);
	buf_add(&line, rest, len);
	buf_puts(&line, rest[len] != '\0' ? "..." : "");
	svg_text(out, "end", LABELS - 10, y + 11, buf_str(&line));
}

static void effect_row(const struct analysis *an,
		       const struct analysis_comparison *c,
		       const struct svg_axis *x, double y, struct buf *out)
{
	const struct effect *e = &c->effect;

	label(an, c, y, out);
	if (isfinite(e->lo_pct) && isfinite(e->hi_pct))
		svg_line(out, "interval",
			 (struct svg_line){ svg_at(x, e->lo_pct), y,
					    svg_at(x, e->hi_pct), y });
	svg_marker(out, 0, svg_at(x, e->pct), y);
}

static void effect_rows(const struct analysis *an, const struct svg_axis *x,
			struct buf *out)
{
	size_t row = 0;

	for (size_t i = 0; i < an->ncomparisons; i++) {
		const struct analysis_comparison *c = &an->comparisons[i];

		if (!isfinite(c->effect.pct) || row == REPORT_FIGURE_ROWS)
			continue;
		effect_row(an, c, x, TOP + ROW * ((double)row + 0.5), out);
		row++;
	}
}

static void describe_effects(const struct analysis *an, size_t rows,
			     struct buf *out)
{
	buf_printf(out,
		   "Effect against the baseline in per cent, with its %.4g %% "
		   "interval, of ",
		   100 * (1 - an->alpha));
	words_count(rows, "comparison", out);
	if (an->margin > 0)
		buf_printf(out, "; the band is the margin of %.3g %%",
			   100 * an->margin);
	buf_puts(out, ". The table of comparisons has the figures.");
}

void report_figure_effects(const struct report *r, struct buf *out)
{
	const struct analysis *an = r->an;
	CLEANUP(buf_deinit) struct buf about = BUF_INIT;
	size_t rows = count_rows(an);
	double bottom = TOP + ROW * (double)rows, zero;
	struct svg_axis x;

	if (rows == 0)
		return;
	x = effects_axis(an);
	zero = svg_at(&x, 0);
	describe_effects(an, rows, &about);
	svg_open(out, bottom + UNDER, "Effects", buf_str(&about));
	margin_band(an, &x, bottom, out);
	svg_x_ticks(out, &x, TOP, bottom);
	svg_line(out, "zero", (struct svg_line){ zero, TOP, zero, bottom });
	effect_rows(an, &x, out);
	svg_text(out, "middle", (x.from + x.to) / 2, bottom + 36,
		 "effect against the baseline, %");
	svg_close(out);
}

// --- trials ---

struct trials {
	const struct report *r;
	uint32_t host, metric;
	size_t n, every; // every so many-th is drawn
	struct svg_axis x, y;
};

static bool is_drawn(const struct trials *p, size_t row)
{
	const struct dataset *ds = p->r->ds;

	return ds->host[row] == p->host && ds->outcome[row] == OUTCOME_OK &&
	       isfinite(ds->values[p->metric][row]) && isfinite(ds->order[row]);
}

static void measure(struct trials *p)
{
	const struct dataset *ds = p->r->ds;

	p->x = (struct svg_axis){ INFINITY, -INFINITY, LEFT, SVG_WIDTH - 10 };
	p->y = (struct svg_axis){ INFINITY, -INFINITY, TOP + PLOT, TOP };
	for (size_t i = 0; i < ds->ntrials; i++) {
		if (!is_drawn(p, i))
			continue;
		svg_widen(&p->x, ds->order[i]);
		svg_widen(&p->y, ds->values[p->metric][i]);
		p->n++;
	}
	p->every = p->n / REPORT_FIGURE_POINTS + 1;
	if (p->n == 0)
		return;
	svg_pad(&p->x);
	svg_pad(&p->y);
}

static void points(const struct trials *p, struct buf *out)
{
	const struct dataset *ds = p->r->ds;
	size_t seen = 0;

	for (size_t i = 0; i < ds->ntrials; i++)
		if (is_drawn(p, i) && seen++ % p->every == 0)
			svg_marker(out, ds->cell[i],
				   svg_at(&p->x, ds->order[i]),
				   svg_at(&p->y, ds->values[p->metric][i]));
}

// One cell a line, below the plot.
static void legend(const struct report *r, struct buf *out)
{
	double y = TOP + PLOT + UNDER;

	for (uint32_t c = 0; c < r->ds->ncells && c < REPORT_FIGURE_ROWS; c++) {
		CLEANUP(buf_deinit) struct buf text = BUF_INIT;

		words_cell(r->an, c, &text);
		svg_marker(out, c, LEFT, y);
		svg_text(out, "start", LEFT + 12, y + 4, buf_str(&text));
		y += LEGEND;
	}
}

static void describe_trials(const struct trials *p, struct buf *title,
			    struct buf *about)
{
	const struct dataset *ds = p->r->ds;
	const struct dataset_metric *m = &ds->metrics[p->metric];

	buf_printf(title, "%s over time", m->name);
	if (ds->hosts.n > 1)
		buf_printf(title, " on %s", intern_name(&ds->hosts, p->host));
	words_count(p->n, "trial", about);
	buf_printf(about,
		   " in the order in which they ran, each with its figure of "
		   "%s%s%s, by cell.",
		   m->name, m->unit[0] != '\0' ? " in " : "", m->unit);
	if (p->every > 1)
		buf_printf(about, " One in %zu is drawn.", p->every);
}

void report_figure_trials(const struct report *r, uint32_t host,
			  struct buf *out)
{
	size_t lines = MIN(r->ds->ncells, (size_t)REPORT_FIGURE_ROWS);
	struct trials p = { .r = r, .host = host };
	CLEANUP(buf_deinit) struct buf title = BUF_INIT;
	CLEANUP(buf_deinit) struct buf about = BUF_INIT;

	if (!r->ds->has_order || r->an->nmetrics == 0)
		return;
	p.metric = r->an->metrics[0];
	measure(&p);
	if (p.n == 0)
		return;
	describe_trials(&p, &title, &about);
	svg_open(out, TOP + PLOT + UNDER + LEGEND * (double)lines,
		 buf_str(&title), buf_str(&about));
	svg_y_ticks(out, &p.y, LEFT);
	svg_x_ticks(out, &p.x, TOP, TOP + PLOT);
	points(&p, out);
	legend(r, out);
	svg_close(out);
}
