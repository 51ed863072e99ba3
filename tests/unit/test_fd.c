#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/base/fd.h"

enum {
	BIG = 1 << 20
};

// Each test works in a directory of its own, which is the current one.
static int enter(void **state)
{
	char path[] = "/tmp/test_fd-XXXXXX";

	if (mkdtemp(path) == NULL || chdir(path) < 0)
		return -1;
	*state = xstrdup(path);
	return 0;
}

static int leave(void **state)
{
	CLEANUP(cleanup_free) char *path = *state;

	dir_remove_all(path);
	return access(path, F_OK) < 0 ? 0 : -1;
}

static void put(const char *path, const char *text)
{
	struct err e = { 0 };

	if (file_replace(path, text, strlen(text), &e) < 0)
		fail_msg("%s", e.msg);
}

static void closing_keeps_errno_and_forgets_the_number(void **state)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), number = fd,
	    none = -1;

	(void)state;
	assert_true(fd >= 0);
	errno = EIO;
	fd_closep(&fd);
	fd_closep(&none);
	assert_int_equal(errno, EIO);
	assert_int_equal(fd, -1);
	assert_int_equal(fcntl(number, F_GETFD), -1);
}

static void *drain(void *arg)
{
	const int *fd = arg;
	struct buf *all = xcalloc(1, sizeof(*all));

	if (fd_read_all(*fd, all, BIG) < 0)
		buf_clear(all);
	return all;
}

static void a_write_larger_than_the_pipe_is_whole(void **state)
{
	CLEANUP(cleanup_free) char *data = xmalloc(BIG);
	CLEANUP(cleanup_free) struct buf *got = NULL;
	pthread_t reader;
	void *result = NULL;
	int p[2];

	(void)state;
	memset(data, 'x', BIG);
	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	assert_int_equal(pthread_create(&reader, NULL, drain, &p[0]), 0);
	assert_int_equal(fd_write_all(p[1], data, BIG), 0);
	fd_closep(&p[1]);
	pthread_join(reader, &result);
	fd_closep(&p[0]);
	got = result;
	assert_int_equal(got->len, BIG);
	assert_memory_equal(got->data, data, BIG);
	buf_deinit(got);
}

static void a_write_to_nobody_fails_with_errno(void **state)
{
	CLEANUP(fd_closep) int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(fd_write_all(fd, "x", 1), -1);
	assert_int_equal(errno, ENOSPC);
}

static void reading_stops_at_the_limit(void **state)
{
	static const struct {
		size_t before, limit;
		int rc;
	} cases[] = {
		{ 0, 10, 0 },  { 0, 9, -1 },   { 3, 13, 0 },
		{ 3, 12, -1 }, { 20, 10, -1 }, // more than the limit was there
					       // already
	};

	(void)state;
	put("ten", "0123456789");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(fd_closep) int fd = open("ten", O_RDONLY | O_CLOEXEC);
		CLEANUP(buf_deinit) struct buf b = BUF_INIT;
		int rc;

		while (b.len < cases[i].before)
			buf_putc(&b, '-');
		errno = 0;
		rc = fd_read_all(fd, &b, cases[i].limit);
		if (rc != cases[i].rc)
			fail_msg("%zu before, limit %zu: %d", cases[i].before,
				 cases[i].limit, rc);
		assert_int_equal(errno, rc < 0 ? EFBIG : 0);
	}
}

static void flags_are_set_on_descriptors(void **state)
{
	CLEANUP(fd_closep) int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	(void)state;
	assert_int_equal(fd_set_nonblock(fd), 0);
	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	assert_int_equal(fd_set_cloexec(fd, false), 0);
	assert_int_equal(fcntl(fd, F_GETFD), 0);
	assert_int_equal(fd_set_cloexec(fd, true), 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fd_set_nonblock(-1), -1);
	assert_int_equal(fd_set_cloexec(-1, true), -1);
}

static void a_file_is_read_whole_or_refused_with_a_sentence(void **state)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;
	struct err e = { 0 };

	(void)state;
	put("file", "hello");
	assert_int_equal(file_read("file", 5, &b, ERR_USAGE, &e), 0);
	assert_string_equal(b.data, "hello");
	buf_clear(&b);
	assert_int_equal(file_read("file", 4, &b, ERR_USAGE, &e), -1);
	assert_string_equal(e.msg, "file: larger than the limit of 4 bytes");
	assert_int_equal(file_read(".", 5, &b, ERR_USAGE, &e), -1);
	assert_string_equal(e.msg, ".: is a directory; give a file");
	assert_int_equal(file_read("none", 5, &b, ERR_STORE, &e), -1);
	assert_string_equal(e.msg, "none: No such file or directory");
	assert_int_equal(e.kind, ERR_STORE);
}

static void one_line_is_cut_at_its_end(void **state)
{
	static const struct {
		const char *text, *line;
	} cases[] = {
		{ "512\n", "512" },
		{ "", "" },
		{ " two words \t\n", " two words" },
		{ "no end", "no end" },
		{ "\n", "" },
		{ "0123456789abcdefg\n", "0123456789abcde" },
		{ "first\nsecond\n", "first" },
	};
	char line[16];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		put("line", cases[i].text);
		assert_int_equal(file_read_line("line", line, sizeof(line)), 0);
		assert_string_equal(line, cases[i].line);
	}
	assert_int_equal(file_read_line("none", line, sizeof(line)), -1);
	assert_int_equal(errno, ENOENT);
	assert_string_equal(line, "");
	assert_int_equal(file_read_line(".", line, sizeof(line)), -1);
	assert_int_equal(errno, EISDIR);
}

static void a_value_is_written_only_to_what_exists(void **state)
{
	char line[16];

	(void)state;
	assert_int_equal(file_write_value("setting", "1"), -1);
	assert_int_equal(errno, ENOENT);
	put("setting", "");
	assert_int_equal(file_write_value("setting", "512"), 0);
	assert_int_equal(file_read_line("setting", line, sizeof(line)), 0);
	assert_string_equal(line, "512");
	assert_int_equal(file_write_value("/dev/full", "1"), -1);
	assert_int_equal(errno, ENOSPC);
}

static void replacing_leaves_the_new_text_and_no_other_file(void **state)
{
	char line[16];

	(void)state;
	put("report", "a long first text");
	put("report", "second");
	assert_int_equal(file_read_line("report", line, sizeof(line)), 0);
	assert_string_equal(line, "second");
	assert_int_equal(access("report.new", F_OK), -1);
}

static void a_failed_replacement_keeps_the_old_and_says_why(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(mkdir("dir", 0755), 0);
	put("dir/inside", "x");
	assert_int_equal(file_replace("dir", "y", 1, &e), -1);
	assert_int_equal(e.kind, ERR_STORE);
	assert_memory_equal(e.msg, "dir: ", 5);
	assert_int_equal(access("dir.new", F_OK), -1);
	assert_int_equal(access("dir/inside", F_OK), 0);
	assert_int_equal(file_replace("none/report", "y", 1, &e), -1);
	assert_string_equal(e.msg, "none/report: No such file or directory");
}

static void a_pipe_is_written_to_and_stays_one(void **state)
{
	CLEANUP(fd_closep) int reader = -1;
	struct stat st;
	char text[8];

	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	reader = open("fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	put("fifo", "text");
	assert_int_equal(read(reader, text, sizeof(text)), 4);
	assert_int_equal(stat("fifo", &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
}

static void replacing_follows_a_link(void **state)
{
	struct stat st;

	(void)state;
	put("target", "old");
	assert_int_equal(symlink("target", "pointer"), 0);
	put("pointer", "longer");
	assert_int_equal(lstat("pointer", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat("target", &st), 0);
	assert_int_equal(st.st_size, 6);
}

static void directories_are_made_with_their_parents(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(dir_make_all("a/b//c"), 0);
	assert_int_equal(stat("a/b/c", &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	assert_int_equal(dir_make_all("a/b/c"), 0);
	assert_int_equal(dir_make_all("a/d/"), 0);
	assert_int_equal(dir_make_all("/"), 0);
}

static void a_directory_where_a_file_is_cannot_be_made(void **state)
{
	(void)state;
	put("file", "x");
	assert_int_equal(dir_make_all("file"), -1);
	assert_int_equal(errno, ENOTDIR);
	assert_int_equal(dir_make_all("file/below"), -1);
	assert_int_equal(errno, ENOTDIR);
	assert_int_equal(dir_make_all(""), -1);
	assert_int_equal(errno, ENOENT);
}

static void replacing_a_link_to_itself_is_an_error(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(symlink("round", "round"), 0);
	assert_int_equal(file_replace("round", "x", 1, &e), -1);
	assert_int_equal(e.kind, ERR_STORE);
	assert_non_null(strstr(e.msg, strerror(ELOOP)));
}

static void removing_a_tree_does_not_follow_links(void **state)
{
	(void)state;
	assert_int_equal(dir_make_all("kept"), 0);
	put("kept/file", "x");
	assert_int_equal(dir_make_all("gone/deep/er"), 0);
	put("gone/deep/file", "x");
	assert_int_equal(symlink("../../kept", "gone/deep/link"), 0);
	assert_int_equal(symlink("kept", "link"), 0);
	dir_remove_all("gone");
	dir_remove_all("link");
	dir_remove_all("never was");
	assert_int_equal(access("gone", F_OK), -1);
	assert_int_equal(access("kept/file", F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closing_keeps_errno_and_forgets_the_number),
		cmocka_unit_test(a_write_larger_than_the_pipe_is_whole),
		cmocka_unit_test(a_write_to_nobody_fails_with_errno),
		cmocka_unit_test(reading_stops_at_the_limit),
		cmocka_unit_test(flags_are_set_on_descriptors),
		cmocka_unit_test(
			a_file_is_read_whole_or_refused_with_a_sentence),
		cmocka_unit_test(one_line_is_cut_at_its_end),
		cmocka_unit_test(a_value_is_written_only_to_what_exists),
		cmocka_unit_test(
			replacing_leaves_the_new_text_and_no_other_file),
		cmocka_unit_test(
			a_failed_replacement_keeps_the_old_and_says_why),
		cmocka_unit_test(a_pipe_is_written_to_and_stays_one),
		cmocka_unit_test(replacing_follows_a_link),
		cmocka_unit_test(replacing_a_link_to_itself_is_an_error),
		cmocka_unit_test(directories_are_made_with_their_parents),
		cmocka_unit_test(a_directory_where_a_file_is_cannot_be_made),
		cmocka_unit_test(removing_a_tree_does_not_follow_links),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
