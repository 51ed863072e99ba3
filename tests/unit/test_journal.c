#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <signal.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/campaign/journal.h"
#include "tests/fake/dir.h"

static struct level level = { .factor = "backing", .text = "4k" };

static struct record started(uint32_t trial)
{
	return (struct record){
		.event = RECORD_STARTED,
		.trial = trial,
		.attempt = 1,
		.host = "local",
		.boot_attempt = 1,
		.levels = &level,
		.nlevels = 1,
		.wall_ns = 1700000000000000000,
	};
}

// A line as the journal writes it, newline included.
static void add_line(struct buf *out, uint32_t trial)
{
	struct record r = started(trial);
	CLEANUP(js_unrefp) struct js *j = record_to_js(&r);

	js_print(j, out);
	buf_putc(out, '\n');
}

static void two_lines(struct buf *out)
{
	add_line(out, 0);
	add_line(out, 1);
}

static void write_file(const char *path, const struct buf *text)
{
	struct err e = { 0 };

	if (file_replace(path, buf_str(text), text->len, &e) < 0)
		fail_msg("%s", e.msg);
}

static size_t file_size(const char *path)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct err e = { 0 };

	assert_int_equal(file_read(path, 1 << 20, &text, ERR_STORE, &e), 0);
	return text.len;
}

static int count_one(void *arg, const struct record *r, struct err *e)
{
	(void)r;
	(void)e;
	++*(size_t *)arg;
	return 0;
}

static size_t count_each(const char *path)
{
	struct err e = { 0 };
	size_t n = 0;

	if (journal_each(path, count_one, &n, &e) < 0)
		fail_msg("%s", e.msg);
	return n;
}

static int refuse(void *arg, const struct record *r, struct err *e)
{
	(void)arg;
	return r->trial == 1 ? err_set(e, ERR_STORE, "not this one") : 0;
}

static void an_error_of_the_reader_names_the_line(void **state)
{
	CLEANUP(fake_dir_freep) char *dir = fake_dir_new();
	CLEANUP(cleanup_free) char *path = xasprintf("%s/j", dir);
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct err e = { 0 };

	(void)state;
	two_lines(&text);
	write_file(path, &text);
	assert_int_equal(journal_each(path, refuse, NULL, &e), -1);
	assert_non_null(strstr(e.msg, "j:2: not this one"));
}

// Longer than what is read at once, and lines that lie across its ends.
static void a_journal_is_read_piece_by_piece(void **state)
{
	CLEANUP(fake_dir_freep) char *dir = fake_dir_new();
	CLEANUP(cleanup_free) char *path = xasprintf("%s/j", dir);
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	(void)state;
	assert_int_equal(count_each("/nonexistent/j"), 0);
	for (uint32_t i = 0; i < 5000; i++)
		add_line(&text, i);
	assert_true(text.len > (size_t)512 << 10);
	write_file(path, &text);
	assert_int_equal(count_each(path), 5000);
	text.len--; // its newline
	write_file(path, &text);
	assert_int_equal(count_each(path), 5000);
	text.len -= 5; // torn
	write_file(path, &text);
	assert_int_equal(count_each(path), 4999);
}

// In their order, with what they point to.
static int check_next(void *arg, const struct record *r, struct err *e)
{
	uint32_t *next = arg;

	if (r->trial != *next || strcmp(r->host, "local") != 0 ||
	    strcmp(r->levels[0].text, "4k") != 0)
		return err_set(e, ERR_STORE, "trial %u is not %u", r->trial,
			       *next);
	++*next;
	return 0;
}

static int stop_at(void *arg, const struct record *r, struct err *e)
{
	const uint32_t *last = arg;

	return r->trial == *last ? err_set(e, ERR_STORE, "enough") : 0;
}

// Long enough for threads that read ahead.
static void a_long_journal_is_read_ahead_in_its_order(void **state)
{
	CLEANUP(fake_dir_freep) char *dir = fake_dir_new();
	CLEANUP(cleanup_free) char *path = xasprintf("%s/j", dir);
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	uint32_t n = 0, next = 0, stops[] = { 0, 7000, 29999 };
	struct err e = { 0 };
	size_t damaged;

	(void)state;
	while (n < 30000)
		add_line(&text, n++);
	assert_true(text.len > (size_t)4 << 20);
	write_file(path, &text);
	if (journal_each(path, check_next, &next, &e) < 0)
		fail_msg("%s", e.msg);
	assert_int_equal(next, n);
	for (size_t i = 0; i < ARRAY_LEN(stops); i++) {
		CLEANUP(cleanup_free)
		char *why = xasprintf("j:%u: enough", stops[i] + 1);

		assert_int_equal(journal_each(path, stop_at, &stops[i], &e),
				 -1);
		assert_non_null(strstr(e.msg, why));
	}
	damaged = text.len / 2;
	text.data[damaged] = '\t';
	write_file(path, &text);
	next = 0;
	assert_int_equal(journal_each(path, check_next, &next, &e), -1);
	assert_in_range(next, 14000, 16000); // all before it were given
	assert_non_null(strstr(e.msg, dir));
	e.msg[0] = '\0';
	assert_int_equal(journal_each(path, stop_at, &stops[0], &e), -1);
	assert_non_null(strstr(e.msg, "j:1: enough"));
}

static void what_was_appended_is_read_back(void **state)
{
	CLEANUP(fake_dir_freep) char *dir = fake_dir_new();
	CLEANUP(cleanup_free) char *path = xasprintf("%s/j", dir);
	CLEANUP(journal_closep) struct journal *j = NULL;
	CLEANUP(journal_log_freep) struct journal_log *log = NULL;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(journal_open(path, NULL, &j, &e), 0);
	for (uint32_t i = 0; i < 3; i++) {
		struct record r = started(i);

		assert_int_equal(journal_append(j, &r, &e), 0);
	}
	assert_int_equal(journal_load(path, &log, &e), 0);
	assert_int_equal(log->n, 3);
	assert_int_equal(log->records[2].trial, 2);
	assert_string_equal(log->records[2].levels[0].text, "4k");
	assert_int_equal(log->torn_bytes, 0);
	assert_int_equal(log->good_bytes, file_size(path));
}

static void a_missing_journal_is_an_empty_one(void **state)
{
	CLEANUP(journal_log_freep) struct journal_log *log = NULL;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(journal_load("/nonexistent/j", &log, &e), 0);
	assert_int_equal(log->n, 0);
}

// A crash can end the file at any byte of the last line.
static void a_line_torn_at_any_byte_is_cut_and_said(void **state)
{
	CLEANUP(fake_dir_freep) char *dir = fake_dir_new();
	CLEANUP(cleanup_free) char *path = xasprintf("%s/j", dir);
	CLEANUP(buf_deinit) struct buf whole = BUF_INIT;
	CLEANUP(buf_deinit) struct buf first = BUF_INIT;
	struct err e = { 0 };

	(void)state;
	add_line(&first, 0);
	two_lines(&whole);
	for (size_t len = first.len + 1; len + 1 < whole.len; len++) {
		CLEANUP(journal_log_freep) struct journal_log *log = NULL;
		CLEANUP(journal_closep) struct journal *j = NULL;
		struct buf cut = { .data = whole.data, .len = len };
		struct record r = started(7);

		write_file(path, &cut);
		assert_int_equal(journal_load(path, &log, &e), 0);
		if (log->n != 1 || log->torn_bytes != len - first.len)
			fail_msg("cut at %zu: %zu records, %llu torn", len,
				 log->n, (unsigned long long)log->torn_bytes);
		assert_int_equal(count_each(path), 1);
		assert_int_equal(journal_open(path, log, &j, &e), 0);
		assert_int_equal(file_size(path), first.len);
		assert_int_equal(journal_append(j, &r, &e), 0);
		assert_int_equal(file_size(path), 2 * first.len);
	}
}

static void a_last_line_that_only_lacks_its_newline_is_kept(void **state)
{
	CLEANUP(fake_dir_freep) char *dir = fake_dir_new();
	CLEANUP(cleanup_free) char *path = xasprintf("%s/j", dir);
	CLEANUP(journal_log_freep) struct journal_log *log = NULL;
	CLEANUP(journal_closep) struct journal *j = NULL;
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct err e = { 0 };

	(void)state;
	two_lines(&text);
	text.len--;
	write_file(path, &text);
	assert_int_equal(journal_load(path, &log, &e), 0);
	assert_int_equal(log->n, 2);
	assert_true(log->unterminated);
	assert_int_equal(journal_open(path, log, &j, &e), 0);
	assert_int_equal(file_size(path), text.len + 1);
}

static void zeros_at_the_end_are_a_torn_line(void **state)
{
	static const char zeros[100];
	CLEANUP(journal_log_freep) struct journal_log *log = NULL;
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct err e = { 0 };

	(void)state;
	two_lines(&text);
	buf_add(&text, zeros, sizeof(zeros));
	buf_putc(&text, '\n');
	assert_int_equal(journal_parse(text.data, text.len, "j", &log, &e), 0);
	assert_int_equal(log->n, 2);
	assert_int_equal(log->torn_bytes, 101);
}

static void damage_is_an_error_with_file_and_line(void **state)
{
	static const struct {
		const char *line, *says;
	} cases[] = {
		{ "{\"v\":1", "j:2" },
		{ "", "j:2" },
		{ "[]", "j:2: not a record" },
		{ "{\"v\":2}", "j:2: not a record of format version 1" },
		{ "{\"v\":1,\"host\":\"h\",\"event\":\"sung\"}", "sung" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct journal_log *log = NULL;
		CLEANUP(buf_deinit) struct buf text = BUF_INIT;
		struct err e = { 0 };

		add_line(&text, 0);
		buf_printf(&text, "%s\n", cases[i].line);
		add_line(&text, 1);
		if (journal_parse(text.data, text.len, "j", &log, &e) == 0)
			fail_msg("accepted: %s", cases[i].line);
		assert_null(log);
		assert_int_equal(e.kind, ERR_STORE);
		if (strstr(e.msg, cases[i].says) == NULL)
			fail_msg("%s: %s", cases[i].line, e.msg);
	}
}

// A full disk shows as a short write; the limit on a file's size, too.
static void a_short_write_leaves_the_journal_as_it_was(void **state)
{
	CLEANUP(fake_dir_freep) char *dir = fake_dir_new();
	CLEANUP(cleanup_free) char *path = xasprintf("%s/j", dir);
	CLEANUP(journal_closep) struct journal *j = NULL;
	struct record r = started(0);
	struct rlimit former, tight;
	struct err e = { 0 };
	size_t before;

	(void)state;
	assert_int_equal(journal_open(path, NULL, &j, &e), 0);
	assert_int_equal(journal_append(j, &r, &e), 0);
	before = file_size(path);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &former);
	tight = former;
	tight.rlim_cur = before + before / 2;
	setrlimit(RLIMIT_FSIZE, &tight);
	r = started(1);
	assert_int_equal(journal_append(j, &r, &e), -1);
	setrlimit(RLIMIT_FSIZE, &former);
	assert_int_equal(e.kind, ERR_STORE);
	assert_non_null(strstr(e.msg, "trial 1 could not be recorded"));
	assert_int_equal(file_size(path), before);
	assert_int_equal(journal_append(j, &r, &e), 0);
	assert_int_equal(file_size(path), 2 * before);
}

static void a_new_journal_never_replaces_one(void **state)
{
	CLEANUP(fake_dir_freep) char *dir = fake_dir_new();
	CLEANUP(cleanup_free) char *path = xasprintf("%s/j", dir);
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct journal *j = NULL;
	struct err e = { 0 };

	(void)state;
	two_lines(&text);
	write_file(path, &text);
	assert_int_equal(journal_open(path, NULL, &j, &e), -1);
	assert_int_equal(e.kind, ERR_STORE);
	assert_int_equal(file_size(path), text.len);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_appended_is_read_back),
		cmocka_unit_test(an_error_of_the_reader_names_the_line),
		cmocka_unit_test(a_journal_is_read_piece_by_piece),
		cmocka_unit_test(a_long_journal_is_read_ahead_in_its_order),
		cmocka_unit_test(a_missing_journal_is_an_empty_one),
		cmocka_unit_test(a_line_torn_at_any_byte_is_cut_and_said),
		cmocka_unit_test(
			a_last_line_that_only_lacks_its_newline_is_kept),
		cmocka_unit_test(zeros_at_the_end_are_a_torn_line),
		cmocka_unit_test(damage_is_an_error_with_file_and_line),
		cmocka_unit_test(a_short_write_leaves_the_journal_as_it_was),
		cmocka_unit_test(a_new_journal_never_replaces_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
