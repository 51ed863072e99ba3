#include "runner/base/lines.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runner/base/alloc.h"
#include "runner/base/buf.h"
#include "runner/base/fd.h"

enum {
	PIECE_BYTES = 256 << 10, // stays in the CPU's cache
	SLOTS = 4,
	THREAD_BYTES = 4 << 20, // of a file that is worth one
};

struct slot {
	struct buf text;
	bool end;
	int error; // errno, or 0
};

struct lines {
	int fd;
	size_t max;
	struct buf rest;	// of the file's text so far, for the next slot
	bool threaded, in_hand; // the reader has a slot
	pthread_t thread;
	// Slots [taken, filled) are the reader's, the others the thread's;
	// both count on, modulo SLOTS. The lock guards what follows.
	struct slot slots[SLOTS];
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned filled, taken;
	bool stop;
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

static void fill(struct lines *l, struct slot *s)
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

static void *read_ahead(void *arg)
{
	struct lines *l = arg;
	bool last = false;

	pthread_mutex_lock(&l->lock);
	while (!last && !l->stop) {
		struct slot *s = &l->slots[l->filled % SLOTS];

		if (l->filled - l->taken == SLOTS) {
			pthread_cond_wait(&l->changed, &l->lock);
			continue;
		}
		pthread_mutex_unlock(&l->lock);
		fill(l, s);
		last = s->end || s->error != 0;
		pthread_mutex_lock(&l->lock);
		l->filled++;
		pthread_cond_signal(&l->changed);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

// Signals are for the others.
static bool start_thread(struct lines *l)
{
	sigset_t all, before;
	int status;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	status = pthread_create(&l->thread, NULL, read_ahead, l);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return status == 0;
}

struct lines *lines_new(int fd, size_t max)
{
	struct lines *l = xcalloc(1, sizeof(*l));
	struct stat st;

	l->fd = fd;
	l->max = max;
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->changed, NULL);
	if (fstat(fd, &st) == 0 && st.st_size >= THREAD_BYTES)
		l->threaded = start_thread(l);
	return l;
}

// The thread may have the slot in hand back, if there is one; waits for the
// next.
static struct slot *exchange(struct lines *l)
{
	struct slot *s;

	pthread_mutex_lock(&l->lock);
	l->taken += l->in_hand;
	pthread_cond_signal(&l->changed);
	while (l->filled == l->taken)
		pthread_cond_wait(&l->changed, &l->lock);
	s = &l->slots[l->taken % SLOTS];
	pthread_mutex_unlock(&l->lock);
	l->in_hand = true;
	return s;
}

int lines_next(struct lines *l, struct lines_piece *out)
{
	struct slot *s = &l->slots[0];

	if (l->threaded)
		s = exchange(l);
	else
		fill(l, s);
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
	if (l->threaded) {
		pthread_mutex_lock(&l->lock);
		l->stop = true;
		pthread_cond_signal(&l->changed);
		pthread_mutex_unlock(&l->lock);
		pthread_join(l->thread, NULL);
	}
	for (size_t i = 0; i < SLOTS; i++)
		buf_deinit(&l->slots[i].text);
	buf_deinit(&l->rest);
	pthread_cond_destroy(&l->changed);
	pthread_mutex_destroy(&l->lock);
	fd_closep(&l->fd);
	free(l);
}

void lines_freep(struct lines **l)
{
	lines_free(*l);
	*l = NULL;
}
