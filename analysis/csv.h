// A reader of separated text (RFC 4180, tolerantly): one row at a time out of
// memory that the caller keeps. Any one-byte separator, or runs of blanks;
// quotes with "" inside; LF, CRLF or CR; a UTF-8 byte order mark; blank lines
// are skipped; blanks around unquoted fields are cut. Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "runner/base/buf.h"
#include "runner/base/err.h"

enum {
	CSV_COLUMNS_MAX = 1 << 21,
	CSV_FIELD_MAX = 1 << 20, // bytes
};

#define CSV_BLANKS ' ' // any number of blanks and tabs

struct csv_format {
	char separator;	     // 0: found out, see csv_init
	char decimal;	     // in figures: no separator that is found out
	const char *comment; // lines that begin with it are skipped; or NULL
	size_t first_line;   // lines before it are skipped; 0, 1: none
};

struct csv_field {
	const char *text; // NUL-terminated, without its quotes
	size_t len;
	size_t column; // of its first byte in its line, from 1
};

struct csv_row {
	const struct csv_field *fields; // until the next csv_next
	size_t n;			// at least 1
	size_t line;			// where it begins, from 1
};

struct csv {
	const char *where; // names the text in messages
	const char *text;
	size_t len, pos;
	size_t line, line_start; // line number at pos, and where it begins
	char separator;
	const char *comment;
	struct buf bytes; // of the fields of this row
	struct csv_field *fields;
	size_t nfields, cap;
};

// A separator that is not given is the one of , ; tab | that the first line
// has outside of quotes: one that the second line has as often, if there is
// one, or else the most frequent; blanks, if it has none of them; a comma, if
// it has no blanks, either. Borrows `text`, `where` and the comment.
void csv_init(struct csv *c, const char *text, size_t len,
	      const struct csv_format *format, const char *where);
// "commas", "tabs", ... for a message.
const char *csv_separator_name(const struct csv *c);
void csv_deinit(struct csv *c); // for CLEANUP, too

// Sets *more to whether there was another row. Errors, as where:line:column: a
// quote that is not closed or that is followed by text, a NUL byte, UTF-16,
// a field or row over the limits.
int csv_next(struct csv *c, struct csv_row *row, bool *more,
	     struct err *e) MUST_CHECK;

// A field of comma-separated text, in quotes where it needs them.
void csv_put_text(struct buf *out, const char *text);
