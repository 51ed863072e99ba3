#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/agent/block_file.h"
#include "runner/base/clock.h"
#include "tests/fake/dir.h"

#define MIB ((uint64_t)1 << 20)
#define TIB ((uint64_t)1 << 40)

struct place {
	char *dir, *path, *part;
};

static struct place place_new(void)
{
	struct place at = { .dir = fake_dir_new() };

	at.path = xasprintf("%s/target", at.dir);
	at.part = xasprintf("%s.vrun-part", at.path);
	return at;
}

static void place_deinit(struct place *at)
{
	fake_dir_freep(&at->dir);
	free(at->path);
	free(at->part);
}

static void put(const char *path, const char *text)
{
	CLEANUP(fd_closep)
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_int_equal(fd_write_all(fd, text, strlen(text)), 0);
}

static bool is_there(const char *path)
{
	return access(path, F_OK) == 0;
}

static uint64_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 ? 0 : (uint64_t)st.st_size;
}

// Whether nothing but `path` is in the directory.
static bool only_there(const struct place *at)
{
	return is_there(at->path) && unlink(at->path) == 0 &&
	       rmdir(at->dir) == 0 && mkdir(at->dir, 0700) == 0;
}

static bool nothing_there(const struct place *at)
{
	return rmdir(at->dir) == 0 && mkdir(at->dir, 0700) == 0;
}

// --- in a process of its own, which limits itself --------------------------

static void no_limit(void)
{
}

static void small_files_only(void)
{
	const struct rlimit lim = { MIB, MIB };

	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &lim) < 0)
		_exit(3);
}

// As on a file system without O_TMPFILE.
static void no_nameless_files(void)
{
	const struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_openat, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY,
			 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { ARRAY_LEN(code),
				   (struct sock_filter *)(uintptr_t)code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) < 0)
		_exit(3);
}

static void both(void)
{
	small_files_only();
	no_nameless_files();
}

static pid_t begin(void (*limit)(void), const char *path, uint64_t size)
{
	pid_t pid = fork();
	bool marked;
	struct err e;

	assert_true(pid >= 0);
	if (pid > 0)
		return pid;
	limit();
	_exit(block_file_make(path, size, &marked, &e) == 0 ? 0 : 1);
}

static int end(pid_t pid)
{
	int status = -1;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

// --- the tests --------------------------------------------------------------

static void a_finished_file_is_whole_and_alone(void **state)
{
	static void (*const limits[])(void) = { no_limit, no_nameless_files };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
		CLEANUP(place_deinit) struct place at = place_new();

		assert_int_equal(end(begin(limits[i], at.path, 3 * MIB + 512)),
				 0);
		assert_int_equal(size_of(at.path), 3 * MIB + 512);
		assert_true(only_there(&at));
	}
}

static void a_file_is_known_as_own_by_its_mark(void **state)
{
	CLEANUP(place_deinit) struct place at = place_new();
	CLEANUP(fd_closep) int own = -1, other = -1;
	bool marked = false;
	struct err e;

	(void)state;
	assert_int_equal(block_file_make(at.path, MIB, &marked, &e), 0);
	own = open(at.path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(block_file_is_own(own), marked);
	put(at.part, "x");
	other = open(at.part, O_RDONLY | O_CLOEXEC);
	assert_false(block_file_is_own(other));
}

static void what_cannot_be_finished_leaves_nothing(void **state)
{
	static void (*const limits[])(void) = { small_files_only, both };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
		CLEANUP(place_deinit) struct place at = place_new();

		assert_int_equal(end(begin(limits[i], at.path, 3 * MIB)),
				 W_EXITCODE(1, 0));
		assert_true(nothing_there(&at));
	}
}

// Killed at some moment of the making, or just after it.
static void who_is_killed_while_making_it_leaves_nothing(void **state)
{
	(void)state;
	for (int ms = 0; ms < 40; ms += 5) {
		CLEANUP(place_deinit) struct place at = place_new();
		pid_t pid = begin(no_limit, at.path, 64 * MIB);

		clock_sleep_ns(ms * NS_PER_MS);
		kill(pid, SIGKILL);
		end(pid);
		if (is_there(at.path))
			assert_int_equal(size_of(at.path), 64 * MIB);
		else
			assert_true(nothing_there(&at));
	}
}

static void what_a_killed_one_left_is_removed_by_the_next(void **state)
{
	CLEANUP(place_deinit) struct place at = place_new();

	(void)state;
	put(at.part, "half a file");
	assert_int_equal(end(begin(no_nameless_files, at.path, MIB)), 0);
	assert_int_equal(size_of(at.path), MIB);
	assert_true(only_there(&at));
}

static void a_file_for_which_there_is_no_room_is_not_begun(void **state)
{
	CLEANUP(place_deinit) struct place at = place_new();
	bool marked;
	struct err e;

	(void)state;
	assert_int_equal(block_file_make(at.path, 4096 * TIB, &marked, &e), -1);
	if (!strstr(e.msg, ": no room to make it: 4294967296 MiB are to be "
			   "written, ") ||
	    !strstr(e.msg, " MiB are free; give a smaller `size:`"))
		fail_msg("%s", e.msg);
	assert_int_equal(e.kind, ERR_REFUSED);
	assert_true(nothing_there(&at));
}

static void a_file_that_is_there_needs_no_room(void **state)
{
	CLEANUP(place_deinit) struct place at = place_new();
	struct block_room room;
	bool marked = false;
	struct err e;

	(void)state;
	assert_int_equal(block_file_room(at.path, 5 * TIB, &room, &e), 0);
	assert_int_equal(room.need, 5 * TIB);
	put(at.path, "x");
	assert_int_equal(block_file_room(at.path, 5 * TIB, &room, &e), 0);
	assert_int_equal(room.need, 0);
	assert_true(block_room_is_enough(&room));
	unlink(at.path);
	assert_int_equal(block_file_make(at.path, MIB, &marked, &e), 0);
	assert_int_equal(block_file_room(at.path, MIB, &room, &e), 0);
	assert_int_equal(room.need, 0);
	assert_int_equal(block_file_room(at.path, 3 * MIB, &room, &e), 0);
	assert_int_equal(room.need, marked ? 2 * MIB : 0);
}

static void a_place_that_is_not_there_is_named(void **state)
{
	struct block_room room;
	struct err e;

	(void)state;
	assert_int_equal(block_file_room("/nonexistent/x", 1, &room, &e), -1);
	assert_string_equal(e.msg, "/nonexistent/x: /nonexistent: No such file "
				   "or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_finished_file_is_whole_and_alone),
		cmocka_unit_test(a_file_is_known_as_own_by_its_mark),
		cmocka_unit_test(what_cannot_be_finished_leaves_nothing),
		cmocka_unit_test(who_is_killed_while_making_it_leaves_nothing),
		cmocka_unit_test(what_a_killed_one_left_is_removed_by_the_next),
		cmocka_unit_test(
			a_file_for_which_there_is_no_room_is_not_begun),
		cmocka_unit_test(a_file_that_is_there_needs_no_room),
		cmocka_unit_test(a_place_that_is_not_there_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
