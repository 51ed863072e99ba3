#include "runner/agent/load_uring.h"

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>

#include "runner/agent/load_loop.h"
#include "runner/base/alloc.h"

// One thread a job: it makes its own ring, waits until all have theirs, runs.
struct crew {
	const struct load_spec *spec;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t ready;
	enum {
		CREW_WAIT,
		CREW_RUN,
		CREW_ABORT
	} order;
};

struct member {
	struct crew *crew;
	struct load_job *job;
	pthread_t thread;
	int rc;
	struct err err;
};

static bool wait_for_order(struct crew *c)
{
	bool run;

	pthread_mutex_lock(&c->lock);
	c->ready++;
	pthread_cond_broadcast(&c->changed);
	while (c->order == CREW_WAIT)
		pthread_cond_wait(&c->changed, &c->lock);
	run = c->order == CREW_RUN;
	pthread_mutex_unlock(&c->lock);
	return run;
}

static int member_work(struct member *m, struct err *e)
{
	CLEANUP(load_ring_deinit) struct load_ring ring = { 0 };
	CLEANUP(load_loop_freep) struct load_loop *loop = NULL;
	bool run;

	m->rc = load_ring_init(&ring, m->crew->spec, m->job, e);
	if (m->rc == 0)
		loop = load_loop_new(m->crew->spec, m->job, &ring);
	run = wait_for_order(m->crew);
	return m->rc == 0 && run ? load_loop_run(loop, e) : m->rc;
}

static void *member_main(void *arg)
{
	struct member *m = arg;

	// An open loop wakes up when it asked to, not 50 us later.
	prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
	m->rc = member_work(m, &m->err);
	return NULL;
}

// All have set up, well or not: say what to do next.
static void give_order(struct crew *c, const struct member *m, size_t n,
		       bool run)
{
	pthread_mutex_lock(&c->lock);
	while (c->ready < n)
		pthread_cond_wait(&c->changed, &c->lock);
	for (size_t i = 0; i < n; i++)
		run = run && m[i].rc == 0;
	c->order = run ? CREW_RUN : CREW_ABORT;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

static int join_all(const struct member *m, size_t n, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < n; i++) {
		pthread_join(m[i].thread, NULL);
		if (m[i].rc < 0 && rc == 0)
			rc = err_set(e, m[i].err.kind, "%s", m[i].err.msg);
	}
	return rc;
}

static size_t start_all(struct crew *c, struct member *m, struct load_job *jobs,
			size_t n, int *rc)
{
	size_t i = 0;

	for (*rc = 0; i < n; i++) {
		m[i].crew = c;
		m[i].job = &jobs[i];
		*rc = pthread_create(&m[i].thread, NULL, member_main, &m[i]);
		if (*rc != 0)
			break;
	}
	return i;
}

int load_run(const struct load_spec *spec, struct load_job *jobs, size_t njobs,
	     struct err *e)
{
	CLEANUP(cleanup_free) struct member *members = NULL;
	struct crew crew = { .spec = spec,
			     .lock = PTHREAD_MUTEX_INITIALIZER,
			     .changed = PTHREAD_COND_INITIALIZER };
	size_t started;
	int rc;

	assert(njobs > 0 && njobs <= LOAD_JOBS_MAX);
	assert(spec->depth > 0 && spec->depth <= LOAD_DEPTH_MAX);
	members = xcalloc(njobs, sizeof(*members));
	started = start_all(&crew, members, jobs, njobs, &rc);
	give_order(&crew, members, started, started == njobs);
	if (join_all(members, started, e) < 0)
		return -1;
	if (started < njobs)
		return err_set(e, ERR_HOST, "job %zu: thread: %s", started,
			       strerror(rc));
	return 0;
}
