// HTML pages that need nothing else: style and script are inside, and the
// policy lets a browser run nothing but these and fetch nothing at all.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analysis/report_parts.h"
#include "runner/base/buf.h"

// From the doctype to <main>, with the title as the first heading.
void html_begin(struct buf *out, const char *title);
void html_end(struct buf *out);

// Text is escaped; tags and classes are the caller's own.
void html_element(struct buf *out, const char *tag, const char *text);
void html_paragraph(struct buf *out, const char *class, const char *text);
// <h2> with an id made of its letters.
void html_heading(struct buf *out, const char *text);

// A table that can be sorted by its heads (those to the right as numbers) and
// scrolls by itself when it is
// wide, by keyboard, too. Rows and cells come between.
void html_table_begin(struct buf *out, const char *caption,
		      const struct report_column *columns, size_t n);
void html_table_end(struct buf *out);
// One cell; the first of a row names it. `link` is relative, or NULL.
void html_row_begin(struct buf *out);
void html_cell(struct buf *out, const struct report_column *column, bool first,
	       const char *text, const char *link);
void html_row_end(struct buf *out);
