#include "runner/campaign/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"
#include "runner/base/plain.h"
#include "runner/base/units.h"

struct progress {
	int fd;
	enum progress_mode mode;
	struct buf line; // as it would be drawn, whole
	int64_t drawn_ns, due_ns;
	bool drawn; // something stands on the terminal's last line
};

// Cuts text to `width` columns: code points are counted, not bytes.
static void cut(struct buf *text, unsigned width)
{
	unsigned columns = 0;

	for (size_t i = 0; i < text->len; i++) {
		if (((unsigned char)text->data[i] & 0xc0) == 0x80)
			continue;
		if (columns++ < width)
			continue;
		text->len = i;
		text->data[i] = '\0';
		return;
	}
}

static void format_left(int64_t left_ns, struct buf *out)
{
	char text[64];

	// Whole seconds: the rest is noise.
	units_format_duration((uint64_t)(left_ns / NS_PER_S * NS_PER_S), text,
			      sizeof(text));
	buf_printf(out, ", %s left", text);
}

void progress_format(const struct progress_view *v, unsigned width,
		     struct buf *out)
{
	buf_printf(out, "trial %zu/%zu", v->trial, v->trials);
	if (v->host != NULL)
		buf_printf(out, " on %s", v->host);
	buf_printf(out, " round %u %s: %s", v->round, v->cell, v->stage);
	if (v->failed > 0)
		buf_printf(out, ", %zu failed", v->failed);
	if (v->left_ns >= 0)
		format_left(v->left_ns, out);
	if (v->estimate != NULL)
		buf_printf(out, ", %s", v->estimate);
	out->len = plain_text(out->data); // some is from other machines
	cut(out, width);
}

struct progress *progress_new(int fd, enum progress_mode mode)
{
	struct progress *p = xcalloc(1, sizeof(*p));

	p->fd = fd;
	p->mode = mode;
	p->drawn_ns = INT64_MIN / 2;
	p->due_ns = INT64_MAX;
	return p;
}

bool progress_is_live(const struct progress *p)
{
	return p->mode == PROGRESS_LIVE;
}

void progress_free(struct progress *p)
{
	if (p == NULL)
		return;
	progress_clear(p);
	buf_deinit(&p->line);
	free(p);
}

// The terminal may be gone, which is no reason to stop measuring.
static void put(struct progress *p, const struct buf *text)
{
	if (fd_write_all(p->fd, buf_str(text), text->len) < 0)
		p->mode = PROGRESS_QUIET;
}

// One column stays free: writing the last one would wrap some terminals.
static unsigned width_of(int fd)
{
	struct winsize ws = { 0 };

	if (ioctl(fd, TIOCGWINSZ, &ws) < 0 || ws.ws_col == 0)
		return PROGRESS_WIDTH - 1;
	return MAX(ws.ws_col, (unsigned short)PROGRESS_WIDTH_MIN) - 1U;
}

static void draw(struct progress *p, int64_t now_ns)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	CLEANUP(buf_deinit) struct buf shown = BUF_INIT;

	buf_puts(&shown, buf_str(&p->line));
	cut(&shown, width_of(p->fd));
	buf_printf(&text, "\r\033[K%s", buf_str(&shown));
	put(p, &text);
	p->drawn = true;
	p->drawn_ns = now_ns;
	p->due_ns = INT64_MAX;
}

void progress_show(struct progress *p, const struct progress_view *v,
		   int64_t now_ns)
{
	if (p->mode != PROGRESS_LIVE)
		return;
	buf_clear(&p->line);
	progress_format(v, 10 * PROGRESS_WIDTH, &p->line);
	if (now_ns - p->drawn_ns >= NS_PER_S)
		draw(p, now_ns);
	else
		p->due_ns = p->drawn_ns + NS_PER_S;
}

int64_t progress_due_ns(const struct progress *p)
{
	return p->due_ns;
}

void progress_tick(struct progress *p, int64_t now_ns)
{
	if (now_ns >= p->due_ns)
		draw(p, now_ns);
}

void progress_clear(struct progress *p)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	if (!p->drawn)
		return;
	buf_puts(&text, "\r\033[K");
	put(p, &text);
	p->drawn = false;
}

// Above the live line, which is drawn again below it.
static void put_line(struct progress *p, const char *line)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	bool live = p->drawn;

	progress_clear(p);
	buf_puts(&text, line);
	if (text.len > 0)
		text.len = plain_text(text.data);
	buf_putc(&text, '\n');
	put(p, &text);
	if (live)
		draw(p, p->drawn_ns);
}

void progress_say(struct progress *p, bool must, const char *fmt, ...)
{
	CLEANUP(cleanup_free) char *line = NULL;
	va_list ap;

	if (p->mode == PROGRESS_QUIET && !must)
		return;
	va_start(ap, fmt);
	if (vasprintf(&line, fmt, ap) < 0)
		abort();
	va_end(ap);
	put_line(p, line);
}

void progress_finished(struct progress *p, bool wrong, const char *line)
{
	if (p->mode == PROGRESS_LINES || (p->mode == PROGRESS_LIVE && wrong))
		put_line(p, line);
}
