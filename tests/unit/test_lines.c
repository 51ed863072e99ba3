#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/fd.h"
#include "runner/base/lines.h"
#include "tests/fake/dir.h"

#define LONGEST ((size_t)1 << 20)

static int open_file(const char *dir, const struct buf *text)
{
	CLEANUP(cleanup_free) char *path = xasprintf("%s/f", dir);
	struct err e = { 0 };
	int fd;

	assert_int_equal(file_replace(path, text->data, text->len, &e), 0);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

// Every byte once, in order; all pieces but the last end with a newline, and
// the last line comes with the end.
static void check_whole(const struct buf *text)
{
	CLEANUP(fake_dir_freep) char *dir = fake_dir_new();
	CLEANUP(lines_freep) struct lines *l = NULL;
	struct lines_piece p = { 0 };
	size_t at = 0;

	l = lines_new(open_file(dir, text), LONGEST);
	while (!p.end) {
		assert_int_equal(lines_next(l, &p), 0);
		assert_true(at + p.len <= text->len);
		assert_memory_equal(p.text, text->data + at, p.len);
		assert_int_equal(p.text[p.len], '\0');
		at += p.len;
		if (!p.end)
			assert_int_equal(p.text[p.len - 1], '\n');
	}
	assert_int_equal(at, text->len);
	if (text->len > 0)
		assert_true(p.len > 0);
}

static void add_lines(struct buf *b, size_t bytes, size_t longest)
{
	uint32_t x = 1;

	while (b->len < bytes) {
		x = x * 1664525 + 1013904223;
		for (size_t i = 0; i < x % longest; i++)
			buf_putc(b, (char)('a' + i % 26));
		buf_putc(b, '\n');
	}
}

// Below and above the size that is worth a thread.
static void a_file_is_given_whole_and_in_order(void **state)
{
	static const size_t sizes[] = { 1, 100, 300 << 10, 9 << 20 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		CLEANUP(buf_deinit) struct buf b = BUF_INIT;

		add_lines(&b, sizes[i], 700);
		check_whole(&b);
		buf_puts(&b, "no end");
		check_whole(&b);
	}
}

static void lines_may_be_longer_than_a_piece(void **state)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;

	(void)state;
	add_lines(&b, 8 << 20, 900 << 10);
	check_whole(&b);
}

static void short_files_end_at_once(void **state)
{
	static const char *const texts[] = { "", "\n", "a", "a\n", "a\nb" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		CLEANUP(buf_deinit) struct buf b = BUF_INIT;

		buf_puts(&b, texts[i]);
		check_whole(&b);
	}
}

static void a_line_that_is_too_long_is_not_collected(void **state)
{
	static const size_t sizes[] = { 3 << 20, 20 << 20 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		CLEANUP(fake_dir_freep) char *dir = fake_dir_new();
		CLEANUP(lines_freep) struct lines *l = NULL;
		CLEANUP(buf_deinit) struct buf b = BUF_INIT;
		struct lines_piece p;

		buf_reserve(&b, sizes[i]);
		memset(b.data, 'x', sizes[i]);
		b.len = sizes[i];
		l = lines_new(open_file(dir, &b), LONGEST);
		assert_int_equal(lines_next(l, &p), 0);
		assert_false(p.end);
		assert_null(memchr(p.text, '\n', p.len));
		assert_true(p.len > LONGEST && p.len < 3 * LONGEST);
	}
}

// The thread ends however far it has come.
static void a_reader_may_leave_early(void **state)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;

	(void)state;
	add_lines(&b, 9 << 20, 700);
	for (size_t pieces = 0; pieces < 7; pieces++) {
		CLEANUP(fake_dir_freep) char *dir = fake_dir_new();
		CLEANUP(lines_freep) struct lines *l = NULL;
		struct lines_piece p;

		l = lines_new(open_file(dir, &b), LONGEST);
		for (size_t i = 0; i < pieces; i++)
			assert_int_equal(lines_next(l, &p), 0);
	}
}

static void what_cannot_be_read_has_its_errno(void **state)
{
	CLEANUP(lines_freep) struct lines *l = NULL;
	struct lines_piece p;

	(void)state;
	l = lines_new(open("/", O_RDONLY | O_CLOEXEC), LONGEST);
	assert_int_equal(lines_next(l, &p), -1);
	assert_int_equal(errno, EISDIR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_given_whole_and_in_order),
		cmocka_unit_test(lines_may_be_longer_than_a_piece),
		cmocka_unit_test(short_files_end_at_once),
		cmocka_unit_test(a_line_that_is_too_long_is_not_collected),
		cmocka_unit_test(a_reader_may_leave_early),
		cmocka_unit_test(what_cannot_be_read_has_its_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
