#include "analysis/report_index.h"

#include <ctype.h>
#include <string.h>

#include "analysis/html.h"
#include "analysis/words.h"
#include "runner/base/arena.h"

enum {
	SKIPPED_NAMED = 20,
	STAMP_CHARS = 20,
};

static const struct report_column columns[] = {
	{ "campaign", false },
	{ "started (UTC)", false },
	{ "question", false },
	{ "answer", false },
};

// A name of a directory may hold what means something in an address.
static void put_segment(struct buf *out, const char *name)
{
	for (; *name != '\0'; name++) {
		unsigned char c = (unsigned char)*name;

		if (isalnum(c) || strchr("-._~", c) != NULL)
			buf_putc(out, (char)c);
		else
			buf_printf(out, "%%%02X", c);
	}
}

// "2026-12-01 04:19:44"
static const char *date_and_time(struct arena *a, const char *stamp)
{
	if (strlen(stamp) != STAMP_CHARS)
		return stamp;
	return arena_printf(a, "%.10s %.8s", stamp, stamp + 11);
}

static void cell(struct buf *out, struct arena *a, size_t column,
		 const char *text, const char *link)
{
	html_cell(out, &columns[column], column == 0,
		  report_clean(a, text != NULL ? text : ""), link);
}

static void put_entry(struct buf *out, struct arena *a,
		      const struct report_index_entry *e)
{
	CLEANUP(buf_deinit) struct buf link = BUF_INIT;

	if (e->page != NULL) {
		put_segment(&link, e->dir);
		buf_putc(&link, '/');
		put_segment(&link, e->page);
	}
	html_row_begin(out);
	cell(out, a, 0, e->name, e->page != NULL ? buf_str(&link) : NULL);
	cell(out, a, 1, date_and_time(a, e->started), NULL);
	cell(out, a, 2, e->question, NULL);
	cell(out, a, 3, e->trouble != NULL ? e->trouble : e->answer, NULL);
	html_row_end(out);
}

static void put_skipped(struct buf *out, struct arena *a,
			const struct report_index *index)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	if (index->nskipped == 0)
		return;
	buf_puts(&text, "Without a campaign, so not listed: ");
	for (size_t i = 0; i < MIN(index->nskipped, (size_t)SKIPPED_NAMED); i++)
		buf_printf(&text, "%s%s", i > 0 ? ", " : "", index->skipped[i]);
	if (index->nskipped > SKIPPED_NAMED)
		buf_printf(&text, " and %zu more",
			   index->nskipped - SKIPPED_NAMED);
	buf_putc(&text, '.');
	html_paragraph(out, "text", report_clean(a, buf_str(&text)));
}

void report_index_write(const struct report_index *index, struct buf *out)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(buf_deinit) struct buf count = BUF_INIT;

	html_begin(out, "Campaigns");
	words_count(index->n, "campaign", &count);
	buf_puts(&count, index->n > 1 ? ", the newest first." : ".");
	html_paragraph(out, "text", buf_str(&count));
	if (index->n > 0) {
		html_table_begin(out, "Campaigns with their answers", columns,
				 ARRAY_LEN(columns));
		for (size_t i = 0; i < index->n; i++)
			put_entry(out, a, &index->entries[i]);
		html_table_end(out);
	}
	put_skipped(out, a, index);
	html_end(out);
}
