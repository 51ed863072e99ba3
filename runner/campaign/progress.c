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

struct progress {
	int fd;
	enum progress_mode mode;
	progress_fill_fn *fill;
	void *ctx;
	struct buf shown; // what stands on the terminal's last lines
	int64_t drawn_ns, due_ns;
};

struct progress *progress_new(int fd, enum progress_mode mode)
{
	struct progress *p = xcalloc(1, sizeof(*p));

	p->fd = fd;
	p->mode = mode;
	p->drawn_ns = INT64_MIN / 2;
	p->due_ns = INT64_MAX;
	return p;
}

void progress_free(struct progress *p)
{
	if (p == NULL)
		return;
	progress_clear(p);
	buf_deinit(&p->shown);
	free(p);
}

// The terminal may be gone, which is no reason to stop measuring.
static void put(struct progress *p, const struct buf *text)
{
	if (fd_write_all(p->fd, buf_str(text), text->len) < 0)
		p->mode = PROGRESS_QUIET;
}

struct size {
	unsigned width, height;
};

// One column stays free, as writing the last one would wrap some terminals;
// and one line, for what stood before.
static struct size size_of(int fd)
{
	struct winsize ws = { 0 };

	if (ioctl(fd, TIOCGWINSZ, &ws) < 0 || ws.ws_col == 0)
		return (struct size){ PROGRESS_WIDTH - 1, PROGRESS_HEIGHT - 1 };
	return (struct size){
		MAX(ws.ws_col, (unsigned short)PROGRESS_WIDTH_MIN) - 1U,
		MAX(ws.ws_row, (unsigned short)2) - 1U,
	};
}

// The rows that a text takes on a terminal, which wraps what was drawn when it
// was wider.
static unsigned rows_of(const char *text, unsigned width)
{
	unsigned rows = 1, columns = 0;

	for (; *text != '\0'; text++) {
		if (*text == '\n') {
			rows++;
			columns = 0;
		} else if (((unsigned char)*text & 0xc0) != 0x80 &&
			   columns++ > width) {
			rows++;
			columns = 1;
		}
	}
	return rows;
}

// The way back to where the view begins, and nothing below.
static void put_erase(struct progress *p, struct buf *out)
{
	unsigned rows;

	if (p->shown.len == 0)
		return;
	rows = rows_of(p->shown.data, size_of(p->fd).width);
	if (rows > 1)
		buf_printf(out, "\033[%uA", rows - 1);
	buf_puts(out, "\r\033[J");
}

static void draw(struct progress *p, int64_t now_ns)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct size size = size_of(p->fd);
	struct view v = { .left_ns = -1 };

	p->drawn_ns = now_ns;
	p->due_ns = INT64_MAX;
	p->fill(p->ctx, a, &v);
	put_erase(p, &text);
	buf_clear(&p->shown);
	view_format(&v, size.width, size.height, &p->shown);
	buf_puts(&text, buf_str(&p->shown));
	put(p, &text);
}

void progress_watch(struct progress *p, progress_fill_fn *fill, void *ctx)
{
	p->fill = fill;
	p->ctx = ctx;
	p->due_ns = INT64_MAX;
}

void progress_show(struct progress *p, int64_t now_ns)
{
	if (p->mode != PROGRESS_LIVE || p->fill == NULL)
		return;
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

	put_erase(p, &text);
	buf_clear(&p->shown);
	if (text.len > 0)
		put(p, &text);
}

// Above the view, which is put there again below it.
static void put_line(struct progress *p, const char *line)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	size_t start;

	put_erase(p, &text);
	start = text.len;
	buf_puts(&text, line);
	if (text.len > start)
		text.len = start + plain_text(text.data + start);
	buf_putc(&text, '\n');
	buf_puts(&text, buf_str(&p->shown));
	put(p, &text);
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
