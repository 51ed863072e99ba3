// The methods paragraph: what was done, so that a reader can repeat or doubt
// it. Sources of the formulas are named where they are implemented.
#include "analysis/report_parts.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/words.h"

static size_t count_estimator(const struct analysis *an,
			      enum compare_estimator which)
{
	size_t n = 0;

	for (size_t i = 0; i < an->ncomparisons; i++)
		n += an->comparisons[i].estimator == which;
	return n;
}

static void say_df(const struct analysis *an, struct buf *out)
{
	double lo = DBL_MAX, hi = -DBL_MAX;

	for (size_t i = 0; i < an->ncomparisons; i++) {
		double df = an->comparisons[i].effect.df;

		if (!isfinite(df))
			continue;
		lo = fmin(lo, df);
		hi = fmax(hi, df);
	}
	if (lo > hi)
		return;
	if (hi - lo < 0.005)
		buf_printf(out, " df = %.4g.", lo);
	else
		buf_printf(out, " df from %.4g to %.4g.", lo, hi);
}

static void say_estimators(const struct analysis *an, struct buf *out)
{
	size_t blocked = count_estimator(an, COMPARE_BLOCKED);
	size_t unblocked = count_estimator(an, COMPARE_UNBLOCKED);

	if (blocked > 0)
		buf_puts(out, "The arms are paired by round: ratio of means "
			      "over complete rounds, standard error of w = "
			      "b/mean(b) - a/mean(a), Student's t with rounds "
			      "- 1 degrees of freedom.");
	if (blocked > 0 && unblocked > 0)
		buf_printf(out, " Of %zu comparisons, %zu cannot be paired:",
			   an->ncomparisons, unblocked);
	if (unblocked > 0)
		buf_puts(out, blocked > 0 ? " the" : "The");
	if (unblocked > 0)
		buf_puts(out, " arms are taken as independent: ratio of means, "
			      "delta method on the log scale, Satterthwaite's "
			      "degrees of freedom; Welch's test is of the raw "
			      "difference.");
	say_df(an, out);
}

// Randomised complete blocks against none (rcbd.h), by comparison.
static void say_rel_eff(const struct analysis *an, struct buf *out)
{
	double lo = DBL_MAX, hi = -DBL_MAX;
	char least[16], most[16];

	for (size_t i = 0; i < an->ncomparisons; i++) {
		double saved = an->comparisons[i].rel_eff;

		if (!isfinite(saved))
			continue;
		lo = fmin(lo, saved);
		hi = fmax(hi, saved);
	}
	if (lo > hi)
		return;
	snprintf(least, sizeof least, "%.2gx", lo);
	snprintf(most, sizeof most, "%.2gx", hi);
	buf_puts(out, hi > 1 && strcmp(most, "1x") != 0
			      ? " Rounds saved you "
			      : " Rounds saved nothing: ");
	if (strcmp(least, most) != 0)
		buf_printf(out, "%s to ", least);
	buf_printf(out,
		   "%s the trials (relative efficiency of the block design).",
		   most);
}

static void say_unit(const struct report *r, struct buf *out)
{
	buf_puts(out, r->ds->has_boots ? " The unit is the boot: trials that "
					 "share one are averaged first."
				       : " Each trial is one unit.");
	if (r->ds->hosts.n > 1)
		buf_printf(out,
			   " Hosts are estimated apart and averaged "
			   "without weights (%zu hosts; \"these hosts\" "
			   "unless said).",
			   r->ds->hosts.n);
}

static void say_tests(const struct analysis *an, struct buf *out)
{
	buf_printf(out, " Intervals are %.4g %%, alpha is %.3g",
		   100 * (1 - an->alpha), an->alpha);
	if (an->family > 1)
		buf_printf(out, ", p adjusted by Holm over the family of %zu",
			   an->family);
	if (an->margin > 0)
		buf_printf(out,
			   "; equivalence by two one-sided tests at a "
			   "margin of %.3g %%.",
			   100 * an->margin);
	else
		buf_puts(out, "; no margin was set, so that \"equivalent\" "
			      "cannot be concluded.");
}

static void say_interim(const struct analysis *an, struct buf *out)
{
	if (an->interim)
		buf_puts(out,
			 " Looked at in mid-run, before the planned end: "
			 "intervals and p are anytime-valid (an e-process "
			 "of the rounds' ln(b/a), a normal mixture with c2 "
			 "= 1: Lindon et al. 2022, Wang & Ramdas 2023), so "
			 "that looking often costs no false claims. They "
			 "are wider than those of the planned end.");
}

static void say_secondary(const struct analysis *an, struct buf *out)
{
	if (an->nsecondary > 0)
		buf_puts(out, " What was measured besides is exploratory: q "
			      "is p adjusted by Benjamini and Hochberg.");
}

static void say_baseline(const struct analysis *an, struct buf *out)
{
	buf_puts(out, " Baseline: ");
	for (size_t i = 0; i < an->nbaseline; i++)
		buf_printf(out, "%s%s=%s", i > 0 ? ", " : "",
			   an->baseline[i].factor, an->baseline[i].text);
	if (an->nbaseline == 0)
		buf_puts(out, "all");
	buf_puts(out, an->baseline_given ? "." : " (the first cell).");
}

static void say_order(const struct report *r, struct buf *out)
{
	if (r->order != NULL)
		buf_printf(out, " Order: %s", r->order);
	if (r->has_seed)
		buf_printf(out, ", seed %llu", (unsigned long long)r->seed);
	if (r->rng != NULL && r->has_seed)
		buf_printf(out, " (%s)", r->rng);
	if (r->order != NULL)
		buf_putc(out, '.');
	if (r->plan_id != NULL)
		buf_printf(out, " Plan %.12s.", r->plan_id);
}

void report_methods(const struct report *r, struct buf *out)
{
	const struct analysis *an = r->an;

	if (an->ncomparisons > 0 && r->stopping != NULL) {
		report_stopping_rule(r, out);
		say_unit(r, out);
		say_secondary(an, out);
		say_baseline(an, out);
	} else if (an->ncomparisons > 0) {
		say_estimators(an, out);
		say_rel_eff(an, out);
		say_unit(r, out);
		say_tests(an, out);
		say_interim(an, out);
		say_secondary(an, out);
		say_baseline(an, out);
	} else {
		buf_printf(out, "Student's t interval of the mean, %.4g %%.",
			   100 * (1 - an->alpha));
	}
	buf_printf(out,
		   " Intervals of medians are by order statistics and need %zu "
		   "figures.",
		   interval_quantile_needs(0.5, 1 - an->alpha));
	say_order(r, out);
}
