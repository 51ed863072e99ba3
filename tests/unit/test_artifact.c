#include "tests/unit/unit.h"

#include <string.h>
#include <unistd.h>

#include "runner/agent/logs.h"
#include "runner/base/alloc.h"
#include "tests/fake/dir.h"

static void names_that_could_leave_their_directory_are_refused(void **state)
{
	static const struct {
		const char *name;
		bool good;
	} cases[] = {
		{ "qemu.log", true },	{ "block.fio.json", true },
		{ "A-1_b", true },	{ "", false },
		{ ".", false },		{ "..", false },
		{ ".hidden", false },	{ "a/b", false },
		{ "../x", false },	{ "a b", false },
		{ "a\nb", false },	{ "\xc3\xa4", false },
		{ "$(reboot)", false },
	};
	char longest[ARTIFACT_NAME_MAX + 2];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (artifact_name_is_good(cases[i].name) != cases[i].good)
			fail_msg("\"%s\"", cases[i].name);
	}
	memset(longest, 'x', sizeof(longest));
	longest[ARTIFACT_NAME_MAX + 1] = '\0';
	assert_false(artifact_name_is_good(longest));
	longest[ARTIFACT_NAME_MAX] = '\0';
	assert_true(artifact_name_is_good(longest));
}

static void what_is_sent_is_what_is_read(void **state)
{
	static const char bytes[] = "\0\xff|\n";
	CLEANUP(js_unrefp) struct js *j = NULL;
	CLEANUP(buf_deinit) struct buf data = BUF_INIT;
	const char *name = NULL;
	struct err e = { 0 };

	(void)state;
	j = artifact_new("a", bytes, sizeof(bytes));
	assert_int_equal(artifact_read(j, &name, &data, &e), 0);
	assert_string_equal(name, "a");
	assert_int_equal(data.len, sizeof(bytes));
	assert_memory_equal(data.data, bytes, sizeof(bytes));
}

static void a_list_that_is_not_one_of_artifacts_is_refused(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "{}", "not a list" },
		{ "[1]", "no name" },
		{ "[{\"name\":\"../x\",\"data\":\"\"}]", "\"../x\"" },
		{ "[{\"name\":\"x\"}]", "base64" },
		{ "[{\"name\":\"x\",\"data\":\"!\"}]", "base64" },
		{ "[{\"name\":\"x\",\"data\":7}]", "base64" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(artifacts_deinit) struct artifacts a = { 0 };
		CLEANUP(js_unrefp) struct js *j = NULL;
		struct err e = { 0 };

		j = js_parse(cases[i].text, strlen(cases[i].text), "x", &e);
		assert_int_equal(artifacts_read(j, &a, &e), -1);
		if (strstr(e.msg, cases[i].says) == NULL)
			fail_msg("%s: says %s", cases[i].text, e.msg);
		assert_null(a.list);
	}
}

static void number_and_size_of_an_attempts_artifacts_are_bounded(void **state)
{
	CLEANUP(cleanup_free) char *zeros = xcalloc(1, ARTIFACT_BYTES_MAX + 1);
	CLEANUP(artifacts_deinit) struct artifacts few = { 0 }, many = { 0 };
	CLEANUP(artifacts_deinit) struct artifacts again = { 0 };
	struct err e = { 0 };

	(void)state;
	assert_false(artifacts_add(&few, "a", zeros, ARTIFACT_BYTES_MAX + 1));
	assert_true(artifacts_add(&few, "a", zeros, ARTIFACT_BYTES_MAX));
	assert_true(artifacts_add(&few, "b", zeros, ARTIFACT_BYTES_MAX));
	assert_int_equal(artifacts_room(&few),
			 ARTIFACT_TOTAL_MAX - 2 * ARTIFACT_BYTES_MAX);
	assert_false(artifacts_add(&few, "c", zeros, ARTIFACT_BYTES_MAX));
	for (int i = 0; i < ARTIFACT_COUNT_MAX; i++)
		assert_true(artifacts_add(&many, "a", "x", 1));
	assert_int_equal(artifacts_room(&many), 0);
	assert_false(artifacts_add(&many, "a", "x", 1));
	js_append(many.list, artifact_new("a", "x", 1));
	assert_int_equal(artifacts_read(many.list, &again, &e), -1);
	assert_int_equal(artifacts_read(few.list, &again, &e), 0);
	assert_int_equal(again.bytes, few.bytes);
}

static void write_log(const char *dir, const char *name, const char *text)
{
	CLEANUP(cleanup_free) char *path = xasprintf("%s/%s", dir, name);
	FILE *f = fopen(path, "a");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

// What logs_take gives, as "name=text;...".
static void assert_taken(struct logs *l, const char *dir, const char *want)
{
	CLEANUP(artifacts_deinit) struct artifacts a = { 0 };
	CLEANUP(buf_deinit) struct buf got = BUF_INIT;

	logs_take(l, dir, &a);
	for (size_t i = 0; i < js_len(a.list); i++) {
		CLEANUP(buf_deinit) struct buf data = BUF_INIT;
		const char *name;
		struct err e = { 0 };

		assert_int_equal(
			artifact_read(js_at(a.list, i), &name, &data, &e), 0);
		buf_printf(&got, "%s=%s;", name, buf_str(&data));
	}
	assert_string_equal(buf_str(&got), want);
}

static void each_trial_takes_what_it_added_to_the_logs(void **state)
{
	CLEANUP(fake_dir_freep) char *dir = fake_dir_new();
	struct logs l = { 0 };

	(void)state;
	assert_taken(&l, dir, "");
	write_log(dir, "qemu.log", "");
	write_log(dir, "console.log", "boot ");
	assert_taken(&l, dir, "console.log=boot ;");
	assert_taken(&l, dir, "");
	write_log(dir, "console.log", "more");
	write_log(dir, "qemu.log", "oops");
	assert_taken(&l, dir, "qemu.log=oops;console.log=more;");
	logs_begin(&l, dir);
	assert_taken(&l, dir, "");
	write_log(dir, "console.log", "b");
	assert_taken(&l, dir, "console.log=b;");
}

static void of_a_log_without_end_the_end_is_taken(void **state)
{
	CLEANUP(fake_dir_freep) char *dir = fake_dir_new();
	CLEANUP(cleanup_free) char *path = xasprintf("%s/console.log", dir);
	CLEANUP(artifacts_deinit) struct artifacts a = { 0 };
	CLEANUP(buf_deinit) struct buf data = BUF_INIT;
	struct logs l = { 0 };
	struct err e = { 0 };
	const char *name;

	(void)state;
	write_log(dir, "console.log", "begin");
	assert_int_equal(truncate(path, 2L * ARTIFACT_BYTES_MAX), 0);
	write_log(dir, "console.log", "end");
	logs_take(&l, dir, &a);
	assert_int_equal(artifact_read(js_at(a.list, 0), &name, &data, &e), 0);
	assert_int_equal(data.len, ARTIFACT_BYTES_MAX);
	assert_string_equal(data.data + data.len - 3, "end");
	assert_taken(&l, dir, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			names_that_could_leave_their_directory_are_refused),
		cmocka_unit_test(what_is_sent_is_what_is_read),
		cmocka_unit_test(
			a_list_that_is_not_one_of_artifacts_is_refused),
		cmocka_unit_test(
			number_and_size_of_an_attempts_artifacts_are_bounded),
		cmocka_unit_test(each_trial_takes_what_it_added_to_the_logs),
		cmocka_unit_test(of_a_log_without_end_the_end_is_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
