#include "runner/agent/load_loop.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runner/agent/load_enter.h"
#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

enum {
	STUCK_MAX = 1000 * 1000, // refused system calls in a row
	SPIN_NS = 60 * 1000,	 // open loop: how long before a start it polls
	DRAIN_WAIT_NS = 1000 * 1000 * 1000,
};

enum phase {
	PHASE_RAMP,
	PHASE_WINDOW,
	PHASE_DRAIN
};

// What the loop works on; the ring's indices are kept here and published.
struct load_loop {
	struct io_uring_sqe *sqes;
	const struct io_uring_cqe *cqes;
	unsigned *sq_ktail, *cq_khead;
	const unsigned *cq_ktail;
	unsigned sq_mask, cq_mask;
	unsigned sq_tail, cq_head;
	unsigned unsubmitted; // published, not yet taken by the kernel
	int enter_fd;
	unsigned enter_flags;

	uint32_t *idle;	 // stack of free slots: the last reaped is the first
	unsigned nidle;	 // reused, while its buffer is in the cache
	uint64_t *start; // a slot: its stamp, ticks
	const struct iovec *buffers;
	uint16_t index_mask; // of buf_index: all ones, or 0 without fixed
			     // buffers
	struct load_offset offset;
	struct rng mix;		// read or write?
	uint32_t write_buffers; // in a mix: the first buffer for writes; or 0
	uint32_t read_pct;
	uint8_t read_op, write_op;
	uint32_t bs;

	struct load_clock clock;
	struct hist *lat;	     // of the window, or `scratch`
	uint64_t lat_sum_ns;	     // since the phase began
	uint64_t depth_ticks, ticks; // since the phase began
	uint64_t edge;		     // when the phase ends, ticks
	enum phase phase;
	int fatal; // errno of a system call that ends the run
	unsigned stuck;

	const struct load_spec *spec;
	struct load_job *job;
	struct load_ring *ring;
	uint64_t phase_start;
	int64_t cpu_start_ns;
	struct hist scratch;
};

static int64_t process_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

// Makes one request in the next entry. Only what changes is written: the
// rest was put there by prepare_entries.
static inline void fill_one(struct load_loop *l, uint64_t stamp)
{
	uint32_t slot = l->idle[--l->nidle];
	struct io_uring_sqe *sqe = &l->sqes[l->sq_tail++ & l->sq_mask];

	uint32_t buffer = slot;

	if (l->write_buffers > 0) {
		bool reads = rng_below(&l->mix, 100) < l->read_pct;

		sqe->opcode = reads ? l->read_op : l->write_op;
		buffer += reads ? 0 : l->write_buffers;
	}
	sqe->off = load_offset_next(&l->offset) * l->bs;
	sqe->addr = (uintptr_t)l->buffers[buffer].iov_base;
	sqe->buf_index = (uint16_t)(buffer & l->index_mask);
	sqe->user_data = slot;
	l->start[slot] = stamp;
}

static inline void fill(struct load_loop *l, unsigned n, uint64_t stamp)
{
	for (unsigned i = 0; i < n; i++)
		fill_one(l, stamp);
	l->unsubmitted += n;
	__atomic_store_n(l->sq_ktail, l->sq_tail, __ATOMIC_RELEASE);
}

// A submission that is refused takes no completions either, and those may be
// what the kernel wants room for.
static void await_one(struct load_loop *l)
{
	if (l->nidle + l->unsubmitted < l->spec->depth)
		load_enter(l->enter_fd, 0, 1, l->enter_flags, NULL);
}

// The kernel took fewer than were offered, or refused: the rest stays in the
// queue and is offered again. Only a refusal without end is an error.
static void __attribute__((noinline, cold))
enter_odd(struct load_loop *l, long ret)
{
	if (ret >= 0) {
		l->job->partial++;
		return;
	}
	if (ret == -ETIME)
		return;
	if (ret == -EINTR) {
		l->job->interrupted++;
	} else if (ret == -EAGAIN || ret == -EBUSY) {
		l->job->busy++;
		await_one(l);
	}
	if ((ret != -EINTR && ret != -EAGAIN && ret != -EBUSY) ||
	    l->stuck++ >= STUCK_MAX) {
		l->fatal = (int)-ret;
		l->phase = PHASE_DRAIN;
	}
}

static inline void enter(struct load_loop *l, unsigned wait)
{
	long ret = load_enter(l->enter_fd, l->unsubmitted, wait, l->enter_flags,
			      NULL);

	if (unlikely(ret != (long)l->unsubmitted))
		enter_odd(l, ret);
	if (likely(ret >= 0)) {
		l->unsubmitted -= (unsigned)ret;
		l->job->submitted += (uint64_t)ret;
	}
}

// As enter, for at most ns.
static void enter_timed(struct load_loop *l, unsigned wait, uint64_t ns)
{
	struct __kernel_timespec ts = {
		.tv_sec = (long long)(ns / (uint64_t)NS_PER_S),
		.tv_nsec = (long long)(ns % (uint64_t)NS_PER_S),
	};
	struct io_uring_getevents_arg arg = { .ts = (uintptr_t)&ts };
	long ret = load_enter(l->enter_fd, l->unsubmitted, wait,
			      l->enter_flags | IORING_ENTER_EXT_ARG, &arg);

	if (ret != (long)l->unsubmitted)
		enter_odd(l, ret);
	if (ret >= 0) {
		l->unsubmitted -= (unsigned)ret;
		l->job->submitted += (uint64_t)ret;
	}
}

static void __attribute__((noinline, cold))
reap_odd(struct load_loop *l, const struct io_uring_cqe *cqe)
{
	int errnum = -cqe->res;

	if (errnum <= 0)
		l->job->shorts++;
	else if (errnum == EAGAIN || errnum == EINTR)
		l->job->retried++;
	else
		l->job->errors[MIN(errnum, LOAD_ERRNOS - 1)]++;
}

// As hist_add, with a sum of whole numbers: at a depth of 1 the conversions
// to floating point are a percent of an I/O.
static inline void add_latency(struct load_loop *l, uint64_t ticks,
			       uint64_t times)
{
	uint64_t ns = load_clock_ns(&l->clock, ticks);

	hist_count(l->lat, ns, times);
	l->lat_sum_ns += ns * times;
}

// Completions of one batch mostly carry one stamp: they go into the histogram
// as one addition.
static inline unsigned reap(struct load_loop *l, uint64_t now)
{
	unsigned head = l->cq_head;
	unsigned tail = __atomic_load_n(l->cq_ktail, __ATOMIC_ACQUIRE);
	unsigned n = tail - head;
	uint64_t stamp = 0, same = 0;

	l->job->reaped += n;
	for (; head != tail; head++) {
		const struct io_uring_cqe *cqe = &l->cqes[head & l->cq_mask];
		uint32_t slot = (uint32_t)cqe->user_data;

		l->idle[l->nidle++] = slot;
		if (unlikely(cqe->res != (int32_t)l->bs)) {
			reap_odd(l, cqe);
			continue;
		}
		if (l->start[slot] != stamp && same > 0) {
			add_latency(l, now - stamp, same);
			same = 0;
		}
		stamp = l->start[slot];
		same++;
	}
	if (same > 0)
		add_latency(l, now - stamp, same);
	l->stuck = n == 0 ? l->stuck : 0;
	l->cq_head = head;
	__atomic_store_n(l->cq_khead, head, __ATOMIC_RELEASE);
	return n;
}

static void open_window(struct load_loop *l, uint64_t now)
{
	l->phase = PHASE_WINDOW;
	l->phase_start = now;
	l->edge = now + load_clock_ticks(&l->clock, l->spec->runtime_ns);
	l->lat = &l->job->lat;
	l->ticks = l->depth_ticks = l->lat_sum_ns = 0;
	l->cpu_start_ns = process_cpu_ns();
}

static void close_window(struct load_loop *l, uint64_t now)
{
	l->job->cpu_ns = (uint64_t)(process_cpu_ns() - l->cpu_start_ns);
	l->job->window_ns = load_clock_ns(&l->clock, now - l->phase_start);
	l->job->depth =
		l->ticks == 0 ? 0 : (double)l->depth_ticks / (double)l->ticks;
	l->job->lat.sum = (double)l->lat_sum_ns;
	l->phase = PHASE_DRAIN;
	l->lat = &l->scratch;
}

static void __attribute__((noinline))
next_phase(struct load_loop *l, uint64_t now)
{
	if (l->phase == PHASE_RAMP)
		open_window(l, now);
	else if (l->phase == PHASE_WINDOW)
		close_window(l, now);
}

// After a system call that began at `before`: reap, and look at the time.
// Returns the stamp from which the next batch is timed. After a single
// completion that is the one just taken: to read the counter once more costs
// as much as what lies between.
static inline uint64_t settle(struct load_loop *l, uint64_t before)
{
	uint64_t now = load_clock_stamp(&l->clock);
	unsigned n;

	l->ticks += now - before;
	l->depth_ticks +=
		(now - before) * (l->spec->depth - l->nidle - l->unsubmitted);
	n = reap(l, now);
	if (unlikely(now >= l->edge))
		next_phase(l, now);
	return n == 1 ? now : load_clock_stamp(&l->clock);
}

// Closed loop: what was reaped is replaced at once.
static void run_closed(struct load_loop *l)
{
	const unsigned submit_max = l->spec->submit_max;
	const unsigned wait_for = l->spec->wait_for;
	uint64_t stamp = load_clock_stamp(&l->clock);

	while (likely(l->phase != PHASE_DRAIN)) {
		fill(l, MIN(l->nidle, submit_max), stamp);
		enter(l, l->nidle > 0 ? 0 : wait_for);
		stamp = settle(l, stamp);
	}
}

// Nothing is due before `next`: wait for a completion, but be awake in time.
static void idle_until(struct load_loop *l, uint64_t now, uint64_t next)
{
	uint64_t gap = load_clock_ns(&l->clock, next - now);

	if (l->ring->timed && gap > SPIN_NS)
		enter_timed(l, 1, gap - SPIN_NS);
	else
		enter(l, 0);
}

// Open loop: I/O number i is due at start + i / rate, whatever the device
// does, and its latency runs from there.
static void run_open(struct load_loop *l)
{
	uint64_t begin = load_clock_stamp(&l->clock), started = 0;
	double gap =
		(double)load_clock_ticks(&l->clock, NS_PER_S) / l->spec->rate;

	while (l->phase != PHASE_DRAIN) {
		uint64_t now = load_clock_stamp(&l->clock);
		uint64_t due = 1 + (uint64_t)((double)(now - begin) / gap);
		unsigned n = (unsigned)MIN(due - started, (uint64_t)l->nidle);

		for (unsigned i = 0; i < n; i++, started++)
			fill_one(l, begin + (uint64_t)((double)started * gap));
		l->unsubmitted += n;
		__atomic_store_n(l->sq_ktail, l->sq_tail, __ATOMIC_RELEASE);
		if (n == 0 && l->nidle > 0)
			idle_until(l, now,
				   begin + (uint64_t)((double)started * gap));
		else
			enter(l, l->nidle > 0 ? 0 : 1);
		settle(l, now);
		l->job->behind = due - started;
	}
}

static uint32_t count_io_workers(void)
{
	DIR *d = opendir("/proc/self/task");
	const struct dirent *t;
	uint32_t n = 0;

	while (d != NULL && (t = readdir(d)) != NULL) {
		char path[300], comm[32];

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm",
			 t->d_name);
		if (file_read_line(path, comm, sizeof(comm)) == 0 &&
		    strncmp(comm, "iou-wrk", 7) == 0)
			n++;
	}
	if (d != NULL)
		closedir(d);
	return n;
}

// Every I/O that was started is waited for; none may be lost.
static int drain(struct load_loop *l, struct err *e)
{
	int64_t until = clock_mono_ns() + LOAD_DRAIN_S * NS_PER_S;

	while (l->fatal == 0 && l->nidle < l->spec->depth &&
	       clock_mono_ns() < until) {
		if (l->ring->timed)
			enter_timed(l, 1, DRAIN_WAIT_NS);
		else
			enter(l, 1);
		reap(l, load_clock_stamp(&l->clock));
	}
	if (l->fatal != 0)
		return err_set(e, ERR_HOST, "io_uring_enter: %s (errno %d)%s",
			       strerror(l->fatal), l->fatal,
			       l->stuck > 0 ? ", again and again" : "");
	if (l->nidle < l->spec->depth)
		return err_set(e, ERR_HOST,
			       "%u I/Os did not complete within %d s of the "
			       "end of the window",
			       l->spec->depth - l->nidle, LOAD_DRAIN_S);
	if (l->job->submitted != l->job->reaped)
		return err_set(e, ERR_HOST,
			       "lost completions: %llu I/Os submitted, %llu "
			       "reaped",
			       (unsigned long long)l->job->submitted,
			       (unsigned long long)l->job->reaped);
	return 0;
}

static void prepare_entries(struct load_loop *l)
{
	const struct load_ring *r = l->ring;

	l->read_op = r->fixed_buffers ? IORING_OP_READ_FIXED : IORING_OP_READ;
	l->write_op =
		r->fixed_buffers ? IORING_OP_WRITE_FIXED : IORING_OP_WRITE;
	memset(l->sqes, 0, (l->sq_mask + 1) * sizeof(*l->sqes));
	for (unsigned i = 0; i <= l->sq_mask; i++) {
		l->sqes[i].opcode = l->read_pct > 0 ? l->read_op : l->write_op;
		l->sqes[i].flags = r->fixed_file ? IOSQE_FIXED_FILE : 0;
		l->sqes[i].fd = r->fixed_file ? 0 : l->spec->fd;
		l->sqes[i].len = l->bs;
	}
}

struct load_loop *load_loop_new(const struct load_spec *spec,
				struct load_job *job, struct load_ring *r)
{
	struct io_uring *u = &r->uring;
	struct load_loop *l = xmalloc(sizeof(*l));

	*l = (struct load_loop){
		.sqes = u->sq.sqes,
		.cqes = u->cq.cqes,
		.sq_ktail = u->sq.ktail,
		.cq_khead = u->cq.khead,
		.cq_ktail = u->cq.ktail,
		.sq_mask = *u->sq.kring_mask,
		.cq_mask = *u->cq.kring_mask,
		.enter_fd = r->enter_fd,
		.enter_flags = r->enter_flags,
		.idle = xcalloc(spec->depth, sizeof(*l->idle)),
		.nidle = spec->depth,
		.start = xcalloc(spec->depth, sizeof(*l->start)),
		.buffers = r->buffers,
		.write_buffers = r->nbuffers > spec->depth ? spec->depth : 0,
		// Older kernels refuse an index on plain reads and writes.
		.index_mask = r->fixed_buffers ? UINT16_MAX : 0,
		.offset = job->offset,
		.read_pct = spec->read_pct,
		.bs = spec->bs,
		.clock = *spec->clock,
		.spec = spec,
		.job = job,
		.ring = r,
	};
	for (unsigned i = 0; i < spec->depth; i++)
		l->idle[i] = spec->depth - 1 - i;
	rng_seed(&l->mix, spec->seed ^ job->offset.rng.s[0]);
	hist_init(&l->scratch);
	hist_init(&job->lat);
	l->lat = &l->scratch;
	prepare_entries(l);
	return l;
}

void load_loop_freep(struct load_loop **l)
{
	if (*l == NULL)
		return;
	free((*l)->idle);
	free((*l)->start);
	free(*l);
	*l = NULL;
}

int load_loop_run(struct load_loop *l, struct err *e)
{
	uint64_t now = load_clock_stamp(&l->clock);

	if (l->spec->ramp_ns == 0)
		open_window(l, now);
	else
		l->edge = now + load_clock_ticks(&l->clock, l->spec->ramp_ns);
	if (l->spec->rate > 0)
		run_open(l);
	else
		run_closed(l);
	l->job->io_workers = count_io_workers();
	return drain(l, e);
}
