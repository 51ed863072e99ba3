// The report for a terminal or a pipe: ASCII unless the data are not, folded
// to the width, colour only when asked for.
#include "analysis/report_parts.h"

#include <assert.h>
#include <string.h>

#include "runner/base/alloc.h"

enum {
	INDENT = 2,
	GAP = 2, // between columns
	WIDTH_MIN = 40,
	SHRINK_MIN = 24, // the last column of text folds down to this
};

static const char bold[] = "\033[1m", plain[] = "\033[0m";

static size_t width_of(const struct report *r)
{
	size_t width = r->width != 0 ? r->width : REPORT_WIDTH;

	return width < WIDTH_MIN ? WIDTH_MIN : width;
}

// Columns that UTF-8 text takes, to the precision of one a character.
static size_t columns_of(const char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return n;
}

static void spaces(struct buf *out, size_t n)
{
	while (n-- > 0)
		buf_putc(out, ' ');
}

// A word; the % after a figure is part of it.
static size_t word_len(const char *text)
{
	size_t len = strcspn(text, " ");

	if (text[len] == ' ' && text[len + 1] == '%')
		len += 1 + strcspn(text + len + 1, " ");
	return len;
}

// Folds at blanks. The first line begins at column `at` already; the others
// are indented by `indent`.
static void fold(struct buf *out, const char *text, size_t at, size_t indent,
		 size_t width)
{
	bool fresh = true; // nothing on this line yet

	while (*text != '\0') {
		size_t len = word_len(text);
		size_t cols = columns_of(text, len);

		if (!fresh && at + 1 + cols > width) {
			buf_putc(out, '\n');
			spaces(out, indent);
			at = indent;
			fresh = true;
		}
		if (!fresh) {
			buf_putc(out, ' ');
			at++;
		}
		buf_add(out, text, len);
		at += cols;
		fresh = false;
		text += len;
		text += strspn(text, " ");
	}
	buf_putc(out, '\n');
}

static void title(struct buf *out, const struct report *r, const char *text)
{
	buf_printf(out, "%s%s%s\n", r->color ? bold : "", text,
		   r->color ? plain : "");
}

static void heading(struct buf *out, const struct report *r, const char *text)
{
	buf_putc(out, '\n');
	title(out, r, text);
}

static void paragraph(struct buf *out, const struct report *r, const char *text)
{
	spaces(out, INDENT);
	fold(out, text, INDENT, INDENT, width_of(r));
}

static void answer(struct buf *out, const struct report *r, const char *text)
{
	buf_puts(out, r->color ? bold : "");
	paragraph(out, r, text);
	buf_puts(out, r->color ? plain : "");
}

static void item(struct buf *out, const struct report *r, const char *text)
{
	spaces(out, INDENT);
	buf_puts(out, "- ");
	fold(out, text, INDENT + 2, INDENT + 2, width_of(r));
}

// --- tables ---

struct layout {
	const struct report_table *t;
	size_t *widths; // by column
	size_t first;	// the first column that is in line with the others:
			// 1 when the first one has a line of its own
};

static void measure(const struct report_table *t, size_t *widths)
{
	assert(t->ncolumns > 0);
	for (size_t c = 0; c < t->ncolumns; c++)
		widths[c] = strlen(t->columns[c].title);
	for (size_t i = 0; i < t->ntext; i++) {
		size_t c = i % t->ncolumns;
		size_t w = columns_of(t->text[i], strlen(t->text[i]));

		widths[c] = MAX(widths[c], w);
	}
}

static size_t total(const struct layout *l)
{
	size_t sum = INDENT + (l->first > 0 ? INDENT : 0);

	for (size_t c = l->first; c < l->t->ncolumns; c++)
		sum += l->widths[c] + (c > l->first ? GAP : 0);
	return sum;
}

// Too wide: first the last column of text folds, then the names of the rows
// move to lines of their own.
static void fit(struct layout *l, size_t width)
{
	size_t last = l->t->ncolumns - 1;

	for (l->first = 0; l->first < 2; l->first++) {
		size_t sum = total(l), over = sum > width ? sum - width : 0;

		if (over == 0)
			return;
		if (!l->t->columns[last].right &&
		    l->widths[last] >= over + SHRINK_MIN) {
			l->widths[last] -= over;
			return;
		}
	}
	l->first = 1;
}

static void trim_end(struct buf *out)
{
	while (out->len > 0 && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
}

// One line of texts; the last column may fold under itself.
static void line(struct buf *out, const struct layout *l,
		 const char *const *text)
{
	size_t at = INDENT + (l->first > 0 ? INDENT : 0);
	size_t last = l->t->ncolumns - 1;

	spaces(out, at);
	for (size_t c = l->first; c < last; c++) {
		size_t cols = columns_of(text[c], strlen(text[c]));
		size_t pad = l->widths[c] > cols ? l->widths[c] - cols : 0;

		spaces(out, l->t->columns[c].right ? pad : 0);
		buf_puts(out, text[c]);
		spaces(out, (l->t->columns[c].right ? 0 : pad) + GAP);
		at += l->widths[c] + GAP;
	}
	if (l->t->columns[last].right)
		spaces(out, l->widths[last] -
				    columns_of(text[last], strlen(text[last])));
	if (text[last][0] == '\0')
		trim_end(out);
	fold(out, text[last], at, at, at + l->widths[last]);
}

static void table(struct buf *out, const struct report *r,
		  const struct report_table *t)
{
	CLEANUP(cleanup_free)
	size_t *widths = xcalloc(t->ncolumns, sizeof *widths);
	CLEANUP(cleanup_free)
	const char **titles = xcalloc(t->ncolumns, sizeof *titles);
	struct layout l = { t, widths, 0 };

	measure(t, widths);
	fit(&l, width_of(r));
	for (size_t c = 0; c < t->ncolumns; c++)
		titles[c] = t->columns[c].title;
	line(out, &l, titles);
	for (size_t i = 0; i < t->ntext; i += t->ncolumns) {
		if (l.first > 0)
			paragraph(out, r, t->text[i]);
		line(out, &l, t->text + i);
	}
}

static const struct report_renderer term = {
	.brief = true,
	.title = title,
	.heading = heading,
	.answer = answer,
	.paragraph = paragraph,
	.item = item,
	.table = table,
};

void report_write_term(const struct report *r, struct buf *out)
{
	report_render(r, &term, out);
}
