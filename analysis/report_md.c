// The report in Markdown (GitHub's tables).
#include "analysis/report_parts.h"

#include <assert.h>
#include <string.h>

// Text that Markdown, HTML or GitHub's formulas would read as markup.
static void escaped(struct buf *out, const char *text)
{
	if (text[0] != '\0' && strchr("-+=", text[0]) != NULL &&
	    (text[1] == ' ' || text[1] == text[0]))
		buf_putc(out, '\\'); // no list, no underline
	for (; *text != '\0'; text++) {
		if (strchr("\\`*_|<>[]#~$&", *text) != NULL)
			buf_putc(out, '\\');
		buf_putc(out, *text);
	}
}

static void title(struct buf *out, const struct report *r, const char *text)
{
	(void)r;
	buf_puts(out, "# ");
	escaped(out, text);
	buf_putc(out, '\n');
}

static void heading(struct buf *out, const struct report *r, const char *text)
{
	(void)r;
	buf_printf(out, "\n## %s\n\n", text);
}

static void paragraph(struct buf *out, const struct report *r, const char *text)
{
	(void)r;
	escaped(out, text);
	buf_putc(out, '\n');
}

static void answer(struct buf *out, const struct report *r, const char *text)
{
	(void)r;
	buf_puts(out, "**");
	escaped(out, text);
	buf_puts(out, "**\n");
}

static void item(struct buf *out, const struct report *r, const char *text)
{
	buf_puts(out, "- ");
	paragraph(out, r, text);
}

static void table(struct buf *out, const struct report *r,
		  const struct report_table *t)
{
	(void)r;
	assert(t->ncolumns > 0);
	for (size_t c = 0; c < t->ncolumns; c++)
		buf_printf(out, "| %s ", t->columns[c].title);
	buf_puts(out, "|\n");
	for (size_t c = 0; c < t->ncolumns; c++)
		buf_puts(out, t->columns[c].right ? "| --: " : "| --- ");
	buf_puts(out, "|\n");
	for (size_t i = 0; i < t->ntext; i++) {
		buf_puts(out, "| ");
		escaped(out, t->text[i]);
		buf_puts(out, (i + 1) % t->ncolumns == 0 ? " |\n" : " ");
	}
}

static const struct report_renderer md = {
	.title = title,
	.heading = heading,
	.answer = answer,
	.paragraph = paragraph,
	.item = item,
	.table = table,
};

void report_write_md(const struct report *r, struct buf *out)
{
	report_render(r, &md, out);
}
