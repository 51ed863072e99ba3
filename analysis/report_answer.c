// The answer: one sentence that claims what the interval allows, no more.
#include "analysis/report.h"

#include <ctype.h>
#include <math.h>

#include "analysis/report_parts.h"
#include "analysis/words.h"

enum {
	ANSWER_LISTED = 3, // comparisons spelt out in one sentence
};

static const char *metric_name(const struct analysis *an,
			       const struct analysis_comparison *c)
{
	return an->ds->metrics[c->metric].name;
}

static void capitalise(struct buf *out, size_t at)
{
	if (at < out->len)
		out->data[at] = (char)toupper((unsigned char)out->data[at]);
}

static void say_verdict(const struct analysis *an,
			const struct analysis_comparison *c, struct buf *out)
{
	size_t at = out->len;

	words_verdict(an, c, out);
	capitalise(out, at);
	if (c->verdict.kind == VERDICT_EQUIVALENT && an->margin > 0)
		buf_printf(out, " within %.3g %%", 100 * an->margin);
}

// "backing=2M changed block.iops by +0.04 % [-6.99 %, +7.60 %] against
// backing=4k, with where=vm"
static void say_effect(const struct analysis *an,
		       const struct analysis_comparison *c, struct buf *out)
{
	CLEANUP(buf_deinit) struct buf common = BUF_INIT;

	words_candidate(an, c, out);
	if (isnan(c->effect.pct)) {
		buf_printf(out, " has no ratio of %s", metric_name(an, c));
	} else {
		buf_printf(out, " changed %s by ", metric_name(an, c));
		words_pct(c->effect.pct, out);
		if (!isnan(c->effect.lo_pct))
			buf_putc(out, ' ');
		words_interval(c->effect.lo_pct, c->effect.hi_pct, out);
	}
	buf_puts(out, isnan(c->effect.pct) ? " to " : " against ");
	words_baseline(an, c, out);
	words_common(an, c, &common);
	if (common.len > 0)
		buf_printf(out, ", with %s", buf_str(&common));
}

static void say_p(const struct analysis *an,
		  const struct analysis_comparison *c, struct buf *out)
{
	bool blocked = c->estimator == COMPARE_BLOCKED;
	bool welch = !blocked && !isnan(c->welch.p);

	if (isnan(c->effect.p))
		return;
	buf_puts(out, welch ? " (Welch p " : " (p ");
	words_p(welch ? c->welch.p : c->effect.p, out);
	if (an->family > 1) {
		buf_puts(out, ", Holm ");
		words_p(c->p_holm, out);
	}
	if (c->verdict.kind == VERDICT_EQUIVALENT) {
		buf_puts(out, ", p of equivalence ");
		words_p(c->p_eq_holm, out);
	}
	buf_putc(out, ')');
}

static void say_n(const struct analysis_comparison *c, struct buf *out)
{
	if (c->estimator == COMPARE_BLOCKED) {
		buf_puts(out, "; ");
		words_count(c->n, "round", out);
	} else {
		buf_printf(out, "; n = %zu and %zu", c->n, c->n_baseline);
	}
	if (c->nhosts > 1)
		buf_printf(out, " on %zu hosts", c->nhosts);
	if (isnan(c->effect.lo_pct))
		buf_puts(out, ": no interval");
}

// What the interval leaves open, or what it makes sure.
static void say_bound(const struct analysis *an,
		      const struct analysis_comparison *c, struct buf *out)
{
	double most = fmax(fabs(c->effect.lo_pct), fabs(c->effect.hi_pct));

	if (isnan(c->effect.lo_pct))
		return;
	if (c->verdict.kind == VERDICT_INCONCLUSIVE)
		buf_printf(out,
			   "; differences of up to %.1f %% cannot be excluded",
			   most);
	else if (c->verdict.beyond_margin)
		buf_printf(out,
			   "; all of the interval is beyond the margin of "
			   "%.3g %%",
			   100 * an->margin);
	else if (c->verdict.detectable)
		buf_puts(out, "; a difference that small is there all the "
			      "same");
}

static void say_exact(const struct analysis *an,
		      const struct analysis_comparison *c, struct buf *out)
{
	if (an->ds->metrics[c->metric].exact && c->effect.se == 0 &&
	    c->verdict.kind != VERDICT_INCONCLUSIVE)
		buf_puts(out, "; every figure of an arm is the same, as those "
			      "of an exact metric should be");
}

static void say_interim(const struct analysis *an, struct buf *out)
{
	if (an->interim)
		buf_puts(out, " so far (looked at in mid-run: anytime-valid "
			      "interval)");
}

static void answer_one(const struct analysis *an,
		       const struct analysis_comparison *c, struct buf *out)
{
	say_verdict(an, c, out);
	buf_puts(out, ": ");
	say_effect(an, c, out);
	say_p(an, c, out);
	say_exact(an, c, out);
	say_bound(an, c, out);
	say_n(c, out);
	say_interim(an, out);
	buf_putc(out, '.');
}

static void answer_none(const struct report *r, struct buf *out)
{
	const struct analysis_cell *c = &r->an->cells[0];

	buf_printf(out, "Nothing is compared: %s has a mean %s of ",
		   r->ds->cells[c->cell].label, r->ds->metrics[c->metric].name);
	words_figure(c->d.mean, out);
	if (!isnan(c->mean.lo)) {
		buf_puts(out, " [");
		words_figure(c->mean.lo, out);
		buf_puts(out, ", ");
		words_figure(c->mean.hi, out);
		buf_putc(out, ']');
	}
	buf_printf(out, ", n = %zu%s.", c->n,
		   isnan(c->mean.lo) ? ": no interval" : "");
}

static bool is_decided(const struct analysis_comparison *c)
{
	return c->verdict.kind != VERDICT_INCONCLUSIVE;
}

static void say_short(const struct analysis *an,
		      const struct analysis_comparison *c, struct buf *out)
{
	words_comparison(an, c, out);
	if (!isnan(c->effect.pct)) {
		buf_putc(out, ' ');
		words_pct(c->effect.pct, out);
	}
	if (!isnan(c->effect.lo_pct))
		buf_putc(out, ' ');
	words_interval(c->effect.lo_pct, c->effect.hi_pct, out);
	buf_puts(out, ", ");
	words_verdict(an, c, out);
}

// The first few, decided ones before the others.
static void list_some(const struct analysis *an, struct buf *out)
{
	size_t said = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < an->ncomparisons; i++) {
			const struct analysis_comparison *c =
				&an->comparisons[i];

			if (is_decided(c) != (pass == 0) ||
			    said == ANSWER_LISTED)
				continue;
			buf_puts(out, said++ == 0 ? ": " : "; ");
			say_short(an, c, out);
		}
	}
	if (said < an->ncomparisons)
		buf_printf(out, "; and %zu more", an->ncomparisons - said);
}

static void answer_many(const struct analysis *an, struct buf *out)
{
	size_t decided = 0;

	for (size_t i = 0; i < an->ncomparisons; i++)
		decided += is_decided(&an->comparisons[i]);
	if (decided == 0)
		buf_printf(out,
			   "Inconclusive: none of %zu comparisons is "
			   "decided",
			   an->ncomparisons);
	else
		buf_printf(out, "Of %zu comparisons %zu %s decided",
			   an->ncomparisons, decided,
			   decided == 1 ? "is" : "are");
	list_some(an, out);
	say_interim(an, out);
	buf_putc(out, '.');
}

void report_answer(const struct report *r, struct buf *out)
{
	if (r->aa)
		report_noise_answer(r, out);
	else if (r->an->ncomparisons == 0)
		answer_none(r, out);
	else if (r->an->ncomparisons == 1)
		answer_one(r->an, &r->an->comparisons[0], out);
	else
		answer_many(r->an, out);
}
