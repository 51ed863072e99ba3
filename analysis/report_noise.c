// What a report says of a baseline that was compared with itself.
#include "analysis/report_parts.h"

#include <math.h>

#include "analysis/noise.h"
#include "analysis/power.h"
#include "analysis/words.h"

static void say_contradictions(const struct analysis *an, struct buf *out)
{
	size_t said = 0;

	for (size_t i = 0; i < an->ncomparisons; i++) {
		const struct analysis_comparison *c = &an->comparisons[i];

		if (!noise_is_contradiction(c))
			continue;
		buf_puts(out, said++ > 0 ? "; " : " ");
		buf_puts(out, an->ds->metrics[c->metric].name);
		if (!isnan(c->effect.pct)) {
			buf_putc(out, ' ');
			words_pct(c->effect.pct, out);
			buf_putc(out, ' ');
			words_interval(c->effect.lo_pct, c->effect.hi_pct, out);
		}
		buf_puts(out, ", ");
		words_verdict(an, c, out);
	}
}

static void say_floors(const struct analysis *an, struct buf *out)
{
	for (size_t i = 0; i < an->ncomparisons; i++) {
		const struct analysis_comparison *c = &an->comparisons[i];
		struct noise_floor f = noise_floor_of(an, c);

		buf_printf(out, "%s%s ", i > 0 ? "; " : " ",
			   an->ds->metrics[c->metric].name);
		words_pct(c->effect.pct, out);
		buf_putc(out, ' ');
		words_interval(c->effect.lo_pct, c->effect.hi_pct, out);
		buf_printf(out, ", so that ");
		words_count(c->n, "round", out);
		buf_puts(out, " detect ");
		words_size(100 * f.mde, out);
		buf_puts(out, " and more");
	}
}

void report_noise_answer(const struct report *r, struct buf *out)
{
	const struct analysis *an = r->an;

	switch (noise_trust(an)) {
	case NOISE_DISTRUSTED:
		buf_puts(out, "Not to be trusted as it is: the baseline "
			      "against itself gives");
		if (an->ncomparisons == 0)
			buf_puts(out, " no comparison");
		say_contradictions(an, out);
		buf_puts(out, ". One in twenty sound setups does so by "
			      "chance: run it again; if it stays, find the "
			      "cause before anything is compared.");
		return;
	case NOISE_WARNED:
		buf_puts(out, "Usable, with the warnings below: the baseline "
			      "does not differ detectably from itself;");
		break;
	case NOISE_TRUSTED:
		buf_puts(out, "The setup can be trusted: the baseline does "
			      "not differ detectably from itself;");
		break;
	}
	say_floors(an, out);
	buf_putc(out, '.');
}

static void add_pct(struct report_table *t, double pct)
{
	report_table_add(t, isfinite(pct)
				    ? arena_printf(t->arena, "%.3g %%", pct)
				    : "-");
}

void report_table_noise(const struct report *r, struct report_table *t)
{
	static const struct report_column columns[] = {
		{ "metric", false },	   { "rounds", true },
		{ "CV of a trial", true }, { "SD of a round", true },
		{ "half interval", true }, { "detects at 80 %", true },
	};
	const struct analysis *an = r->an;

	report_table_init(t, t->arena, columns, ARRAY_LEN(columns));
	for (size_t i = 0; r->aa && i < an->ncomparisons; i++) {
		const struct analysis_comparison *c = &an->comparisons[i];
		struct noise_floor f = noise_floor_of(an, c);

		report_table_add(t, an->ds->metrics[f.metric].name);
		report_table_add(t, arena_printf(t->arena, "%zu", c->n));
		add_pct(t, 100 * f.cv);
		add_pct(t, 100 * f.sd_round);
		add_pct(t, f.half_pct);
		add_pct(t, 100 * f.mde);
	}
}

struct js *report_noise_js(const struct report *r)
{
	static const char *const names[] = {
		[NOISE_TRUSTED] = "trusted",
		[NOISE_WARNED] = "warned",
		[NOISE_DISTRUSTED] = "distrusted",
	};
	const struct analysis *an = r->an;
	struct js *j = js_object(), *list = js_array();

	js_set_str(j, "trust", names[noise_trust(an)]);
	for (size_t i = 0; i < an->ncomparisons; i++) {
		struct noise_floor f = noise_floor_of(an, &an->comparisons[i]);
		struct js *one = js_object();

		js_set_str(one, "metric", an->ds->metrics[f.metric].name);
		js_set_real(one, "cv", f.cv);
		js_set_real(one, "sd_round", f.sd_round);
		js_set_real(one, "half_pct", f.half_pct);
		js_set_real(one, "mde", f.mde);
		js_append(list, one);
	}
	js_set(j, "floors", list);
	return j;
}
