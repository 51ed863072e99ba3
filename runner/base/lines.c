#include "runner/base/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/ahead.h"
#include "runner/base/alloc.h"
#include "runner/base/buf.h"
#include "runner/base/fd.h"

enum {
	PIECE_BYTES = 512 << 10, // stays in the CPU's cache
};

struct slot {
	struct buf text;
	bool end;
	int error; // errno, or 0
};

struct lines {
	int fd;
	size_t max;
	struct buf rest; // of the file's text so far, for the next slot
	struct slot slots[AHEAD_SLOTS];
	struct ahead *ahead;
};

// Where the last line begins that has an end: what stands before it can be
// given. 0 when there is nothing before it.
static size_t last_line(const struct buf *text)
{
	const char *nl = memrchr(text->data, '\n', text->len);

	if (nl != NULL)
		nl = memrchr(text->data, '\n', (size_t)(nl - text->data));
	return nl != NULL ? (size_t)(nl + 1 - text->data) : 0;
}

static void cut(struct buf *text, size_t len)
{
	text->len = len;
	text->data[len] = '\0';
}

static void read_piece(struct lines *l, struct slot *s)
{
	// One line that is held back, and one to come.
	const size_t most = 2 * (l->max + 1);
	size_t whole = 0;

	buf_clear(&s->text);
	buf_add(&s->text, buf_str(&l->rest), l->rest.len);
	while (!s->end && whole == 0 && s->text.len <= most) {
		ssize_t n;

		buf_reserve(&s->text, PIECE_BYTES);
		n = fd_read_some(l->fd, s->text.data + s->text.len,
				 PIECE_BYTES);
		if (n < 0) {
			s->error = errno;
			return;
		}
		cut(&s->text, s->text.len + (size_t)n);
		s->end = n == 0;
		whole = last_line(&s->text);
	}
	buf_clear(&l->rest);
	if (s->end || whole == 0)
		return;
	buf_add(&l->rest, s->text.data + whole, s->text.len - whole);
	cut(&s->text, whole);
}

static bool fill(void *arg, size_t i)
{
	struct lines *l = arg;
	struct slot *s = &l->slots[i];

	read_piece(l, s);
	return !s->end && s->error == 0;
}

struct lines *lines_new(int fd, size_t max)
{
	struct lines *l = xcalloc(1, sizeof(*l));

	l->fd = fd;
	l->max = max;
	l->ahead = ahead_new(ahead_pays(fd), fill, l);
	return l;
}

int lines_next(struct lines *l, struct lines_piece *out)
{
	struct slot *s = &l->slots[ahead_next(l->ahead)];

	if (s->error != 0) {
		errno = s->error;
		return -1;
	}
	*out = (struct lines_piece){ buf_str(&s->text), s->text.len, s->end };
	return 0;
}

void lines_free(struct lines *l)
{
	if (l == NULL)
		return;
	ahead_free(l->ahead);
	for (size_t i = 0; i < AHEAD_SLOTS; i++)
		buf_deinit(&l->slots[i].text);
	buf_deinit(&l->rest);
	fd_closep(&l->fd);
	free(l);
}

void lines_freep(struct lines **l)
{
	lines_free(*l);
	*l = NULL;
}
