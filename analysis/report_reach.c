// What an undecided comparison says of its noise: how small a difference it
// could have seen, and what the margin would take.
#include "analysis/report_parts.h"

#include <math.h>

#include "analysis/power.h"
#include "analysis/reach.h"
#include "analysis/words.h"

static bool is_open(const struct analysis_comparison *c)
{
	return c->verdict.reason == VERDICT_UNDECIDED && c->effect.se > 0;
}

static void say_needed(const struct analysis_comparison *c,
		       const struct reach *r, struct buf *out)
{
	const char *unit = c->estimator == COMPARE_BLOCKED
				   ? "rounds"
				   : "trials in each arm";

	buf_printf(out, "; %.3g %% ", 100 * r->goal);
	if (r->needed == 0) {
		buf_puts(out, "is out of reach");
		return;
	}
	buf_printf(out, "would take about %zu %s", r->needed, unit);
	if (c->nhosts > 1)
		buf_puts(out, " on each host");
	if (r->needed_upper > r->needed)
		buf_printf(out,
			   ", or %zu should the noise have been small by luck",
			   r->needed_upper);
}

static void say_one(const struct analysis *an,
		    const struct analysis_comparison *c, struct buf *out)
{
	struct reach r = reach_of(an, c);

	if (an->ncomparisons > 1) {
		words_comparison(an, c, out);
		buf_puts(out, ": with");
	} else {
		buf_puts(out, "With");
	}
	buf_puts(out, " this noise ");
	if (c->estimator == COMPARE_BLOCKED)
		words_count(c->n, "round", out);
	else
		buf_printf(out, "%zu and %zu trials", c->n_baseline, c->n);
	if (c->nhosts > 1)
		buf_printf(out, " on %zu hosts", c->nhosts);
	buf_puts(out, " detect a difference of ");
	words_size(100 * r.mde, out);
	buf_printf(out, " (%.0f %% power)", 100 * POWER_TARGET);
	say_needed(c, &r, out);
	buf_putc(out, '.');
}

static bool has_own_figures(const struct report *r)
{
	return r->aa || r->stopping != NULL;
}

size_t report_reach(const struct report *r, struct arena *a,
		    const char *out[REPORT_REACH_MAX])
{
	const struct analysis *an = r->an;
	size_t n = 0;

	for (size_t i = 0; i < an->ncomparisons && !has_own_figures(r); i++) {
		CLEANUP(buf_deinit) struct buf text = BUF_INIT;

		if (!is_open(&an->comparisons[i]) || n == REPORT_REACH_MAX)
			continue;
		say_one(an, &an->comparisons[i], &text);
		out[n++] = report_clean(a, buf_str(&text));
	}
	return n;
}

static struct js *size_js(size_t n)
{
	return n > 0 ? js_int((int64_t)n) : js_null();
}

void report_reach_js(const struct report *r,
		     const struct analysis_comparison *c, struct js *j)
{
	bool blocked = c->estimator == COMPARE_BLOCKED;
	struct reach reach = reach_of(r->an, c);

	js_set_real(j, "mde_pct", 100 * reach.mde);
	js_set_real(j, "goal_pct", 100 * reach.goal);
	js_set(j, blocked ? "rounds_needed" : "trials_needed",
	       size_js(reach.needed));
	js_set(j, blocked ? "rounds_needed_upper" : "trials_needed_upper",
	       size_js(reach.needed_upper));
}
