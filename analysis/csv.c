#include "analysis/csv.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"

static const char separators[] = { ',', ';', '\t', '|' };

static bool is_eol(char ch)
{
	return ch == '\n' || ch == '\r';
}

// The first line decides: it is the header, and headers seldom hold commas.
static char sniff(const char *text, size_t len)
{
	size_t count[ARRAY_LEN(separators)] = { 0 }, best = 0;
	bool quoted = false;

	for (size_t i = 0; i < len && (quoted || !is_eol(text[i])); i++) {
		if (text[i] == '"')
			quoted = !quoted;
		for (size_t s = 0; s < ARRAY_LEN(separators) && !quoted; s++)
			count[s] += text[i] == separators[s];
	}
	for (size_t s = 1; s < ARRAY_LEN(separators); s++)
		if (count[s] > count[best])
			best = s;
	return separators[best];
}

static size_t bom_len(const char *text, size_t len)
{
	return len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

void csv_init(struct csv *c, const char *text, size_t len, char separator,
	      const char *where)
{
	size_t skip = bom_len(text, len);

	*c = (struct csv){ .where = where, .text = text, .len = len };
	c->pos = c->line_start = skip;
	c->line = 1;
	c->separator =
		separator != 0 ? separator : sniff(text + skip, len - skip);
}

void csv_deinit(struct csv *c)
{
	buf_deinit(&c->bytes);
	free(c->fields);
	*c = (struct csv){ 0 };
}

static size_t column(const struct csv *c)
{
	return c->pos - c->line_start + 1;
}

static int fail(const struct csv *c, const char *what, struct err *e)
{
	return err_set(e, ERR_USAGE, "%s:%zu:%zu: %s", c->where, c->line,
		       column(c), what);
}

static bool at_eol(const struct csv *c)
{
	return c->pos >= c->len || is_eol(c->text[c->pos]);
}

static bool at_blank(const struct csv *c)
{
	char ch = c->pos < c->len ? c->text[c->pos] : '\n';

	return (ch == ' ' || ch == '\t') && ch != c->separator;
}

static void skip_blanks(struct csv *c)
{
	while (at_blank(c))
		c->pos++;
}

// Over one LF, CR or CRLF.
static void skip_eol(struct csv *c)
{
	if (c->pos >= c->len)
		return;
	if (c->text[c->pos] == '\r' && c->pos + 1 < c->len &&
	    c->text[c->pos + 1] == '\n')
		c->pos++;
	c->pos++;
	c->line++;
	c->line_start = c->pos;
}

// Fields point into a buffer that moves while the row grows: until the row is
// whole, `text` is NULL and `len` alone is set.
static int begin_field(struct csv *c, struct err *e)
{
	if (c->nfields == CSV_COLUMNS_MAX)
		return fail(c, "too many columns; is this the separator?", e);
	c->fields =
		xgrow(c->fields, &c->cap, c->nfields + 1, sizeof *c->fields);
	c->fields[c->nfields++] = (struct csv_field){ .column = column(c) };
	return 0;
}

static int add_byte(struct csv *c, char ch, struct err *e)
{
	struct csv_field *f = &c->fields[c->nfields - 1];

	if (ch == '\0')
		return fail(c, "a NUL byte: this is no text", e);
	if (f->len == CSV_FIELD_MAX)
		return fail(c, "field is over 1 MiB; is a quote missing?", e);
	buf_putc(&c->bytes, ch);
	f->len++;
	return 0;
}

static int end_quote(struct csv *c, struct err *e)
{
	skip_blanks(c);
	if (!at_eol(c) && c->text[c->pos] != c->separator)
		return fail(c,
			    "text after a closing quote; a quote inside "
			    "quotes is written \"\"",
			    e);
	return 0;
}

static int quoted_field(struct csv *c, struct err *e)
{
	struct csv open = *c; // where to point when it never ends

	for (c->pos++; c->pos < c->len; c->pos++) {
		char ch = c->text[c->pos];

		if (ch == '"') {
			c->pos++;
			if (c->pos >= c->len || c->text[c->pos] != '"')
				return end_quote(c, e);
		}
		if (add_byte(c, ch, e) != 0)
			return -1;
		if (ch == '\n') {
			c->line++;
			c->line_start = c->pos + 1;
		}
	}
	return fail(&open, "this quote is never closed", e);
}

static int plain_field(struct csv *c, struct err *e)
{
	struct csv_field *f = &c->fields[c->nfields - 1];

	for (; !at_eol(c) && c->text[c->pos] != c->separator; c->pos++)
		if (add_byte(c, c->text[c->pos], e) != 0)
			return -1;
	while (f->len > 0 && (c->bytes.data[c->bytes.len - 1] == ' ' ||
			      c->bytes.data[c->bytes.len - 1] == '\t')) {
		c->bytes.data[--c->bytes.len] = '\0';
		f->len--;
	}
	return 0;
}

static int read_field(struct csv *c, struct err *e)
{
	int rc;

	skip_blanks(c);
	if (begin_field(c, e) != 0)
		return -1;
	if (!at_eol(c) && c->text[c->pos] == '"')
		rc = quoted_field(c, e);
	else
		rc = plain_field(c, e);
	buf_putc(&c->bytes, '\0');
	return rc;
}

static void skip_blank_lines(struct csv *c)
{
	for (;;) {
		size_t start = c->pos;

		skip_blanks(c);
		if (c->pos >= c->len)
			return;
		if (!at_eol(c)) {
			c->pos = start;
			return;
		}
		skip_eol(c);
	}
}

static void point_fields(struct csv *c)
{
	const char *p = buf_str(&c->bytes);

	for (size_t i = 0; i < c->nfields; i++) {
		c->fields[i].text = p;
		p += c->fields[i].len + 1;
	}
}

static int refuse_utf16(const struct csv *c, struct err *e)
{
	if (c->pos == 0 && c->len >= 2 &&
	    (memcmp(c->text, "\xff\xfe", 2) == 0 ||
	     memcmp(c->text, "\xfe\xff", 2) == 0))
		return fail(c, "this is UTF-16; save it as UTF-8", e);
	return 0;
}

int csv_next(struct csv *c, struct csv_row *row, bool *more, struct err *e)
{
	size_t line;

	if (refuse_utf16(c, e) != 0)
		return -1;
	skip_blank_lines(c);
	*more = c->pos < c->len;
	if (!*more)
		return 0;
	line = c->line;
	buf_clear(&c->bytes);
	c->nfields = 0;
	for (;;) {
		if (read_field(c, e) != 0)
			return -1;
		if (at_eol(c))
			break;
		c->pos++; // the separator
	}
	skip_eol(c);
	point_fields(c);
	*row = (struct csv_row){ c->fields, c->nfields, line };
	return 0;
}

void csv_put_text(struct buf *out, const char *text)
{
	bool quote = strpbrk(text, ",\"\r\n") != NULL;

	if (quote)
		buf_putc(out, '"');
	for (; *text != '\0'; text++) {
		if (*text == '"')
			buf_putc(out, '"');
		buf_putc(out, *text);
	}
	if (quote)
		buf_putc(out, '"');
}
