// The report as one HTML file that needs nothing else: it can be mailed,
// opened offline, printed, and read by a screen reader.
#include "analysis/report_figures.h"
#include "analysis/report_html_page.h"
#include "analysis/report_parts.h"
#include "analysis/svg.h"

#include <assert.h>

enum {
	FIGURE_HOSTS = 4, // whose trials are drawn
};

static void element(struct buf *out, const char *tag, const char *text)
{
	buf_printf(out, "<%s>", tag);
	svg_escape(out, text);
	buf_printf(out, "</%s>\n", tag);
}

static void title(struct buf *out, const struct report *r, const char *text)
{
	(void)r;
	element(out, "h1", text);
}

static void heading(struct buf *out, const struct report *r, const char *text)
{
	(void)r;
	element(out, "h2", text);
}

static void answer(struct buf *out, const struct report *r, const char *text)
{
	(void)r;
	buf_puts(out, "<p class=\"answer\">");
	svg_escape(out, text);
	buf_puts(out, "</p>\n");
}

static void paragraph(struct buf *out, const struct report *r, const char *text)
{
	(void)r;
	element(out, "p", text);
}

static void list(struct buf *out, bool begins)
{
	buf_puts(out, begins ? "<ul>\n" : "</ul>\n");
}

static void item(struct buf *out, const struct report *r, const char *text)
{
	(void)r;
	element(out, "li", text);
}

static void head(struct buf *out, const struct report_table *t)
{
	buf_puts(out, "<thead><tr>");
	for (size_t c = 0; c < t->ncolumns; c++) {
		buf_printf(out, "<th scope=\"col\"%s>",
			   t->columns[c].right ? " class=\"r\"" : "");
		svg_escape(out, t->columns[c].title);
		buf_puts(out, "</th>");
	}
	buf_puts(out, "</tr></thead>\n");
}

// The first column names the row.
static void row(struct buf *out, const struct report_table *t,
		const char *const *text)
{
	buf_puts(out, "<tr><th scope=\"row\">");
	svg_escape(out, text[0]);
	buf_puts(out, "</th>");
	for (size_t c = 1; c < t->ncolumns; c++) {
		buf_puts(out,
			 t->columns[c].right ? "<td class=\"r\">" : "<td>");
		svg_escape(out, text[c]);
		buf_puts(out, "</td>");
	}
	buf_puts(out, "</tr>\n");
}

// Wide tables scroll by themselves, by keyboard, too.
static void table(struct buf *out, const struct report *r,
		  const struct report_table *t)
{
	(void)r;
	assert(t->ncolumns > 0);
	buf_puts(out, "<div class=\"scroll\" tabindex=\"0\"><table>\n");
	head(out, t);
	buf_puts(out, "<tbody>\n");
	for (size_t i = 0; i < t->ntext; i += t->ncolumns)
		row(out, t, t->text + i);
	buf_puts(out, "</tbody></table></div>\n");
}

// Nothing is left of a figure that has nothing to show.
static void close_figure(struct buf *out, size_t begin, size_t empty,
			 const char *caption)
{
	if (out->len == empty) {
		out->len = begin;
		out->data[begin] = '\0';
		return;
	}
	buf_puts(out, "</div>");
	element(out, "figcaption", caption);
	buf_puts(out, "</figure>\n");
}

static size_t open_figure(struct buf *out)
{
	buf_puts(out, "<figure><div class=\"scroll\" tabindex=\"0\">\n");
	return out->len;
}

static void effects(struct buf *out, const struct report *r)
{
	size_t begin = out->len, empty = open_figure(out);

	report_figure_effects(r, out);
	close_figure(out, begin, empty,
		     r->an->margin > 0
			     ? "Effects with their intervals; the band is the "
			       "margin."
			     : "Effects with their intervals.");
}

static void trials(struct buf *out, const struct report *r, uint32_t host)
{
	const struct dataset *ds = r->ds;
	const struct dataset_metric *m = &ds->metrics[r->an->metrics[0]];
	CLEANUP(buf_deinit) struct buf caption = BUF_INIT;
	size_t begin = out->len, empty = open_figure(out);

	buf_printf(&caption,
		   "%s%s%s of each trial, in the order in which they "
		   "ran",
		   m->name, m->unit[0] != '\0' ? " in " : "", m->unit);
	if (ds->hosts.n > 1)
		buf_printf(&caption, " on %s", intern_name(&ds->hosts, host));
	buf_putc(&caption, '.');
	report_figure_trials(r, host, out);
	close_figure(out, begin, empty, buf_str(&caption));
}

static void figures(struct buf *out, const struct report *r)
{
	effects(out, r);
	for (uint32_t h = 0; h < r->ds->hosts.n && h < FIGURE_HOSTS; h++)
		trials(out, r, h);
}

static const struct report_renderer html = {
	.title = title,
	.heading = heading,
	.answer = answer,
	.paragraph = paragraph,
	.list = list,
	.item = item,
	.table = table,
	.figures = figures,
};

// The policy lets a browser fetch nothing, whatever the texts are.
static void begin(struct buf *out, const char *name)
{
	buf_puts(out,
		 "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		 "<meta charset=\"utf-8\">\n"
		 "<meta name=\"viewport\" content=\"width=device-width, "
		 "initial-scale=1\">\n"
		 "<meta http-equiv=\"Content-Security-Policy\" content=\""
		 "default-src 'none'; style-src 'unsafe-inline'; script-src "
		 "'unsafe-inline'\">\n");
	element(out, "title", name);
	buf_printf(out, "<style>\n%s</style>\n</head>\n<body>\n<main>\n",
		   report_html_style);
}

void report_write_html(const struct report *r, struct buf *out)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();

	begin(out, report_clean(a, r->name != NULL ? r->name : "vrun report"));
	report_render(r, &html, out);
	buf_printf(out, "</main>\n<script>\n%s</script>\n</body>\n</html>\n",
		   report_html_script);
}
