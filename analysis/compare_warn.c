// What must be said about the figures: one table of conditions per comparison
// and one per cell, each row a sentence.
#include "analysis/compare_parts.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/words.h"
#include "runner/base/alloc.h"
#include "runner/base/buf.h"

enum {
	WARNINGS_MAX = 200, // a reader stops long before
};

static void push(struct analysis *an, const struct buf *text)
{
	if (an->nwarnings == WARNINGS_MAX)
		return;
	arena_push(an->arena, &an->warnings, &an->nwarnings, &an->warnings_cap,
		   sizeof *an->warnings);
	an->warnings[an->nwarnings - 1] =
		an->nwarnings == WARNINGS_MAX
			? "there are more warnings than can be listed"
			: arena_strdup(an->arena, buf_str(text));
}

// --- one comparison; `say` appends a sentence or nothing ---

typedef void say_pair(const struct analysis *an,
		      const struct analysis_comparison *c, struct buf *out);

static void say_short(const struct analysis *an,
		      const struct analysis_comparison *c, struct buf *out)
{
	(void)an;
	if (c->verdict.reason == VERDICT_INSUFFICIENT_DATA)
		buf_printf(out, "n = %zu and %zu: no interval", c->n,
			   c->n_baseline);
	else if (c->verdict.reason == VERDICT_NO_DATA)
		buf_puts(out, c->estimator == COMPARE_BLOCKED
				      ? "no round has a figure of both arms"
				      : "an arm has no figure");
}

static void say_zero_variance(const struct analysis *an,
			      const struct analysis_comparison *c,
			      struct buf *out)
{
	(void)an;
	if (c->verdict.reason == VERDICT_ZERO_VARIANCE)
		buf_puts(out, "zero variance: all figures of an arm are equal "
			      "in both arms, so the resolution hides the "
			      "noise and no test is possible");
}

static void say_no_ratio(const struct analysis *an,
			 const struct analysis_comparison *c, struct buf *out)
{
	bool blocked = c->estimator == COMPARE_BLOCKED;
	double diff = blocked ? c->diff.diff : c->welch.diff;
	double lo = blocked ? c->diff.lo : c->welch.lo;
	double hi = blocked ? c->diff.hi : c->welch.hi;

	(void)an;
	if (c->verdict.reason != VERDICT_UNDEFINED_RATIO)
		return;
	buf_puts(out, "a mean is not above 0, so there is no ratio");
	if (!isfinite(diff))
		return;
	buf_puts(out, "; the difference is ");
	words_figure(diff, out);
	buf_puts(out, " [");
	words_figure(lo, out);
	buf_puts(out, ", ");
	words_figure(hi, out);
	buf_putc(out, ']');
}

static void say_order(const struct analysis *an,
		      const struct analysis_comparison *c, struct buf *out)
{
	if (!c->order_confounded)
		return;
	buf_printf(out,
		   "the arms ran one after the other (a trial of the baseline "
		   "ran before one of this with probability %.2f): the effect "
		   "cannot be told from drift%s",
		   c->auc,
		   an->accepted_confounded ? "; accepted by --accept-confounded"
					   : "");
}

static void say_boot(const struct analysis *an,
		     const struct analysis_comparison *c, struct buf *out)
{
	if (c->boot_confounded)
		buf_printf(out,
			   "one boot served all trials of an arm: the effect "
			   "cannot be told from the luck of that boot%s",
			   an->accepted_confounded
				   ? "; accepted by --accept-confounded"
				   : "");
}

static void say_failures(const struct analysis *an,
			 const struct analysis_comparison *c, struct buf *out)
{
	(void)an;
	if (!c->failures.differ && !c->failures.too_many)
		return;
	if (c->failures.too_many)
		buf_printf(out, "%.0f %% of an arm's trials gave no figure",
			   100 * c->failures.worst);
	else
		buf_puts(out, "the arms differ in failures");
	buf_puts(out, " (Fisher's exact p ");
	words_p(c->failures.p, out);
	buf_puts(out, "): the survivors are not the population");
}

static void say_hosts(const struct analysis *an,
		      const struct analysis_comparison *c, struct buf *out)
{
	if (c->opposed) {
		buf_puts(out, "hosts have significant effects of opposite "
			      "signs: read them one by one");
	} else if (c->population.p_q < an->alpha) {
		buf_puts(out, "hosts differ by more than their own noise (Q "
			      "test p ");
		words_p(c->population.p_q, out);
		buf_puts(out, "): read them one by one");
	}
}

static void say_method(const struct analysis *an,
		       const struct analysis_comparison *c, struct buf *out)
{
	(void)an;
	if (c->method_dependent)
		buf_puts(out, "the t test and the exact sign-flip test "
			      "disagree, and there are outliers or two modes");
}

static void say_design(const struct analysis *an,
		       const struct analysis_comparison *c, struct buf *out)
{
	static const char *const why[] = {
		[COMPARE_SEQUENTIAL] = "the order was sequential: rounds do "
				       "not pair the arms",
		[COMPARE_BOOTS_SPAN_BLOCKS] =
			"a boot served several rounds: boots, not rounds, are "
			"compared",
		[COMPARE_NO_SHARED_BLOCK] = "no round has both arms: they are "
					    "compared as independent",
		[COMPARE_NO_BLOCKS] = NULL,
		[COMPARE_HAS_BLOCKS] = NULL,
	};

	(void)an;
	if (why[c->why] != NULL)
		buf_puts(out, why[c->why]);
}

static void say_dropped(const struct analysis *an,
			const struct analysis_comparison *c, struct buf *out)
{
	(void)an;
	if (c->dropped == 0)
		return;
	words_count(c->dropped, "round", out);
	buf_printf(out, " without a figure of both arms %s left out",
		   c->dropped == 1 ? "was" : "were");
}

static void say_family(const struct analysis *an,
		       const struct analysis_comparison *c, struct buf *out)
{
	if (!c->verdict.lost_to_family)
		return;
	buf_puts(out, "p ");
	words_p(c->effect.p, out);
	buf_puts(out, " alone, Holm ");
	words_p(c->p_holm, out);
	buf_printf(out, " in the family of %zu", an->family);
}

static void say_fragile(const struct analysis *an,
			const struct analysis_comparison *c, struct buf *out)
{
	(void)an;
	if (c->fragility.fragile)
		buf_printf(out,
			   "fragile: leaving out a single %s would make it "
			   "%ssignificant",
			   c->estimator == COMPARE_BLOCKED ? "round" : "trial",
			   c->fragility.significant ? "in" : "");
}

static void say_autocorrelated(const struct analysis *an,
			       const struct analysis_comparison *c,
			       struct buf *out)
{
	(void)an;
	if (c->autocorrelated)
		buf_puts(out, "successive rounds are alike (von Neumann p < "
			      ".01): the interval counts fewer of them");
}

static void say_slot(const struct analysis *an,
		     const struct analysis_comparison *c, struct buf *out)
{
	(void)an;
	if (!(c->slot.p < 0.01))
		return;
	buf_puts(out, "the effect depends on which arm runs first in a round "
		      "(p ");
	words_p(c->slot.p, out);
	buf_puts(out, "): carry-over?");
}

static void say_warmup(const struct analysis *an,
		       const struct analysis_comparison *c, struct buf *out)
{
	(void)an;
	if (fabs(c->warmup) > 3)
		buf_printf(out,
			   "the first round stands out (studentised residual "
			   "%.1f): plan a warm-up; it is not dropped "
			   "afterwards",
			   c->warmup);
}

static void say_doubtful(const struct analysis *an,
			 const struct analysis_comparison *c, struct buf *out)
{
	(void)an;
	if (c->ratio_doubtful)
		buf_puts(out, "the baseline's mean is known to worse than "
			      "10 %: a ratio to it is doubtful");
}

static say_pair *const of_pairs[] = {
	say_short,   say_zero_variance, say_no_ratio, say_order,
	say_boot,    say_failures,	say_hosts,    say_method,
	say_design,  say_dropped,	say_family,   say_autocorrelated,
	say_fragile, say_slot,		say_warmup,   say_doubtful,
};

static void warn_pair(struct analysis *an, const struct analysis_comparison *c)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	CLEANUP(buf_deinit) struct buf said = BUF_INIT;

	for (size_t i = 0; i < ARRAY_LEN(of_pairs); i++) {
		buf_clear(&said);
		of_pairs[i](an, c, &said);
		if (said.len == 0)
			continue;
		buf_clear(&text);
		words_comparison(an, c, &text);
		buf_printf(&text, ": %s", buf_str(&said));
		push(an, &text);
	}
}

// --- one cell on one host ---

typedef void say_cell(const struct analysis_cell *c, struct buf *out);

static void say_outliers(const struct analysis_cell *c, struct buf *out)
{
	if (!diagnose_outliers_warn(&c->outliers))
		return;
	words_count(c->outliers.mild + c->outliers.severe, "outlier", out);
	buf_printf(out,
		   " of %zu by Tukey's fences (modified z up to %.1f); "
		   "none is left out",
		   c->units, c->outliers.modz_max);
}

static void say_clusters(const struct analysis_cell *c, struct buf *out)
{
	if (c->clusters.warn)
		buf_printf(out,
			   "two modes %.1f %% apart: more rounds average them, "
			   "they do not explain them",
			   100 * c->clusters.apart);
}

static void say_drift(const struct analysis_cell *c, struct buf *out)
{
	if (!(c->trend.p < 0.01) && !(c->trend.slope_p < 0.01))
		return;
	buf_puts(out, "drifts by ");
	words_pct(c->trend.drift_pct, out);
	buf_puts(out, " over the run");
}

static void say_alike(const struct analysis_cell *c, struct buf *out)
{
	if (c->autocorrelated)
		buf_puts(out, "successive figures are alike (von Neumann p < "
			      ".05): its own interval counts fewer of them");
}

static void say_quantised(const struct analysis_cell *c, struct buf *out)
{
	if (c->quantised && c->d.sd > 0)
		buf_puts(out, "its spread is below the resolution of the "
			      "figures");
}

static say_cell *const of_cells[] = {
	say_outliers, say_clusters, say_drift, say_alike, say_quantised,
};

static void warn_cell(struct analysis *an, const struct analysis_cell *c)
{
	const struct dataset *ds = an->ds;
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	CLEANUP(buf_deinit) struct buf said = BUF_INIT;

	for (size_t i = 0; i < ARRAY_LEN(of_cells); i++) {
		buf_clear(&said);
		of_cells[i](c, &said);
		if (said.len == 0)
			continue;
		buf_clear(&text);
		if (an->nmetrics > 1)
			buf_printf(&text, "%s, ", ds->metrics[c->metric].name);
		buf_puts(&text, ds->cells[c->cell].label);
		if (c->host != DATASET_NONE)
			buf_printf(&text, " on %s",
				   intern_name(&ds->hosts, c->host));
		buf_printf(&text, ": %s", buf_str(&said));
		push(an, &text);
	}
}

// --- the data as a whole ---

static void warn_order(struct analysis *an)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	if (an->ds->has_order || an->ncomparisons == 0)
		return;
	buf_puts(&text, "the order of execution was not recorded: drift "
			"between the arms cannot be told from the effect");
	push(an, &text);
}

static void warn_mixed(struct analysis *an)
{
	for (size_t m = 0; m < an->nmetrics; m++) {
		const struct dataset_metric *dm =
			&an->ds->metrics[an->metrics[m]];
		CLEANUP(buf_deinit) struct buf text = BUF_INIT;

		if (!dm->mixed)
			continue;
		buf_printf(&text,
			   "%s comes in several units or directions; all are "
			   "taken as \"%s\", %s",
			   dm->name, dm->unit, better_name(dm->better));
		push(an, &text);
	}
}

static void warn_unpaired_cells(struct analysis *an)
{
	CLEANUP(cleanup_free)
	bool *used = xcalloc(an->ds->ncells, sizeof *used);

	for (size_t i = 0; i < an->ncomparisons; i++) {
		used[an->comparisons[i].cell] = true;
		used[an->comparisons[i].baseline] = true;
	}
	for (size_t c = 0; an->ncomparisons > 0 && c < an->ds->ncells; c++) {
		CLEANUP(buf_deinit) struct buf text = BUF_INIT;

		if (used[c])
			continue;
		buf_printf(&text, "%s: nothing to compare it with",
			   an->ds->cells[c].label);
		push(an, &text);
	}
}

static void warn_records(struct analysis *an)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	if (an->ds->nrepeated > 0) {
		words_count(an->ds->nrepeated, "record", &text);
		buf_puts(&text, " of an attempt that was there already, left "
				"out");
		push(an, &text);
	}
	for (size_t i = 0; i < an->ds->nnotes; i++) {
		buf_clear(&text);
		words_count(an->ds->notes[i].trials, "trial", &text);
		buf_printf(&text, ": %s", an->ds->notes[i].text);
		push(an, &text);
	}
}

void compare_warn(const struct compare_ctx *cx)
{
	struct analysis *an = cx->an;
	bool by_host = an->nhost_cells > 0;
	size_t n = by_host ? an->nhost_cells : an->ncells;

	for (size_t i = 0; i < an->ncomparisons; i++)
		warn_pair(an, &an->comparisons[i]);
	for (size_t i = 0; i < n; i++)
		warn_cell(an, by_host ? &an->host_cells[i] : &an->cells[i]);
	warn_order(an);
	warn_mixed(an);
	warn_unpaired_cells(an);
	warn_records(an);
}
