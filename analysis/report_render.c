// The sections of a report in their order, for renderers of text.
#include "analysis/report_parts.h"

#include "analysis/words.h"

// On a screen this would hide what matters.
static void no_rows(const struct report *r, struct report_table *t)
{
	(void)r;
	(void)t;
}

struct section {
	const char *heading;
	void (*fill)(const struct report *r, struct report_table *t);
	void (*brief)(const struct report *r, struct report_table *t); // NULL:
								       // fill
};

static const struct section results[] = {
	{ "Noise floor", report_table_noise, NULL },
	{ "Cells", report_table_cells, NULL },
	{ "Comparisons", report_table_comparisons, NULL },
	{ "Hosts", report_table_hosts, NULL },
};

static const struct section besides[] = {
	{ REPORT_SECONDARY, report_table_secondary,
	  report_table_secondary_brief },
	{ "Latency percentiles", report_table_latency, no_rows },
};

static const struct section facts[] = {
	{ "Environment", report_table_environment, report_table_setup },
	{ "Treatment checks", report_table_checks, NULL },
	{ "Failures", report_table_failures, NULL },
};

struct pen {
	const struct report *r;
	const struct report_renderer *to;
	struct buf *out;
	struct arena *arena;
};

static void render_tables(const struct pen *p, const struct section *sections,
			  size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct section *s = &sections[i];
		struct report_table t;

		report_table_init(&t, p->arena, NULL, 0);
		if (p->to->brief && s->brief != NULL)
			s->brief(p->r, &t);
		else
			s->fill(p->r, &t);
		if (t.ntext == 0)
			continue;
		t.title = s->heading;
		p->to->heading(p->out, p->r, s->heading);
		p->to->table(p->out, p->r, &t);
	}
}

// Levels that every cell has are said once, not in every row.
static void constant_levels(const struct pen *p)
{
	CLEANUP(buf_deinit) struct buf levels = BUF_INIT;

	words_constant(p->r->an, &levels);
	if (levels.len == 0)
		return;
	buf_putc(p->out, '\n');
	p->to->paragraph(p->out, p->r,
			 arena_printf(p->arena, "In every cell: %s.",
				      report_clean(p->arena, levels.data)));
}

static void list(const struct pen *p, bool begins)
{
	if (p->to->list != NULL)
		p->to->list(p->out, begins);
}

static void reach(const struct pen *p)
{
	const char *text[REPORT_REACH_MAX];
	size_t n = report_reach(p->r, p->arena, text);

	if (n == 0)
		return;
	buf_putc(p->out, '\n');
	if (p->r->an->ncomparisons == 1) {
		p->to->paragraph(p->out, p->r, text[0]);
		return;
	}
	list(p, true);
	for (size_t i = 0; i < n; i++)
		p->to->item(p->out, p->r, text[i]);
	list(p, false);
}

static void paragraph(const struct pen *p, const char *heading,
		      void (*say)(const struct report *r, struct buf *out))
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	say(p->r, &text);
	p->to->heading(p->out, p->r, heading);
	p->to->paragraph(p->out, p->r, report_clean(p->arena, buf_str(&text)));
}

static void answer(const struct pen *p)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	report_answer(p->r, &text);
	p->to->heading(p->out, p->r, "Answer");
	p->to->answer(p->out, p->r, report_clean(p->arena, buf_str(&text)));
}

static void origin(const struct pen *p)
{
	const struct report *r = p->r;
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	report_counts(r, &text);
	if (r->source != NULL)
		buf_printf(&text, " Source: %s.", r->source);
	if (r->started != NULL)
		buf_printf(&text, " Started %s", r->started);
	if (r->started != NULL && r->finished != NULL)
		buf_printf(&text, ", finished %s", r->finished);
	if (r->started != NULL)
		buf_putc(&text, '.');
	if (r->stopped != NULL)
		buf_printf(&text, " %s", r->stopped);
	p->to->heading(p->out, r, "Data");
	p->to->paragraph(p->out, r, report_clean(p->arena, buf_str(&text)));
}

static void warnings(const struct pen *p)
{
	const struct analysis *an = p->r->an;

	if (an->nwarnings + p->r->nnotes == 0)
		return;
	p->to->heading(p->out, p->r, "Warnings");
	list(p, true);
	for (size_t i = 0; i < an->nwarnings; i++)
		p->to->item(p->out, p->r,
			    report_clean(p->arena, an->warnings[i]));
	for (size_t i = 0; i < p->r->nnotes; i++)
		p->to->item(p->out, p->r,
			    report_clean(p->arena, p->r->notes[i]));
	list(p, false);
}

void report_render(const struct report *r, const struct report_renderer *to,
		   struct buf *out)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct pen p = { r, to, out, a };

	if (r->name != NULL && to->title != NULL)
		to->title(out, r, report_clean(a, r->name));
	paragraph(&p, "Question", report_question);
	answer(&p);
	render_tables(&p, results, ARRAY_LEN(results));
	constant_levels(&p);
	reach(&p);
	if (to->figures != NULL)
		to->figures(out, r);
	render_tables(&p, besides, ARRAY_LEN(besides));
	warnings(&p);
	if (r->stopping != NULL)
		paragraph(&p, "Stopping", report_stopping);
	paragraph(&p, "Methods", report_methods);
	origin(&p);
	render_tables(&p, facts, ARRAY_LEN(facts));
}
