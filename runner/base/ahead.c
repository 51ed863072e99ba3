#include "runner/base/ahead.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "runner/base/alloc.h"

enum {
	THREAD_BYTES = 4 << 20, // of a file that is worth one
};

struct ahead {
	ahead_fn *fill;
	void *arg;
	bool threaded, in_hand; // the taker has a slot
	pthread_t thread;
	// Slots [taken, filled) are the taker's, the others the thread's; both
	// count on, modulo AHEAD_SLOTS. The lock guards what follows.
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t filled, taken;
	bool stop;
};

static void *fill_all(void *arg)
{
	struct ahead *a = arg;
	bool more = true;

	pthread_mutex_lock(&a->lock);
	while (more && !a->stop) {
		size_t i = a->filled % AHEAD_SLOTS;

		if (a->filled - a->taken == AHEAD_SLOTS) {
			pthread_cond_wait(&a->changed, &a->lock);
			continue;
		}
		pthread_mutex_unlock(&a->lock);
		more = a->fill(a->arg, i);
		pthread_mutex_lock(&a->lock);
		a->filled++;
		pthread_cond_signal(&a->changed);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

// Signals are for the others.
static bool start_thread(struct ahead *a)
{
	sigset_t all, before;
	int status;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	status = pthread_create(&a->thread, NULL, fill_all, a);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return status == 0;
}

struct ahead *ahead_new(bool thread, ahead_fn *fill, void *arg)
{
	struct ahead *a = xcalloc(1, sizeof(*a));

	a->fill = fill;
	a->arg = arg;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	a->threaded = thread && start_thread(a);
	return a;
}

size_t ahead_next(struct ahead *a)
{
	size_t i;

	if (!a->threaded) {
		a->fill(a->arg, 0);
		return 0;
	}
	pthread_mutex_lock(&a->lock);
	a->taken += a->in_hand;
	a->in_hand = true;
	pthread_cond_signal(&a->changed);
	while (a->filled == a->taken)
		pthread_cond_wait(&a->changed, &a->lock);
	i = a->taken % AHEAD_SLOTS;
	pthread_mutex_unlock(&a->lock);
	return i;
}

void ahead_free(struct ahead *a)
{
	if (a == NULL)
		return;
	if (a->threaded) {
		pthread_mutex_lock(&a->lock);
		a->stop = true;
		pthread_cond_signal(&a->changed);
		pthread_mutex_unlock(&a->lock);
		pthread_join(a->thread, NULL);
	}
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

void ahead_freep(struct ahead **a)
{
	ahead_free(*a);
	*a = NULL;
}

bool ahead_pays(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_size >= THREAD_BYTES;
}
