#include "analysis/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void words_figure(double x, struct buf *out)
{
	if (!isfinite(x))
		buf_puts(out, "-");
	else if (fabs(x) >= 1e5 && fabs(x) < 1e15)
		buf_printf(out, "%.0f", x);
	else
		buf_printf(out, "%.5g", x);
}

void words_range(double lo, double hi, struct buf *out)
{
	if (!isfinite(lo) || !isfinite(hi))
		return;
	buf_putc(out, '[');
	words_figure(lo, out);
	buf_puts(out, ", ");
	words_figure(hi, out);
	buf_putc(out, ']');
}

// Never "-0.00": that would claim a direction.
static void signed_pct(double pct, struct buf *out)
{
	double rounded = round(pct * 100) / 100;

	if (fabs(pct) >= 1e5)
		buf_printf(out, "%+.3g %%", pct);
	else
		buf_printf(out, "%+.2f %%", rounded == 0 ? 0.0 : pct);
}

void words_pct(double pct, struct buf *out)
{
	if (isfinite(pct))
		signed_pct(pct, out);
	else
		buf_puts(out, "-");
}

void words_size(double pct, struct buf *out)
{
	buf_printf(out, pct < 99.5 ? "%.2g %%" : "%.0f %%", pct);
}

void words_interval(double lo, double hi, struct buf *out)
{
	if (!isfinite(lo) || !isfinite(hi))
		return;
	buf_putc(out, '[');
	signed_pct(lo, out);
	buf_puts(out, ", ");
	signed_pct(hi, out);
	buf_putc(out, ']');
}

void words_p(double p, struct buf *out)
{
	char text[16];

	if (isnan(p)) {
		buf_puts(out, "-");
	} else if (p < 0.001) {
		buf_puts(out, "<.001");
	} else if (p >= 0.9995) {
		buf_puts(out, ">.999");
	} else {
		snprintf(text, sizeof text, "%.3f", p);
		buf_puts(out, text + 1); // without the 0 before the point
	}
}

void words_count(size_t n, const char *noun, struct buf *out)
{
	buf_printf(out, "%zu %s%s", n, noun, n == 1 ? "" : "s");
}

static const struct dataset_cell *cell_of(const struct analysis *an,
					  uint32_t id)
{
	return &an->ds->cells[id];
}

static bool same_level(const struct dataset_cell *other, const struct level *l)
{
	const char *text = dataset_level(other, l->factor);

	return text != NULL && strcmp(text, l->text) == 0;
}

// A factor without effect in a cell is not worth a word.
static void add_level(struct buf *out, size_t start, const struct level *l)
{
	if (strcmp(l->text, LEVEL_ANY) == 0)
		return;
	buf_printf(out, "%s%s=%s", out->len > start ? ", " : "", l->factor,
		   l->text);
}

// The levels of `cell` that `other` has, or has not.
static void levels_where(const struct dataset_cell *cell,
			 const struct dataset_cell *other, bool same,
			 struct buf *out)
{
	size_t start = out->len;

	for (size_t i = 0; i < cell->nlevels; i++)
		if (same_level(other, &cell->levels[i]) == same)
			add_level(out, start, &cell->levels[i]);
}

static bool is_constant(const struct analysis *an, const struct level *l)
{
	const struct dataset_cell *first = cell_of(an, 0);

	for (size_t i = 0; i < first->nlevels; i++)
		if (strcmp(first->levels[i].factor, l->factor) == 0)
			return an->constant[i];
	return false;
}

void words_cell(const struct analysis *an, uint32_t cell, struct buf *out)
{
	const struct dataset_cell *c = cell_of(an, cell);
	size_t start = out->len;

	for (size_t i = 0; i < c->nlevels; i++)
		if (!is_constant(an, &c->levels[i]))
			add_level(out, start, &c->levels[i]);
	if (out->len == start)
		buf_puts(out, c->label);
}

void words_constant(const struct analysis *an, struct buf *out)
{
	const struct dataset_cell *c = cell_of(an, 0);
	size_t start = out->len;

	for (size_t i = 0; i < c->nlevels; i++)
		if (is_constant(an, &c->levels[i]))
			add_level(out, start, &c->levels[i]);
}

// What both have, but not every cell.
static void words_shared(const struct analysis *an,
			 const struct analysis_comparison *c, struct buf *out)
{
	const struct dataset_cell *cell = cell_of(an, c->cell);
	const struct dataset_cell *base = cell_of(an, c->baseline);
	size_t start = out->len;

	for (size_t i = 0; i < cell->nlevels; i++)
		if (same_level(base, &cell->levels[i]) &&
		    !is_constant(an, &cell->levels[i]))
			add_level(out, start, &cell->levels[i]);
}

void words_candidate(const struct analysis *an,
		     const struct analysis_comparison *c, struct buf *out)
{
	levels_where(cell_of(an, c->cell), cell_of(an, c->baseline), false,
		     out);
}

void words_baseline(const struct analysis *an,
		    const struct analysis_comparison *c, struct buf *out)
{
	levels_where(cell_of(an, c->baseline), cell_of(an, c->cell), false,
		     out);
}

void words_common(const struct analysis *an,
		  const struct analysis_comparison *c, struct buf *out)
{
	levels_where(cell_of(an, c->cell), cell_of(an, c->baseline), true, out);
}

void words_comparison(const struct analysis *an,
		      const struct analysis_comparison *c, struct buf *out)
{
	if (an->nmetrics > 1)
		buf_printf(out, "%s, ", an->ds->metrics[c->metric].name);
	words_pair(an, c, out);
}

void words_pair(const struct analysis *an, const struct analysis_comparison *c,
		struct buf *out)
{
	CLEANUP(buf_deinit) struct buf shared = BUF_INIT;

	words_candidate(an, c, out);
	words_shared(an, c, &shared);
	if (shared.len > 0)
		buf_printf(out, " (%s)", buf_str(&shared));
}

// Figures that one calls fast or slow; the others are better or worse.
static bool is_speed(const struct dataset_metric *m)
{
	static const char *const units[] = { "IOPS", "MB/s", "MBps", "ns",
					     "us",   "ms",   "s",    "ops/s" };

	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (strcmp(m->unit, units[i]) == 0)
			return true;
	return false;
}

const char *words_verdict_kind(const struct analysis *an,
			       const struct analysis_comparison *c)
{
	enum verdict_kind k = c->verdict.kind;

	return is_speed(&an->ds->metrics[c->metric])
		       ? verdict_kind_name(k)
		       : verdict_kind_name_plain(k);
}

void words_verdict(const struct analysis *an,
		   const struct analysis_comparison *c, struct buf *out)
{
	const struct verdict *v = &c->verdict;

	buf_puts(out, words_verdict_kind(an, c));
	if (v->accepted ||
	    (v->kind == VERDICT_INCONCLUSIVE && v->reason != VERDICT_UNDECIDED))
		buf_printf(out, " (%s)", verdict_reason_text(v));
}
