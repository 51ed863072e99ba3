// What must be said about the comparisons and the data as a whole: a table of
// conditions, each row a sentence.
#include "analysis/compare_parts.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/words.h"
#include "runner/base/alloc.h"
#include "runner/base/buf.h"

enum {
	WARNINGS_MAX = 200, // a reader stops long before
};

void compare_push_warning(struct analysis *an, const struct buf *text)
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
		buf_printf(out, "n = %zu: no interval",
			   MIN(c->n, c->n_baseline));
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
			      "noise and no test is possible; if the metric "
			      "has no noise, declare it exact");
}

static void say_not_exact(const struct analysis *an,
			  const struct analysis_comparison *c, struct buf *out)
{
	if (an->ds->metrics[c->metric].exact && c->effect.se > 0)
		buf_puts(out, "declared exact, yet its figures vary: it is "
			      "judged like any other metric");
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
	if (!c->failures.differ && !c->failures.too_many)
		return;
	buf_printf(out,
		   "%.0f %% of its trials gave no figure, %.0f %% of those of ",
		   100 * c->failures.share_b, 100 * c->failures.share_a);
	words_baseline(an, c, out);
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

static void say_exact(const struct analysis *an,
		      const struct analysis_comparison *c, struct buf *out)
{
	bool blocked = c->estimator == COMPARE_BLOCKED;

	if (!(c->effect.se > 0) || !(c->p_exact_min > an->alpha))
		return;
	buf_printf(out,
		   "so few %s that the exact %s test cannot reach %.3g (its "
		   "least p is ",
		   blocked ? "rounds" : "trials",
		   blocked ? "sign-flip" : "rank", an->alpha);
	words_p(c->p_exact_min, out);
	buf_puts(out, "): a claim would rest on normal noise");
}

static void say_doubtful(const struct analysis *an,
			 const struct analysis_comparison *c, struct buf *out)
{
	bool unbounded = c->estimator == COMPARE_UNBLOCKED &&
			 isfinite(c->fieller.df) && !c->fieller.bounded;

	(void)an;
	if (c->ratio_doubtful)
		buf_puts(out, "the baseline's mean is known to worse than "
			      "10 %: a ratio to it is doubtful");
	else if (unbounded)
		buf_puts(out, "Fieller's interval has no bounds: the "
			      "baseline's mean could be 0 for all that its "
			      "figures say, and a ratio to it is doubtful");
}

static say_pair *const of_pairs[] = {
	say_short,	    say_zero_variance, say_not_exact,	  say_no_ratio,
	say_order,	    say_boot,	       say_failures,	  say_hosts,
	say_method,	    say_design,	       say_dropped,	  say_family,
	say_autocorrelated, say_fragile,       say_slot,	  say_warmup,
	say_exact,	    say_doubtful,      compare_say_facts,
};

static void warn_one(struct analysis *an, const struct analysis_comparison *c,
		     const char *said)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	words_comparison(an, c, &text);
	buf_printf(&text, ": %s", said);
	compare_push_warning(an, &text);
}

static void warn_alike(struct analysis *an, size_t n, const char *said)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	buf_printf(&text, "%zu comparisons: %s", n, said);
	compare_push_warning(an, &text);
}

// What one rule says of each comparison, by comparison.
static uint32_t *collect(const struct analysis *an, say_pair *say,
			 struct intern *sentences)
{
	uint32_t *ids = xcalloc(an->ncomparisons, sizeof *ids);
	CLEANUP(buf_deinit) struct buf said = BUF_INIT;

	for (size_t i = 0; i < an->ncomparisons; i++) {
		buf_clear(&said);
		say(an, &an->comparisons[i], &said);
		ids[i] = said.len == 0 ? INTERN_NONE
				       : intern_id(sentences, buf_str(&said),
						   said.len);
	}
	return ids;
}

// The same sentence of many comparisons is said once.
static void warn_pairs(struct analysis *an, say_pair *say)
{
	CLEANUP(intern_deinit) struct intern sentences = { 0 };
	CLEANUP(cleanup_free) uint32_t *ids = NULL;
	CLEANUP(cleanup_free) size_t *count = NULL;

	intern_init(&sentences);
	ids = collect(an, say, &sentences);
	count = xcalloc(sentences.n, sizeof *count);
	for (size_t i = 0; i < an->ncomparisons; i++)
		if (ids[i] != INTERN_NONE)
			count[ids[i]]++;
	for (size_t i = 0; i < an->ncomparisons; i++) {
		const char *said;

		if (ids[i] == INTERN_NONE || count[ids[i]] == 0)
			continue;
		said = intern_name(&sentences, ids[i]);
		if (count[ids[i]] <= COMPARE_ALIKE_MAX) {
			warn_one(an, &an->comparisons[i], said);
			continue;
		}
		warn_alike(an, count[ids[i]], said);
		count[ids[i]] = 0; // said
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
	compare_push_warning(an, &text);
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
		compare_push_warning(an, &text);
	}
}

static void warn_records(struct analysis *an)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	if (an->ds->nrepeated > 0) {
		words_count(an->ds->nrepeated, "record", &text);
		buf_puts(&text, " of an attempt that was there already, left "
				"out");
		compare_push_warning(an, &text);
	}
	for (size_t i = 0; i < an->ds->nnotes; i++) {
		buf_clear(&text);
		words_count(an->ds->notes[i].trials, "trial", &text);
		buf_printf(&text, ": %s", an->ds->notes[i].text);
		compare_push_warning(an, &text);
	}
}

void compare_warn(const struct compare_ctx *cx)
{
	struct analysis *an = cx->an;

	for (size_t i = 0; i < ARRAY_LEN(of_pairs); i++)
		warn_pairs(an, of_pairs[i]);
	compare_warn_cells(an);
	warn_order(an);
	warn_unpaired_cells(an);
	warn_records(an);
}
