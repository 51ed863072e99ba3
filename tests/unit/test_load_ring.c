#include "tests/unit/unit.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fake/load.h"

#define SYSCTL "/proc/sys/kernel/io_uring_disabled"

enum {
	NOBODY = 65534,
	CANNOT = 77, // this process may not be limited so
};

// --- in a process of its own, which limits itself ---------------------------

// What a child reports: the whole job, and the error.
struct report {
	int rc;
	struct load_job job;
	struct err err;
};

typedef void limit_fn(void);

static void cannot(void)
{
	perror("this process cannot be limited as the test needs it");
	_exit(CANNOT);
}

static void run_limited(limit_fn *limit, const struct load_spec *spec,
			struct report *r)
{
	load_offset_init(&r->job.offset, LOAD_RANDOM, 0, FILE_BYTES / spec->bs,
			 1);
	limit();
	r->rc = load_run(spec, &r->job, 1, &r->err);
	_exit(0);
}

static struct report *report_of(limit_fn *limit, const struct load_spec *spec)
{
	struct report *r = mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = -1;
	pid_t pid;

	assert_true(r != MAP_FAILED);
	r->rc = -2;
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		run_limited(limit, spec, r);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (status == W_EXITCODE(CANNOT, 0)) {
		munmap(r, sizeof(*r));
		skip();
	}
	assert_int_equal(status, 0);
	return r;
}

static void report_freep(struct report **r)
{
	munmap(*r, sizeof(**r));
}

// A filter that answers one system call with an errno, where its third
// argument is `arg` (-1: always).
static void filter(int number, long arg, int error)
{
	const struct sock_filter always[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | (arg < 0 ? BPF_JGE : BPF_JEQ) | BPF_K,
			 arg < 0 ? 0 : (unsigned)arg, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { ARRAY_LEN(always),
				   (struct sock_filter *)(uintptr_t)always };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) < 0)
		cannot();
}

static void setup_is_eperm(void)
{
	filter(__NR_io_uring_setup, -1, EPERM);
}

static void setup_is_enosys(void)
{
	filter(__NR_io_uring_setup, -1, ENOSYS);
}

// As where the sysctl says so, for this process alone: a file stands over it,
// and a filter does what the kernel would.
static void sysctl_is_two(void)
{
	CLEANUP(fake_dir_freep) char *dir = fake_dir_new();
	CLEANUP(cleanup_free) char *path = xasprintf("%s/two", dir);
	CLEANUP(fd_closep) int fd = open(path, O_WRONLY | O_CREAT, 0600);

	if (fd < 0 || fd_write_all(fd, "2\n", 2) < 0 ||
	    unshare(CLONE_NEWNS) < 0 ||
	    mount("none", "/proc", "none", MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount(path, SYSCTL, "none", MS_BIND, NULL) < 0)
		cannot();
	setup_is_eperm();
}

static void enter_is_eperm(void)
{
	filter(__NR_io_uring_enter, -1, EPERM);
}

static void enter_is_ebusy(void)
{
	filter(__NR_io_uring_enter, -1, EBUSY);
}

static void enter_without_wait_is_eagain(void)
{
	filter(__NR_io_uring_enter, 0, EAGAIN);
}

static void register_is_enomem(void)
{
	filter(__NR_io_uring_register, -1, ENOMEM);
}

static void little_locked_memory(void)
{
	const struct rlimit lim = { 64 << 10, 64 << 10 };

	if (setrlimit(RLIMIT_MEMLOCK, &lim) < 0 ||
	    (geteuid() == 0 && setuid(NOBODY) < 0))
		cannot();
}

// --- the tests --------------------------------------------------------------

static void where_io_uring_is_forbidden_the_sentence_says_by_what(void **state)
{
	static const struct {
		limit_fn *limit;
		const char *errnum;
	} cases[] = { { setup_is_eperm, "(errno 1)" },
		      { setup_is_enosys, "(errno 38)" } };
	CLEANUP(fd_closep) int fd = file_new();
	struct load_spec spec = spec_for(fd, BLOCK);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(report_freep)
		struct report *r = report_of(cases[i].limit, &spec);

		assert_int_equal(r->rc, -1);
		assert_non_null(strstr(r->err.msg, cases[i].errnum));
		assert_non_null(strstr(r->err.msg, "seccomp filter"));
		assert_non_null(strstr(r->err.msg, "engine: fio"));
	}
}

static void the_sysctl_that_forbids_it_is_named_with_its_remedy(void **state)
{
	CLEANUP(fd_closep) int fd = file_new();
	struct load_spec spec = spec_for(fd, BLOCK);
	CLEANUP(report_freep) struct report *r = NULL;

	(void)state;
	if (geteuid() != 0 || access(SYSCTL, F_OK) < 0) {
		print_message("needs root and a kernel with " SYSCTL "\n");
		skip();
	}
	r = report_of(sysctl_is_two, &spec);
	assert_int_equal(r->rc, -1);
	assert_non_null(strstr(r->err.msg, "(errno 1)"));
	assert_non_null(strstr(r->err.msg, "kernel.io_uring_disabled is 2"));
	assert_non_null(
		strstr(r->err.msg, "sysctl -w kernel.io_uring_disabled=0"));
}

// Two batches of three are refused before the last slots are filled and the
// loop waits.
static void refused_submissions_are_made_again_and_counted(void **state)
{
	CLEANUP(fd_closep) int fd = file_new();
	struct load_spec spec = spec_for(fd, BLOCK);
	CLEANUP(report_freep) struct report *r = NULL;

	(void)state;
	spec.depth = 8;
	spec.submit_max = 3;
	r = report_of(enter_without_wait_is_eagain, &spec);
	if (r->rc < 0)
		fail_msg("%s", r->err.msg);
	assert_true(r->job.busy > 0);
	assert_true(r->job.lat.n > 0);
	assert_int_equal(r->job.submitted, r->job.reaped);
	// What the kernel has not taken is not in flight.
	assert_true(r->job.depth < 8);
}

static void a_call_that_is_always_refused_ends_the_run(void **state)
{
	static const struct {
		limit_fn *limit;
		const char *why;
	} cases[] = {
		{ enter_is_eperm, "io_uring_enter: Operation not permitted" },
		{ enter_is_ebusy, "(errno 16), again and again" },
	};
	CLEANUP(fd_closep) int fd = file_new();
	struct load_spec spec = spec_for(fd, BLOCK);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(report_freep)
		struct report *r = report_of(cases[i].limit, &spec);

		assert_int_equal(r->rc, -1);
		if (!strstr(r->err.msg, cases[i].why))
			fail_msg("\"%s\"", r->err.msg);
	}
}

static void what_cannot_be_registered_is_done_without_and_said(void **state)
{
	CLEANUP(fd_closep) int fd = file_new();
	struct load_spec spec = spec_for(fd, 1 << 16);
	CLEANUP(report_freep) struct report *r = NULL;

	(void)state;
	spec.depth = 64;
	spec.submit_max = 64;
	r = report_of(little_locked_memory, &spec);
	if (r->rc < 0)
		fail_msg("%s", r->err.msg);
	assert_non_null(strstr(r->job.fallback, "no fixed buffers"));
	assert_true(r->job.lat.n > 0);
	assert_int_equal(errors_of(&r->job) + r->job.shorts, 0);
}

// Without registration there is not even the probe for plain reads.
static void what_cannot_be_done_at_all_says_what_was_tried(void **state)
{
	CLEANUP(fd_closep) int fd = file_new();
	struct load_spec spec = spec_for(fd, BLOCK);
	CLEANUP(report_freep) struct report *r = NULL;

	(void)state;
	r = report_of(register_is_enomem, &spec);
	assert_int_equal(r->rc, -1);
	assert_non_null(
		strstr(r->err.msg, "no fixed buffers: Cannot allocate"));
}

static void what_was_obtained_is_recorded(void **state)
{
	CLEANUP(fd_closep) int fd = file_new();
	struct load_spec spec = spec_for(fd, BLOCK);
	CLEANUP(cleanup_free)
	struct load_job *job = jobs_new(1, FILE_BYTES / BLOCK);
	struct err e;

	(void)state;
	assert_int_equal(load_run(&spec, job, 1, &e), 0);
	assert_non_null(strstr(job->ring, "fixed-buffers"));
	assert_non_null(strstr(job->ring, "fixed-file"));
	if (strstr(job->ring, "DEFER_TASKRUN"))
		assert_null(strstr(job->fallback, "COOP_TASKRUN"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			where_io_uring_is_forbidden_the_sentence_says_by_what),
		cmocka_unit_test(
			the_sysctl_that_forbids_it_is_named_with_its_remedy),
		cmocka_unit_test(
			refused_submissions_are_made_again_and_counted),
		cmocka_unit_test(a_call_that_is_always_refused_ends_the_run),
		cmocka_unit_test(
			what_cannot_be_registered_is_done_without_and_said),
		cmocka_unit_test(
			what_cannot_be_done_at_all_says_what_was_tried),
		cmocka_unit_test(what_was_obtained_is_recorded),
	};
	struct err e;

	if (load_uring_probe(&e) < 0) {
		puts(e.msg);
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
