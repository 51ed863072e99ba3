// The report as one HTML file that needs nothing else: it can be mailed,
// opened offline, printed, and read by a screen reader.
#include <assert.h>

#include "analysis/html.h"
#include "analysis/report_figures.h"
#include "analysis/report_parts.h"
#include "analysis/svg.h"

static void heading(struct buf *out, const struct report *r, const char *text)
{
	(void)r;
	html_heading(out, text);
}

static void answer(struct buf *out, const struct report *r, const char *text)
{
	(void)r;
	html_paragraph(out, "answer", text);
}

static void paragraph(struct buf *out, const struct report *r, const char *text)
{
	(void)r;
	html_paragraph(out, "text", text);
}

static void list(struct buf *out, bool begins)
{
	buf_puts(out, begins ? "<ul>\n" : "</ul>\n");
}

static void item(struct buf *out, const struct report *r, const char *text)
{
	(void)r;
	html_element(out, "li", text);
}

static void table(struct buf *out, const struct report *r,
		  const struct report_table *t)
{
	(void)r;
	assert(t->ncolumns > 0);
	html_table_begin(out, t->title, t->columns, t->ncolumns);
	for (size_t i = 0; i < t->ntext; i++) {
		size_t c = i % t->ncolumns;

		if (c == 0)
			html_row_begin(out);
		html_cell(out, &t->columns[c], c == 0, t->text[i], NULL);
		if (c + 1 == t->ncolumns)
			html_row_end(out);
	}
	html_table_end(out);
}

// What the dots of the pictures are, for who asks.
static void trials(struct buf *out, const struct report *r, struct arena *a)
{
	struct report_table t;

	report_table_init(&t, a, NULL, 0);
	report_table_trials(r, &t);
	if (t.ntext == 0)
		return;
	t.title = "Trials";
	buf_puts(out, "<details><summary>Table of trials</summary>\n");
	table(out, r, &t);
	buf_puts(out, "</details>\n");
}

// Wide pictures scroll on narrow screens, by keyboard, too.
static void picture(struct buf *out, const struct report_figure *f)
{
	buf_puts(out, "<figure><div class=\"scroll\" role=\"group\" "
		      "tabindex=\"0\" aria-label=\"");
	svg_escape(out, f->head.title);
	buf_puts(out, "\">\n");
	report_figure_inline(f, out);
	buf_puts(out, "</div>");
	html_element(out, "figcaption", f->caption);
	buf_puts(out, "</figure>\n");
}

static void figures(struct buf *out, const struct report *r)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct report_figures all;

	report_figures_make(r, a, &all);
	if (all.n == 0)
		return;
	html_heading(out, "Figures");
	for (size_t i = 0; i < all.n; i++)
		picture(out, &all.items[i]);
	trials(out, r, a);
}

static const struct report_renderer html = {
	.heading = heading,
	.answer = answer,
	.paragraph = paragraph,
	.list = list,
	.item = item,
	.table = table,
	.figures = figures,
};

void report_write_html(const struct report *r, struct buf *out)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const char *title = r->name != NULL ? r->name : r->source;

	html_begin(out, report_clean(a, title != NULL ? title : "vrun report"));
	report_render(r, &html, out);
	html_end(out);
}
