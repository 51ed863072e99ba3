#include "runner/matrix/diag.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/buf.h"

enum {
	NEAREST_MAX = 40, // longer names are not guessed at
};

void diag_add(struct diags *d, struct place at, const char *fmt, ...)
{
	CLEANUP(cleanup_free) char *text = NULL;
	struct diag *item;
	va_list ap;
	int n;

	if (d->n >= DIAG_MAX)
		return;
	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		abort();
	item = arena_push(d->arena, &d->v, &d->n, &d->cap, sizeof(*d->v));
	item->at = at;
	item->text = arena_strdup(d->arena, text);
}

static int by_place(const void *va, const void *vb)
{
	const struct diag *a = va, *b = vb;

	if (a->at.line != b->at.line)
		return a->at.line < b->at.line ? -1 : 1;
	if (a->at.col != b->at.col)
		return a->at.col < b->at.col ? -1 : 1;
	return strcmp(a->text, b->text);
}

static const char *sentence(struct arena *a, const struct diag *d)
{
	if (d->at.line == 0)
		return arena_printf(a, "%s: %s", d->at.file, d->text);
	return arena_printf(a, "%s:%d:%d: %s", d->at.file, d->at.line,
			    d->at.col, d->text);
}

int diag_report(struct diags *d, struct err *e)
{
	if (d->n == 0)
		return 0;
	qsort(d->v, d->n, sizeof(*d->v), by_place);
	e->kind = ERR_NONE;
	for (size_t i = 0; i < d->n; i++) {
		if (i == 0 || by_place(&d->v[i - 1], &d->v[i]) != 0)
			err_add_line(e, ERR_USAGE,
				     sentence(d->arena, &d->v[i]));
	}
	return -1;
}

// Cuts before a UTF-8 character that would not fit whole.
static size_t cut_length(const char *text)
{
	size_t n = strlen(text);

	if (n <= DIAG_QUOTE_MAX)
		return n;
	for (n = DIAG_QUOTE_MAX; n > 0; n--) {
		if (((unsigned char)text[n] & 0xc0) != 0x80)
			break;
	}
	return n;
}

const char *diag_quote(struct arena *a, const char *text)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;
	size_t n = cut_length(text);

	buf_putc(&b, '"');
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < 0x20 || c == 0x7f)
			buf_printf(&b, "\\x%02x", c);
		else
			buf_putc(&b, text[i]);
	}
	buf_puts(&b, text[n] == '\0' ? "\"" : "...\"");
	return arena_strdup(a, buf_str(&b));
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned ab = MIN(a, b);

	return MIN(ab, c);
}

static bool same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

// Do the two letters before a[i] and b[j] change places?
static bool is_swap(const char *a, size_t i, const char *b, size_t j)
{
	return i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
	       same_letter(a[i - 2], b[j - 1]);
}

// Restricted Damerau-Levenshtein distance (optimal string alignment), case
// ignored. Only the last three rows of the table are kept.
static unsigned distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned row[3][NEAREST_MAX + 1] = { 0 };

	for (size_t j = 0; j <= nb; j++)
		row[0][j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned *now = row[i % 3], *up = row[(i - 1) % 3];
		const unsigned *up2 = row[(i + 1) % 3];

		now[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			bool same = same_letter(a[i - 1], b[j - 1]);

			now[j] = min3(up[j] + 1, now[j - 1] + 1,
				      up[j - 1] + !same);
			if (is_swap(a, i, b, j))
				now[j] = min3(now[j], up2[j - 2] + 1, now[j]);
		}
	}
	return row[na % 3][nb];
}

const char *diag_nearest(const char *text, const char *const *names, size_t n)
{
	size_t len = strlen(text);
	// A third of the word may be wrong, and at least one letter.
	unsigned best = (unsigned)(len < 6 ? 1 : len / 3) + 1;
	const char *found = NULL;

	if (len > NEAREST_MAX)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		size_t nlen = strlen(names[i]);
		unsigned d;

		if (nlen > NEAREST_MAX)
			continue;
		d = distance(text, len, names[i], nlen);
		if (d < best && d < nlen) {
			best = d;
			found = names[i];
		}
	}
	return found;
}

const char *diag_hint(struct arena *a, const char *text,
		      const char *const *names, size_t n)
{
	const char *near = diag_nearest(text, names, n);

	return near == NULL ? ""
			    : arena_printf(a, "; did you mean \"%s\"?", near);
}

const char *diag_list(struct arena *a, const char *const *names, size_t n)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;

	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%s%s", i ? ", " : "", names[i]);
	return arena_strdup(a, buf_str(&b));
}
