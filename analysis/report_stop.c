// What a report says of the stopping rule.
#include "analysis/report_parts.h"

#include <math.h>

#include "analysis/words.h"

static double level_pct(const struct stopping_rule *r)
{
	return 100 * (1 - r->alpha / (double)r->family);
}

static void say_answers(const struct stopping_rule *r, struct buf *out)
{
	buf_puts(out, " A comparison is decided when it differs");
	if (r->margin > 0)
		buf_printf(out, ", when it is equivalent within %.3g %%",
			   100 * r->margin);
	if (r->half_width > 0)
		buf_printf(out,
			   ", when its interval is at most %.3g %% to either "
			   "side",
			   100 * expm1(r->half_width));
	buf_printf(out,
		   ", or after %zu rounds; the campaign stops when every "
		   "comparison is decided.",
		   r->max_rounds);
}

void report_stopping_rule(const struct report *r, struct buf *out)
{
	const struct stopping_rule *rule = &r->stopping->rule;

	buf_printf(out,
		   "The number of rounds was not fixed: a look after every "
		   "round that is complete on all hosts, from %zu to %zu, by "
		   "Student's t of the rounds' ln(b/a) against boundaries "
		   "that spend alpha = %.3g as the square of the rounds "
		   "(Kim & DeMets 1987), calibrated by simulation",
		   rule->min_rounds, rule->max_rounds, rule->alpha);
	if (rule->family > 1)
		buf_printf(out, "; alpha / %zu for each of the comparisons",
			   rule->family);
	buf_putc(out, '.');
	say_answers(rule, out);
	buf_puts(out, " Intervals are repeated confidence intervals, L +- c_k "
		      "se, which hold at every look (Jennison & Turnbull "
		      "1989); there is no p. An estimate at an early stop is "
		      "biased outwards: go by the interval.");
}

static size_t count_decided(const struct stopping *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->comparisons[i].action != SEQUENTIAL_CONTINUE;
	return n;
}

static void say_state(const struct stopping *s, struct buf *out)
{
	if (s->stopped && s->at < s->rule.max_rounds)
		buf_printf(out,
			   "Stopped early by its rule, after round %zu of at "
			   "most %zu: every comparison is decided.",
			   s->at, s->rule.max_rounds);
	else if (s->stopped)
		buf_printf(out, "Ran to the last of %zu rounds.",
			   s->rule.max_rounds);
	else
		buf_printf(out,
			   "Not stopped by its rule: %zu of %zu comparisons "
			   "are decided after %zu complete rounds of at most "
			   "%zu.",
			   count_decided(s), s->n, s->rounds,
			   s->rule.max_rounds);
}

static void say_comparison(const struct report *r, size_t i, struct buf *out)
{
	const struct stopping_comparison *c = &r->stopping->comparisons[i];
	struct sequential_interval ci = sequential_interval(&c->look);

	buf_putc(out, ' ');
	words_comparison(r->an, &r->an->comparisons[i], out);
	buf_printf(out, ": %s", stopping_action_text(c->action));
	if (c->look.n == 0) {
		buf_puts(out, ", no look yet.");
		return;
	}
	buf_printf(out, " at round %zu", c->round);
	if (c->look.se > 0) {
		buf_printf(out, ", repeated %.4g %% interval ",
			   level_pct(&r->stopping->rule));
		words_interval(ci.lo_pct, ci.hi_pct, out);
		buf_printf(out, " (c = %.3g%s)", c->look.crit,
			   c->autocorrelated ? ", rounds autocorrelated: "
					       "wider for it"
					     : "");
	}
	buf_putc(out, '.');
}

void report_stopping(const struct report *r, struct buf *out)
{
	const struct stopping *s = r->stopping;

	say_state(s, out);
	for (size_t i = 0; i < s->n; i++)
		say_comparison(r, i, out);
}

static struct js *comparison_js(const struct report *r, size_t i)
{
	const struct stopping_comparison *c = &r->stopping->comparisons[i];
	struct sequential_interval ci = sequential_interval(&c->look);
	struct js *j = js_object();

	js_set_str(j, "cell", r->ds->cells[c->cell].label);
	js_set_str(j, "baseline", r->ds->cells[c->baseline].label);
	js_set_str(j, "metric", r->ds->metrics[c->metric].name);
	js_set_str(j, "answer", stopping_action_text(c->action));
	js_set_bool(j, "decided", c->action != SEQUENTIAL_CONTINUE);
	if (c->look.n == 0)
		return j;
	js_set_int(j, "round", (int64_t)c->round);
	js_set_int(j, "n", (int64_t)c->look.n);
	js_set_real(j, "log_ratio", c->look.mean);
	js_set_real(j, "se_log", c->look.se);
	js_set_real(j, "crit", c->look.crit);
	js_set_real(j, "crit_equivalent", c->look.crit_eq);
	js_set_bool(j, "autocorrelated", c->autocorrelated);
	js_set_real(j, "lo_pct", ci.lo_pct);
	js_set_real(j, "hi_pct", ci.hi_pct);
	return j;
}

struct js *report_stopping_js(const struct report *r)
{
	const struct stopping *s = r->stopping;
	struct js *j = js_object(), *list = js_array();

	js_set_bool(j, "stopped", s->stopped);
	js_set_bool(j, "early", s->stopped && s->at < s->rule.max_rounds);
	js_set_int(j, "rounds", (int64_t)s->rounds);
	js_set_int(j, "at", (int64_t)s->at);
	js_set_int(j, "min_rounds", (int64_t)s->rule.min_rounds);
	js_set_int(j, "max_rounds", (int64_t)s->rule.max_rounds);
	js_set_real(j, "alpha", s->rule.alpha);
	js_set_int(j, "family", (int64_t)s->rule.family);
	js_set_real(j, "margin", s->rule.margin);
	js_set_real(j, "half_width_log", s->rule.half_width);
	for (size_t i = 0; i < s->n; i++)
		js_append(list, comparison_js(r, i));
	js_set(j, "comparisons", list);
	return j;
}
