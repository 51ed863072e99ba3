// The effects of all comparisons with their intervals, beside the margin.
#include "analysis/report_figure_parts.h"

#include "analysis/words.h"

enum {
	ROW = 34,
};

// Beyond these, a scale of per cents would show nothing but the greatest.
#define LOG_BEYOND 4.0 // times the baseline, or a fourth of it

static bool is_shown(const struct analysis_comparison *c)
{
	return isfinite(c->effect.pct);
}

static size_t count(const struct analysis *an)
{
	size_t n = 0;

	for (size_t i = 0; i < an->ncomparisons; i++)
		n += is_shown(&an->comparisons[i]);
	return n;
}

// As a ratio; what is not above 0 has no place on a log scale.
static double ratio(double pct)
{
	return 1 + pct / 100;
}

static bool wants_log(const struct analysis *an)
{
	double least = 1, most = 1;

	for (size_t i = 0; i < an->ncomparisons; i++) {
		if (!is_shown(&an->comparisons[i]))
			continue;
		least = fmin(least, ratio(an->comparisons[i].effect.pct));
		most = fmax(most, ratio(an->comparisons[i].effect.pct));
	}
	return least > 0 && (least < 1 / LOG_BEYOND || most > LOG_BEYOND);
}

static void measure(const struct analysis *an, struct svg_axis *x)
{
	size_t rows = 0;

	svg_widen(x, 1);
	if (an->margin > 0) {
		svg_widen(x, 1 + an->margin);
		svg_widen(x, 1 / (1 + an->margin));
	}
	for (size_t i = 0; i < an->ncomparisons; i++) {
		const struct effect *e = &an->comparisons[i].effect;

		if (!isfinite(e->pct) || rows++ >= REPORT_FIGURE_ROWS)
			continue;
		svg_widen(x, ratio(e->pct));
		svg_widen(x, ratio(e->lo_pct));
		svg_widen(x, ratio(e->hi_pct));
	}
	svg_pad(x);
}

// Symmetric about 0 on the log scale, as the test of equivalence is.
static void margin_band(const struct analysis *an,
			const struct figure_rows *rows, struct buf *out)
{
	double lo = svg_at(&rows->x, 1 / (1 + an->margin));
	double hi = svg_at(&rows->x, 1 + an->margin);

	if (an->margin > 0)
		svg_rect(out, "band",
			 (struct svg_rect){ lo, FIGURE_TOP, hi - lo,
					    figure_rows_bottom(rows) -
						    FIGURE_TOP });
}

// The axis is one of ratios; the ticks say per cent, as the table does.
static void ticks(const struct figure_rows *rows, struct buf *out)
{
	struct svg_axis pct = { 100 * (rows->x.lo - 1), 100 * (rows->x.hi - 1),
				rows->x.from, rows->x.to, false };
	struct svg_ticks t = svg_ticks(rows->x.log ? &rows->x : &pct);
	double bottom = figure_rows_bottom(rows);

	for (size_t i = 0; i < t.n; i++) {
		char text[SVG_TICK_CHARS];
		double shown = rows->x.log ? 100 * (t.at[i] - 1) : t.at[i];
		double at = svg_at(&rows->x, ratio(shown));

		svg_line(out, "grid",
			 (struct svg_line){ at, FIGURE_TOP, at, bottom });
		snprintf(text, sizeof text, "%+.6g %%", shown);
		svg_text(out, "middle", at, bottom + 16,
			 fabs(shown) < 1e-9 ? "0 %" : text);
	}
}

static void effect_row(const struct analysis *an,
		       const struct analysis_comparison *c,
		       const struct svg_axis *x, double y, struct buf *out)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	const struct effect *e = &c->effect;

	words_comparison(an, c, &text);
	figure_label(out, y, buf_str(&text));
	svg_whisker(out, x, ratio(e->lo_pct), ratio(e->hi_pct), y);
	svg_marker(out, c->cell, svg_at(x, ratio(e->pct)), y);
}

static void all_rows(const struct analysis *an, const struct figure_rows *rows,
		     struct buf *out)
{
	size_t row = 0;

	for (size_t i = 0; i < an->ncomparisons && row < rows->n; i++)
		if (is_shown(&an->comparisons[i])) {
			effect_row(an, &an->comparisons[i], &rows->x,
				   figure_row_y(rows, row), out);
			row++;
		}
}

static void say_intervals(const struct analysis *an, struct buf *out)
{
	for (size_t i = 0; i < an->ncomparisons; i++)
		if (isfinite(an->comparisons[i].effect.lo_pct)) {
			buf_printf(out, "Effects with their %.4g %% intervals",
				   100 * (1 - an->alpha));
			return;
		}
	buf_puts(out, "Effects; of none is there an interval");
}

static void describe_effects(const struct analysis *an, size_t shown,
			     size_t all, struct figure *f)
{
	buf_puts(&f->name, "effects");
	buf_puts(&f->title, "Effects against the baseline");
	buf_printf(&f->about,
		   "Effect against the baseline in per cent, with its %.4g %% "
		   "interval, of ",
		   100 * (1 - an->alpha));
	words_count(shown, "comparison", &f->about);
	buf_puts(&f->about, ". The table of comparisons has the figures.");
	say_intervals(an, &f->caption);
	buf_puts(&f->caption,
		 an->margin > 0 ? "; the band is the margin." : ".");
	figure_say_cut(shown, all, "comparison", &f->caption);
	if (all < an->ncomparisons)
		buf_puts(&f->caption,
			 " Comparisons without a ratio are left out.");
}

void figure_effects(struct report_figures *to)
{
	const struct analysis *an = to->r->an;
	CLEANUP(figure_deinit) struct figure f = { 0 };
	struct figure_rows rows = {
		.x = SVG_AXIS(FIGURE_LABELS, SVG_WIDTH - 30),
		.row = ROW,
	};
	size_t all = count(an);
	double zero;

	if (all == 0)
		return;
	rows.n = MIN(all, (size_t)REPORT_FIGURE_ROWS);
	rows.x.log = wants_log(an);
	measure(an, &rows.x);
	describe_effects(an, rows.n, all, &f);
	zero = svg_at(&rows.x, 1);
	margin_band(an, &rows, &f.body);
	ticks(&rows, &f.body);
	svg_line(&f.body, "zero",
		 (struct svg_line){ zero, FIGURE_TOP, zero,
				    figure_rows_bottom(&rows) });
	all_rows(an, &rows, &f.body);
	svg_text(&f.body, "middle", (rows.x.from + rows.x.to) / 2,
		 figure_rows_bottom(&rows) + 36,
		 rows.x.log ? "effect against the baseline, % (log scale)"
			    : "effect against the baseline, %");
	f.height = figure_rows_bottom(&rows) + FIGURE_UNDER;
	figure_add(to, &f);
}
