#include "tests/unit/unit.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/fake/load.h"

static void run_ok(const struct load_spec *spec, struct load_job *jobs,
		   size_t n)
{
	struct err e;

	if (load_run(spec, jobs, n, &e) < 0)
		fail_msg("%s", e.msg);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(jobs[i].submitted, jobs[i].reaped);
}

// --- a device of the test's own: a pipe, which another thread feeds ---------

enum {
	PIPE_BLOCK = 512,
};

struct feeder {
	pthread_t thread;
	int read_fd, write_fd;
	int64_t stall_at_ns; // after the start; 0: never
	int64_t stall_ns;
	int64_t gap_ns; // between blocks; 0: as fast as they are taken
	_Atomic bool stop;
};

static void *feed(void *arg)
{
	static const char block[PIPE_BLOCK] = { 0 };
	struct feeder *f = arg;
	int64_t begin = clock_mono_ns();
	bool stalled = f->stall_at_ns == 0;

	while (!f->stop) {
		if (!stalled && clock_mono_ns() - begin > f->stall_at_ns) {
			clock_sleep_ns(f->stall_ns);
			stalled = true;
		}
		if (f->gap_ns > 0)
			clock_sleep_ns(f->gap_ns);
		if (write(f->write_fd, block, sizeof(block)) < 0)
			clock_sleep_ns(NS_PER_MS / 10); // full: EAGAIN
	}
	return NULL;
}

// The pipe holds one page: a stall is felt after eight blocks.
static void feeder_start(struct feeder *f)
{
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	f->read_fd = fds[0];
	f->write_fd = fds[1];
	assert_true(fcntl(f->write_fd, F_SETPIPE_SZ, BLOCK) >= 0);
	assert_int_equal(fd_set_nonblock(f->write_fd), 0);
	assert_int_equal(pthread_create(&f->thread, NULL, feed, f), 0);
}

static void feeder_stop(struct feeder *f)
{
	f->stop = true;
	pthread_join(f->thread, NULL);
	fd_closep(&f->read_fd);
	fd_closep(&f->write_fd);
}

// --- the tests --------------------------------------------------------------

static void a_window_is_measured_and_every_io_accounted_for(void **state)
{
	static const struct {
		uint32_t depth, submit_max, wait_for;
		size_t jobs;
	} cases[] = {
		{ 1, 1, 1, 1 },	    { 7, 7, 1, 1 },	 { 32, 32, 32, 1 },
		{ 128, 32, 32, 1 }, { 128, 32, 1, 2 },	 { 16, 16, 1, 4 },
		{ 5, 2, 5, 1 },	    { 1000, 32, 32, 1 }, { 4096, 4096, 1, 1 },
	};
	CLEANUP(fd_closep) int fd = file_new();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct load_spec spec = spec_for(fd, BLOCK);
		CLEANUP(cleanup_free)
		struct load_job *jobs =
			jobs_new(cases[i].jobs, FILE_BYTES / BLOCK);

		spec.depth = cases[i].depth;
		spec.submit_max = cases[i].submit_max;
		spec.wait_for = cases[i].wait_for;
		run_ok(&spec, jobs, cases[i].jobs);
		for (size_t n = 0; n < cases[i].jobs; n++) {
			const struct load_job *j = &jobs[n];

			if (j->lat.n == 0 || j->lat.n > j->reaped ||
			    j->window_ns < spec.runtime_ns ||
			    j->lat.max > j->window_ns || j->cpu_ns == 0 ||
			    j->depth > spec.depth || errors_of(j) > 0)
				fail_msg("case %zu, job %zu: n %llu depth %g",
					 i, n, (unsigned long long)j->lat.n,
					 j->depth);
		}
	}
}

static void percentiles_lie_between_the_least_and_the_most(void **state)
{
	CLEANUP(fd_closep) int fd = file_new();
	struct load_spec spec = spec_for(fd, BLOCK);
	CLEANUP(cleanup_free)
	struct load_job *job = jobs_new(1, FILE_BYTES / BLOCK);
	double p50, p999;

	(void)state;
	spec.depth = spec.submit_max = 8;
	run_ok(&spec, job, 1);
	p50 = hist_percentile(&job->lat, 0.5);
	p999 = hist_percentile(&job->lat, 0.999);
	assert_true(p50 >= (double)job->lat.min && p50 <= p999);
	assert_true(p999 <= (double)job->lat.max);
}

static void all_that_is_asked_for_is_in_flight(void **state)
{
	CLEANUP(fd_closep) int fd = file_new();
	struct load_spec spec = spec_for(fd, BLOCK);
	CLEANUP(cleanup_free)
	struct load_job *job = jobs_new(1, FILE_BYTES / BLOCK);

	(void)state;
	spec.depth = spec.submit_max = 64;
	run_ok(&spec, job, 1);
	assert_true(fabs(job->depth - 64) < 1e-9);
}

// A block each 2 ms: about 50 in the ramp and 50 in the window.
static void the_ramp_is_not_counted_and_the_ring_drained(void **state)
{
	struct feeder f = { .gap_ns = 2 * NS_PER_MS };
	struct load_spec spec;
	CLEANUP(cleanup_free) struct load_job *job = jobs_new(1, 8);

	(void)state;
	feeder_start(&f);
	spec = spec_for(f.read_fd, PIPE_BLOCK);
	spec.depth = spec.submit_max = 20;
	spec.ramp_ns = spec.runtime_ns = 100 * NS_PER_MS;
	run_ok(&spec, job, 1);
	feeder_stop(&f);
	assert_in_range(job->lat.n, 1, job->reaped - 20);
	assert_true(job->window_ns >= spec.runtime_ns);
	assert_int_equal(errors_of(job) + job->shorts, 0);
}

static void stall(struct load_spec *spec, struct load_job *job)
{
	struct feeder f = { .stall_at_ns = 300 * NS_PER_MS,
			    .stall_ns = 400 * NS_PER_MS };

	feeder_start(&f);
	spec->fd = f.read_fd;
	spec->runtime_ns = NS_PER_S;
	run_ok(spec, job, 1);
	feeder_stop(&f);
}

// 400 ms of silence in one second: at a fixed rate four in ten I/Os waited,
// for 200 ms in the mean. The closed loop sees one slow I/O among thousands.
static void a_stall_shows_at_a_rate_and_hides_in_a_closed_loop(void **state)
{
	struct load_spec spec = spec_for(-1, PIPE_BLOCK);
	CLEANUP(cleanup_free) struct load_job *open = jobs_new(1, 8);
	CLEANUP(cleanup_free) struct load_job *closed = jobs_new(1, 8);

	(void)state;
	stall(&spec, closed);
	spec.rate = 1000;
	spec.depth = spec.submit_max = 600;
	stall(&spec, open);
	assert_true(closed->lat.max > 350 * (uint64_t)NS_PER_MS);
	assert_true(open->lat.max > 350 * (uint64_t)NS_PER_MS);
	assert_true(hist_percentile(&open->lat, 0.9) > 150.0 * NS_PER_MS);
	assert_true(hist_percentile(&closed->lat, 0.9) < 100.0 * NS_PER_MS);
	assert_in_range(open->lat.n, 800, 1001);
}

// With one slot the stall leaves 400 I/Os due, which start late: they are
// measured from when they were due, not from when a slot was free.
static void latency_at_a_rate_runs_from_the_intended_start(void **state)
{
	struct load_spec spec = spec_for(-1, PIPE_BLOCK);
	CLEANUP(cleanup_free) struct load_job *job = jobs_new(1, 8);

	(void)state;
	spec.rate = 1000;
	stall(&spec, job);
	assert_true(hist_percentile(&job->lat, 0.9) > 150.0 * NS_PER_MS);
}

static void a_rate_that_is_too_high_is_said(void **state)
{
	struct feeder f = { .gap_ns = 2 * NS_PER_MS };
	struct load_spec spec;
	CLEANUP(cleanup_free) struct load_job *job = jobs_new(1, 8);

	(void)state;
	feeder_start(&f);
	spec = spec_for(f.read_fd, PIPE_BLOCK);
	spec.rate = 10000;
	spec.depth = 4;
	spec.runtime_ns = 200 * NS_PER_MS;
	run_ok(&spec, job, 1);
	feeder_stop(&f);
	assert_true(job->behind > 1000);
}

static void a_rate_is_kept(void **state)
{
	CLEANUP(fd_closep) int fd = file_new();
	struct load_spec spec = spec_for(fd, BLOCK);
	CLEANUP(cleanup_free)
	struct load_job *job = jobs_new(1, FILE_BYTES / BLOCK);

	(void)state;
	spec.rate = 2000;
	spec.depth = 64;
	spec.runtime_ns = 500 * NS_PER_MS;
	run_ok(&spec, job, 1);
	// On a busy machine the window may end late, with more in it.
	assert_true((double)job->lat.n >= 900);
	assert_true((double)job->lat.n <=
		    2 + 2000 * (double)job->window_ns / NS_PER_S);
}

static void io_beyond_the_end_is_short_and_no_latency(void **state)
{
	CLEANUP(fd_closep) int fd = file_new();
	struct load_spec spec = spec_for(fd, BLOCK);
	CLEANUP(cleanup_free) struct load_job *job = jobs_new(1, 1);

	(void)state;
	load_offset_init(&job->offset, LOAD_SEQUENTIAL, FILE_BYTES / BLOCK, 4,
			 1);
	spec.depth = spec.submit_max = 4;
	run_ok(&spec, job, 1);
	assert_int_equal(job->lat.n, 0);
	assert_int_equal(job->shorts, job->reaped);
}

static void errors_are_counted_by_their_number(void **state)
{
	CLEANUP(fd_closep) int fd = open("/dev/full", O_RDWR | O_CLOEXEC);
	CLEANUP(fd_closep) int unwritable = open("/proc/self/exe", O_RDONLY);
	const struct {
		int fd, errnum;
	} cases[] = { { fd, ENOSPC }, { unwritable, EBADF } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct load_spec spec = spec_for(cases[i].fd, BLOCK);
		CLEANUP(cleanup_free) struct load_job *job = jobs_new(1, 8);

		spec.read_pct = 0;
		spec.depth = 8;
		spec.submit_max = 8;
		run_ok(&spec, job, 1);
		assert_int_equal(job->lat.n, 0);
		assert_true(job->reaped > 0);
		if (job->errors[cases[i].errnum] != job->reaped)
			fail_msg("errno %d: %llu of %llu", cases[i].errnum,
				 (unsigned long long)errors_of(job),
				 (unsigned long long)job->reaped);
	}
}

static unsigned written_blocks(int fd)
{
	CLEANUP(cleanup_free) char *all = xcalloc(1, FILE_BYTES);
	CLEANUP(cleanup_free) char *zeros = xcalloc(1, BLOCK);
	unsigned n = 0;

	assert_int_equal(pread(fd, all, FILE_BYTES, 0), FILE_BYTES);
	for (size_t i = 0; i < FILE_BYTES; i += BLOCK)
		n += memcmp(all + i, zeros, BLOCK) != 0;
	return n;
}

static void only_what_writes_changes_the_file(void **state)
{
	static const struct {
		uint32_t read_pct;
		bool changes;
	} cases[] = { { 100, false }, { 50, true }, { 0, true } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(fd_closep) int fd = file_new();
		struct load_spec spec = spec_for(fd, BLOCK);
		CLEANUP(cleanup_free)
		struct load_job *job = jobs_new(1, FILE_BYTES / BLOCK);

		spec.read_pct = cases[i].read_pct;
		spec.depth = 4;
		spec.submit_max = 4;
		run_ok(&spec, job, 1);
		assert_int_equal(written_blocks(fd) > 0, cases[i].changes);
	}
}

// One write a block in order: with 4 blocks of 256 only those are touched.
static void io_stays_in_its_range(void **state)
{
	CLEANUP(fd_closep) int fd = file_new();
	struct load_spec spec = spec_for(fd, BLOCK);
	CLEANUP(cleanup_free) struct load_job *job = jobs_new(1, 1);

	(void)state;
	load_offset_init(&job->offset, LOAD_SEQUENTIAL, 100, 4, 1);
	spec.read_pct = 0;
	run_ok(&spec, job, 1);
	assert_int_equal(written_blocks(fd), 4);
}

static void signal_it(int sig)
{
	(void)sig;
}

// Signals every thread but this one and the first.
static void *bombard(void *arg)
{
	const _Atomic bool *stop = arg;
	pid_t self = getpid(), here = gettid();

	while (!*stop) {
		for (pid_t t = here + 1; t < here + 20; t++)
			syscall(SYS_tgkill, self, t, SIGUSR1);
		clock_sleep_ns(NS_PER_MS);
	}
	return NULL;
}

static void interrupted_waits_go_on(void **state)
{
	struct feeder f = { .gap_ns = 5 * NS_PER_MS };
	struct sigaction act = { .sa_handler = signal_it };
	CLEANUP(cleanup_free) struct load_job *job = jobs_new(1, 8);
	struct load_spec spec;
	_Atomic bool stop = false;
	pthread_t bomber;

	(void)state;
	sigaction(SIGUSR1, &act, NULL);
	feeder_start(&f);
	assert_int_equal(pthread_create(&bomber, NULL, bombard, &stop), 0);
	spec = spec_for(f.read_fd, PIPE_BLOCK);
	spec.runtime_ns = 200 * NS_PER_MS;
	run_ok(&spec, job, 1);
	stop = true;
	pthread_join(bomber, NULL);
	feeder_stop(&f);
	assert_true(job->interrupted > 0);
	assert_true(job->lat.n > 0);
	assert_int_equal(errors_of(job) + job->shorts, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_window_is_measured_and_every_io_accounted_for),
		cmocka_unit_test(
			percentiles_lie_between_the_least_and_the_most),
		cmocka_unit_test(all_that_is_asked_for_is_in_flight),
		cmocka_unit_test(the_ramp_is_not_counted_and_the_ring_drained),
		cmocka_unit_test(
			a_stall_shows_at_a_rate_and_hides_in_a_closed_loop),
		cmocka_unit_test(
			latency_at_a_rate_runs_from_the_intended_start),
		cmocka_unit_test(a_rate_that_is_too_high_is_said),
		cmocka_unit_test(a_rate_is_kept),
		cmocka_unit_test(io_beyond_the_end_is_short_and_no_latency),
		cmocka_unit_test(errors_are_counted_by_their_number),
		cmocka_unit_test(only_what_writes_changes_the_file),
		cmocka_unit_test(io_stays_in_its_range),
		cmocka_unit_test(interrupted_waits_go_on),
	};
	struct err e;

	if (load_uring_probe(&e) < 0) {
		puts(e.msg);
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
