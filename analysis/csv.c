#include "analysis/csv.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"

static const struct {
	char separator;
	const char *name;
} separators[] = {
	// equals are tried in this order
	{ ',', "commas" }, { ';', "semicolons" },    { '\t', "tabs" },
	{ '|', "\"|\"" },  { CSV_BLANKS, "blanks" },
};

static bool is_eol(char ch)
{
	return ch == '\n' || ch == '\r';
}

static bool is_blank(char ch)
{
	return ch == ' ' || ch == '\t';
}

static bool separates(char separator, char ch)
{
	return separator == CSV_BLANKS ? is_blank(ch) : ch == separator;
}

// How often `separator` stands in the line at `pos`, which moves to the line's
// end. Blanks count between words only, and once however many they are.
static size_t count_in_line(const char *text, size_t len, char separator,
			    size_t *pos)
{
	size_t n = 0, i = *pos;
	bool quoted = false, blanks = separator == CSV_BLANKS;

	for (; i < len && (quoted || !is_eol(text[i])); i++) {
		if (text[i] == '"')
			quoted = !quoted;
		else if (!quoted && separates(separator, text[i]))
			n += !blanks || (i > *pos && !is_blank(text[i - 1]));
	}
	if (blanks && i > *pos && is_blank(text[i - 1]) && n > 0)
		n--; // at the end of the line
	*pos = i;
	return n;
}

// How much speaks for a separator: 0 nothing. That the second line has it as
// often counts more than how often that is.
static size_t rank(const char *text, size_t len, char separator)
{
	size_t pos = 0, next;
	size_t n = count_in_line(text, len, separator, &pos);

	if (n == 0)
		return 0;
	while (pos < len && is_eol(text[pos]))
		pos++;
	next = pos < len ? count_in_line(text, len, separator, &pos) : n;
	return n == next ? n + SIZE_MAX / 2 : n;
}

// Blanks are within names as often as between them: only where there is
// nothing else.
static char sniff(const char *text, size_t len, char decimal)
{
	size_t best = 0;
	char found = ',';

	for (size_t s = 0; s < ARRAY_LEN(separators); s++) {
		char sep = separators[s].separator;
		size_t r = sep != decimal ? rank(text, len, sep) : 0;

		if (r <= best || (sep == CSV_BLANKS && best > 0))
			continue;
		best = r;
		found = sep;
	}
	return found;
}

static size_t bom_len(const char *text, size_t len)
{
	return len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
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

static bool at_separator(const struct csv *c)
{
	return c->pos < c->len && separates(c->separator, c->text[c->pos]);
}

// A blank that separates nothing.
static bool at_blank(const struct csv *c)
{
	return c->pos < c->len && is_blank(c->text[c->pos]) && !at_separator(c);
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
	if (!at_eol(c) && !at_separator(c))
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

	for (; !at_eol(c) && !at_separator(c); c->pos++)
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

static bool at_comment(const struct csv *c)
{
	size_t n = c->comment != NULL ? strlen(c->comment) : 0;

	return n > 0 && c->len - c->pos >= n &&
	       memcmp(c->text + c->pos, c->comment, n) == 0;
}

static void skip_line(struct csv *c)
{
	while (!at_eol(c))
		c->pos++;
	skip_eol(c);
}

// Over lines without a field.
static void skip_void_lines(struct csv *c)
{
	while (c->pos < c->len) {
		size_t start = c->pos;

		while (c->pos < c->len && is_blank(c->text[c->pos]) &&
		       (c->separator == CSV_BLANKS || !at_separator(c)))
			c->pos++;
		if (!at_eol(c) && !at_comment(c)) {
			if (c->separator != CSV_BLANKS)
				c->pos = start;
			return;
		}
		skip_line(c);
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

void csv_init(struct csv *c, const char *text, size_t len,
	      const struct csv_format *format, const char *where)
{
	*c = (struct csv){ .where = where,
			   .text = text,
			   .len = len,
			   .separator = format->separator,
			   .comment = format->comment,
			   .line = 1 };
	c->pos = c->line_start = bom_len(text, len);
	while (c->line < format->first_line && c->pos < len)
		skip_line(c);
	skip_void_lines(c);
	if (format->separator == 0)
		c->separator =
			sniff(text + c->pos, len - c->pos, format->decimal);
}

const char *csv_separator_name(const struct csv *c)
{
	for (size_t i = 0; i < ARRAY_LEN(separators); i++)
		if (separators[i].separator == c->separator)
			return separators[i].name;
	return "what --separator says";
}

static int refuse_utf16(const struct csv *c, struct err *e)
{
	if (c->pos == 0 && c->len >= 2 &&
	    (memcmp(c->text, "\xff\xfe", 2) == 0 ||
	     memcmp(c->text, "\xfe\xff", 2) == 0))
		return fail(c, "this is UTF-16; save it as UTF-8", e);
	return 0;
}

// Over the separator. False at the end of the row, which blanks may precede.
static bool next_field(struct csv *c)
{
	if (at_eol(c))
		return false;
	c->pos++;
	if (c->separator != CSV_BLANKS)
		return true;
	while (at_separator(c))
		c->pos++;
	return !at_eol(c);
}

int csv_next(struct csv *c, struct csv_row *row, bool *more, struct err *e)
{
	size_t line;

	if (refuse_utf16(c, e) != 0)
		return -1;
	skip_void_lines(c);
	*more = c->pos < c->len;
	if (!*more)
		return 0;
	line = c->line;
	buf_clear(&c->bytes);
	c->nfields = 0;
	for (;;) {
		if (read_field(c, e) != 0)
			return -1;
		if (!next_field(c))
			break;
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
