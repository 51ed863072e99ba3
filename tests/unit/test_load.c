#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/agent/load_uring.h"
#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/base/compiler.h"
#include "runner/base/fd.h"

enum {
	BS = 512,
	BLOCKS = 64,
	TEST_SKIPPED = 77,
};

static struct load_clock test_clock;

static struct load_spec spec_on(int fd)
{
	return (struct load_spec){
		.fd = fd,
		.bs = BS,
		.depth = 8,
		.submit_max = 8,
		.wait_for = 1,
		.read_pct = 100,
		.align = 4096,
		.ramp_ns = 20 * NS_PER_MS,
		.runtime_ns = 100 * NS_PER_MS,
		.clock = &test_clock,
	};
}

static struct load_job *new_job(void)
{
	struct load_job *job = xcalloc(1, sizeof(*job));

	load_offset_init(&job->offset, LOAD_RANDOM, 0, BLOCKS, 1);
	return job;
}

static void run(const struct load_spec *spec, struct load_job *job)
{
	struct err e = { 0 };

	if (load_run(spec, job, 1, &e) < 0)
		fail_msg("%s", e.msg);
}

// A file of BLOCKS blocks that is gone with its descriptor.
static int open_file(void)
{
	char path[] = "/tmp/vrun-load-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(ftruncate(fd, (off_t)BS * BLOCKS), 0);
	return fd;
}

static uint64_t count_errors(const struct load_job *job)
{
	uint64_t n = 0;

	for (int i = 0; i < LOAD_ERRNOS; i++)
		n += job->errors[i];
	return n;
}

static void no_completion_is_lost_at_any_depth(void **state)
{
	static const struct {
		uint32_t depth, submit_max, wait_for;
	} cases[] = {
		{ 1, 1, 1 },	 { 2, 2, 1 },	   { 3, 3, 1 },
		{ 32, 32, 1 },	 { 33, 32, 32 },   { 128, 128, 1 },
		{ 128, 32, 32 }, { 1000, 32, 32 }, { 4096, 4096, 1 },
	};
	CLEANUP(fd_closep) int fd = open_file();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(cleanup_free) struct load_job *job = new_job();
		struct load_spec spec = spec_on(fd);

		spec.depth = cases[i].depth;
		spec.submit_max = cases[i].submit_max;
		spec.wait_for = cases[i].wait_for;
		run(&spec, job);
		if (job->submitted != job->reaped || job->lat.n == 0 ||
		    job->lat.n > job->reaped)
			fail_msg("depth %u: %llu submitted, %llu reaped, %llu "
				 "counted",
				 spec.depth, (unsigned long long)job->submitted,
				 (unsigned long long)job->reaped,
				 (unsigned long long)job->lat.n);
		if (job->depth > spec.depth)
			fail_msg("depth %u: %g in flight", spec.depth,
				 job->depth);
	}
}

static void it_measures_for_the_stated_time_after_the_ramp(void **state)
{
	CLEANUP(fd_closep) int fd = open_file();
	CLEANUP(cleanup_free) struct load_job *job = new_job();
	struct load_spec spec = spec_on(fd);

	(void)state;
	spec.ramp_ns = 200 * NS_PER_MS;
	spec.rate = 1000;
	run(&spec, job);
	assert_true(job->window_ns >= spec.runtime_ns);
	// 300 ms at 1000 a second; the ramp's 200 are not counted. A busy
	// machine may be late, and then catches up.
	assert_in_range(job->lat.n, 50, 200);
	assert_true(job->reaped >= 280);
}

static void percentiles_lie_between_least_and_most(void **state)
{
	CLEANUP(fd_closep) int fd = open_file();
	CLEANUP(cleanup_free) struct load_job *job = new_job();
	struct load_spec spec = spec_on(fd);
	double p50, p999;

	(void)state;
	run(&spec, job);
	p50 = hist_percentile(&job->lat, 0.5);
	p999 = hist_percentile(&job->lat, 0.999);
	assert_true((double)job->lat.min <= p50 && p50 <= p999);
	assert_true(p999 <= (double)job->lat.max);
	assert_true(job->cpu_ns > 0);
}

static void writes_and_mixes_reach_the_file(void **state)
{
	static const uint32_t pcts[] = { 0, 50 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pcts); i++) {
		CLEANUP(fd_closep) int fd = open_file();
		CLEANUP(cleanup_free) struct load_job *job = new_job();
		struct load_spec spec = spec_on(fd);
		char block[BS], zero[BS] = { 0 };

		spec.read_pct = pcts[i];
		run(&spec, job);
		assert_int_equal(count_errors(job), 0);
		assert_int_equal(pread(fd, block, BS, 0), BS);
		assert_memory_not_equal(block, zero, BS);
	}
}

static void errors_of_the_device_are_counted_by_errno(void **state)
{
	CLEANUP(fd_closep) int fd = open("/dev/full", O_RDWR | O_CLOEXEC);
	CLEANUP(cleanup_free) struct load_job *job = new_job();
	struct load_spec spec = spec_on(fd);

	(void)state;
	assert_true(fd >= 0);
	spec.read_pct = 0;
	run(&spec, job);
	assert_int_equal(job->lat.n, 0);
	assert_true(job->errors[ENOSPC] > 0);
	assert_int_equal(job->errors[ENOSPC], count_errors(job));
	assert_int_equal(job->errors[ENOSPC], job->reaped);
}

static void reads_beyond_the_end_are_short_not_counted(void **state)
{
	CLEANUP(fd_closep) int fd = open_file();
	CLEANUP(cleanup_free) struct load_job *job = new_job();
	struct load_spec spec = spec_on(fd);

	(void)state;
	// The last block is cut in half, the second half of the range is not
	// there at all.
	assert_int_equal(ftruncate(fd, BS * BLOCKS / 2 - BS / 2), 0);
	run(&spec, job);
	assert_true(job->shorts > 0);
	assert_true(job->lat.n > 0);
	assert_true(job->shorts + job->lat.n <= job->reaped);
	assert_int_equal(count_errors(job), 0);
}

static void jobs_run_side_by_side(void **state)
{
	enum {
		JOBS = 3
	};
	CLEANUP(fd_closep) int fd = open_file();
	CLEANUP(cleanup_free)
	struct load_job *jobs = xcalloc(JOBS, sizeof(*jobs));
	struct load_spec spec = spec_on(fd);
	struct err e = { 0 };

	(void)state;
	for (int i = 0; i < JOBS; i++)
		load_offset_init(&jobs[i].offset, LOAD_RANDOM, 0, BLOCKS,
				 (uint64_t)i);
	assert_int_equal(load_run(&spec, jobs, JOBS, &e), 0);
	for (int i = 0; i < JOBS; i++) {
		assert_true(jobs[i].lat.n > 0);
		assert_int_equal(jobs[i].submitted, jobs[i].reaped);
	}
}

static void beyond_the_limit_of_fixed_buffers_it_goes_on_and_says_so(
	void **state)
{
	CLEANUP(fd_closep) int fd = open_file();
	CLEANUP(cleanup_free) struct load_job *job = new_job();
	struct load_spec spec = spec_on(fd);

	(void)state;
	spec.depth = spec.submit_max = LOAD_DEPTH_MAX;
	run(&spec, job);
	assert_int_equal(job->submitted, job->reaped);
	assert_non_null(strstr(job->fallback, "no fixed buffers"));
	assert_null(strstr(job->ring, "fixed-buffers"));
}

// --- signals ---------------------------------------------------------------

static void ignore_signal(int signum)
{
	(void)signum;
}

static atomic_bool done;

// A signal to every thread but its own, again and again.
static void *pester(void *arg)
{
	pid_t self = (pid_t)syscall(SYS_gettid);

	while (!atomic_load(&done)) {
		DIR *d = opendir("/proc/self/task");
		const struct dirent *t;

		while (d != NULL && (t = readdir(d)) != NULL) {
			pid_t tid = (pid_t)atoi(t->d_name);

			if (tid > 0 && tid != self)
				syscall(SYS_tgkill, getpid(), tid, SIGUSR1);
		}
		if (d != NULL)
			closedir(d);
		clock_sleep_ns(NS_PER_MS);
	}
	return arg;
}

static void signals_interrupt_without_harm(void **state)
{
	struct sigaction sa = { .sa_handler = ignore_signal };
	CLEANUP(fd_closep) int fd = open_file();
	CLEANUP(cleanup_free) struct load_job *job = new_job();
	struct load_spec spec = spec_on(fd);
	pthread_t t;

	(void)state;
	assert_int_equal(sigaction(SIGUSR1, &sa, NULL), 0);
	assert_int_equal(pthread_create(&t, NULL, pester, NULL), 0);
	spec.rate = 200; // it sleeps between I/Os
	spec.runtime_ns = 300 * NS_PER_MS;
	run(&spec, job);
	atomic_store(&done, true);
	pthread_join(t, NULL);
	assert_true(job->interrupted > 0);
	assert_int_equal(job->submitted, job->reaped);
	assert_int_equal(count_errors(job), 0);
}

// --- a device that stalls ----------------------------------------------------

struct feeder {
	int fd;
	int64_t begin, stall_from, stall_to;
};

// A pipe as the device: a block every 100 us, but for the stall.
static void *feed(void *arg)
{
	static const char block[BS];
	const struct feeder *f = arg;

	for (;;) {
		int64_t t = clock_mono_ns() - f->begin;

		if (t >= f->stall_from && t < f->stall_to)
			clock_sleep_ns(f->stall_to - t);
		if (fd_write_all(f->fd, block, BS) < 0)
			return NULL;
		clock_sleep_ns(100 * NS_PER_US);
	}
}

static void run_with_stall(double rate, struct load_job *job)
{
	int fds[2];
	struct feeder f = { .begin = clock_mono_ns(),
			    .stall_from = 300 * NS_PER_MS,
			    .stall_to = 600 * NS_PER_MS };
	struct load_spec spec;
	pthread_t t;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	f.fd = fds[1];
	// What the pipe holds would bridge a part of the stall.
	assert_true(fcntl(f.fd, F_SETPIPE_SZ, 4096) > 0);
	assert_int_equal(pthread_create(&t, NULL, feed, &f), 0);
	spec = spec_on(fds[0]);
	spec.depth = spec.submit_max = 4;
	spec.ramp_ns = 0;
	spec.runtime_ns = 900 * NS_PER_MS;
	spec.rate = rate;
	run(&spec, job);
	close(fds[0]);
	pthread_join(t, NULL);
	close(fds[1]);
}

// Coordinated omission: a closed loop asks nothing of a device that stalls,
// so the stall is a handful of its I/Os; at a rate it is all that were due.
static void at_a_rate_a_stall_is_not_hidden(void **state)
{
	CLEANUP(cleanup_free) struct load_job *closed = new_job();
	CLEANUP(cleanup_free) struct load_job *open_loop = new_job();

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	run_with_stall(0, closed);
	run_with_stall(1000, open_loop);
	assert_true(closed->lat.max > 200 * NS_PER_MS);
	assert_true(hist_percentile(&closed->lat, 0.9) < 50 * NS_PER_MS);
	assert_true(open_loop->lat.max > 200 * NS_PER_MS);
	// A third of the time was stall: a tenth waited longer than this.
	assert_true(hist_percentile(&open_loop->lat, 0.9) > 80 * NS_PER_MS);
}

// --- where io_uring is forbidden ---------------------------------------------

// This process gets `action` for the system call `nr` when its second
// argument is one of ops (any when nops is 0).
static int forbid(long nr, const unsigned *ops, size_t nops, uint32_t action)
{
	struct sock_filter code[16] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, args[1])),
	};
	struct sock_fprog prog = { .filter = code };
	unsigned short n = 4;

	for (size_t i = 0; i < nops; i++) {
		code[n++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, ops[i], 0, 1);
		code[n++] =
			(struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
	}
	code[n++] = (struct sock_filter)BPF_STMT(
		BPF_RET | BPF_K, nops ? SECCOMP_RET_ALLOW : action);
	prog.len = n;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0
		       ? -1
		       : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

// Runs `check` in a child, as a filter is for life. It returns what is wrong.
static void in_child(const char *(*check)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		const char *wrong = check();

		if (wrong != NULL)
			fprintf(stderr, "%s\n", wrong);
		_exit(wrong != NULL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == TEST_SKIPPED) {
		printf("seccomp filters cannot be set here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

static const char *expect_refusal(int errnum, const char *errno_text)
{
	static struct err e;

	if (forbid(SYS_io_uring_setup, NULL, 0,
		   SECCOMP_RET_ERRNO | (uint32_t)errnum) < 0)
		_exit(TEST_SKIPPED);
	if (load_uring_probe(&e) == 0)
		return "the probe succeeded";
	if (strstr(e.msg, errno_text) == NULL ||
	    strstr(e.msg, "seccomp") == NULL ||
	    strstr(e.msg, "engine: fio") == NULL)
		return e.msg;
	return NULL;
}

static const char *refused_with_eperm(void)
{
	return expect_refusal(EPERM, "(errno 1)");
}

static const char *refused_with_enosys(void)
{
	return expect_refusal(ENOSYS, "(errno 38)");
}

static void a_filter_that_forbids_it_is_named_with_the_remedy(void **state)
{
	(void)state;
	in_child(refused_with_eperm);
	in_child(refused_with_enosys);
}

static const char *run_without_registration(void)
{
	// IORING_REGISTER_BUFFERS, _FILES and _RING_FDS
	static const unsigned ops[] = { 0, 2, 20 };
	CLEANUP(fd_closep) int fd = open_file();
	CLEANUP(cleanup_free) struct load_job *job = new_job();
	struct load_spec spec = spec_on(fd);
	static struct err e;

	if (forbid(SYS_io_uring_register, ops, ARRAY_LEN(ops),
		   SECCOMP_RET_ERRNO | ENOMEM) < 0)
		_exit(TEST_SKIPPED);
	if (load_run(&spec, job, 1, &e) < 0)
		return e.msg;
	if (job->lat.n == 0 || job->submitted != job->reaped)
		return "I/Os are missing";
	if (strstr(job->fallback, "no registered ring") == NULL ||
	    strstr(job->fallback, "no fixed file") == NULL ||
	    strstr(job->fallback, "no fixed buffers") == NULL)
		return "a fallback is not told";
	return NULL;
}

static void without_registered_things_it_goes_on_and_says_so(void **state)
{
	(void)state;
	in_child(run_without_registration);
}

static const char *run_without_entering(void)
{
	CLEANUP(fd_closep) int fd = open_file();
	CLEANUP(cleanup_free) struct load_job *job = new_job();
	struct load_spec spec = spec_on(fd);
	static struct err e;

	if (forbid(SYS_io_uring_enter, NULL, 0, SECCOMP_RET_ERRNO | EACCES) < 0)
		_exit(TEST_SKIPPED);
	if (load_run(&spec, job, 1, &e) == 0)
		return "the run succeeded";
	return strstr(e.msg, "io_uring_enter: Permission denied") == NULL
		       ? e.msg
		       : NULL;
}

static void a_system_call_that_fails_ends_the_run_with_its_errno(void **state)
{
	(void)state;
	in_child(run_without_entering);
}

// -----------------------------------------------------------------------------

static int set_up(void **state)
{
	struct err e = { 0 };

	(void)state;
	load_clock_init(&test_clock);
	if (load_uring_probe(&e) == 0)
		return 0;
	printf("%s\n", e.msg);
	exit(TEST_SKIPPED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_completion_is_lost_at_any_depth),
		cmocka_unit_test(
			it_measures_for_the_stated_time_after_the_ramp),
		cmocka_unit_test(percentiles_lie_between_least_and_most),
		cmocka_unit_test(writes_and_mixes_reach_the_file),
		cmocka_unit_test(errors_of_the_device_are_counted_by_errno),
		cmocka_unit_test(reads_beyond_the_end_are_short_not_counted),
		cmocka_unit_test(jobs_run_side_by_side),
		cmocka_unit_test(
			beyond_the_limit_of_fixed_buffers_it_goes_on_and_says_so),
		cmocka_unit_test(signals_interrupt_without_harm),
		cmocka_unit_test(at_a_rate_a_stall_is_not_hidden),
		cmocka_unit_test(
			a_filter_that_forbids_it_is_named_with_the_remedy),
		cmocka_unit_test(
			without_registered_things_it_goes_on_and_says_so),
		cmocka_unit_test(
			a_system_call_that_fails_ends_the_run_with_its_errno),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
