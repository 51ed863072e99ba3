#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>

#include "runner/base/err.h"

static void an_error_has_a_kind_and_a_sentence(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(err_set(&e, ERR_USAGE, "%s:%d: no", "a.yaml", 3), -1);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_string_equal(e.msg, "a.yaml:3: no");
}

static void a_system_error_ends_with_the_reason(void **state)
{
	struct err e = { 0 };

	(void)state;
	errno = ENOENT;
	assert_int_equal(err_sys(&e, ERR_STORE, "open %s", "x"), -1);
	assert_int_equal(e.kind, ERR_STORE);
	assert_string_equal(e.msg, "open x: No such file or directory");
	errno = EFBIG;
	err_sys(&e, ERR_STORE, "write");
	assert_non_null(strstr(e.msg, "File too large; `ulimit -f"));
}

static void wrapping_puts_the_context_outside(void **state)
{
	struct err e = { 0 };

	(void)state;
	err_set(&e, ERR_HOST, "no /dev/kvm");
	assert_int_equal(err_wrap(&e, "host %s", "lab3"), -1);
	err_wrap(&e, "trial %d", 7);
	assert_string_equal(e.msg, "trial 7: host lab3: no /dev/kvm");
	assert_int_equal(e.kind, ERR_HOST);
}

static bool begins(const struct err *e, const char *text)
{
	return strncmp(e->msg, text, strlen(text)) == 0;
}

static bool ends(const struct err *e, const char *text)
{
	size_t len = strlen(e->msg), n = strlen(text);

	return len >= n && strcmp(e->msg + len - n, text) == 0;
}

static void a_message_too_long_keeps_its_place_and_its_reason(void **state)
{
	static struct err e;
	char text[ERR_MSG_MAX + 100];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	err_set(&e, ERR_HOST, "in %s: no room", text);
	assert_int_equal(strlen(e.msg), ERR_MSG_MAX - 1);
	assert_true(begins(&e, "in xxx") && ends(&e, "xxx: no room"));
	assert_non_null(strstr(e.msg, "xxx [...] xxx"));
	err_wrap(&e, "%s", text);
	err_wrap(&e, "outside");
	assert_int_equal(strlen(e.msg), ERR_MSG_MAX - 1);
	assert_true(begins(&e, "outside: xxx") && ends(&e, "xxx: no room"));
	errno = EIO;
	err_sys(&e, ERR_HOST, "%s", text);
	assert_int_equal(strlen(e.msg), ERR_MSG_MAX - 1);
	assert_true(ends(&e, "xxx: Input/output error"));
}

static void a_message_that_just_fits_is_whole(void **state)
{
	static struct err e;
	char text[ERR_MSG_MAX];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	err_set(&e, ERR_HOST, "%s", text);
	assert_string_equal(e.msg, text);
	err_set(&e, ERR_HOST, "%sy", text);
	assert_int_equal(strlen(e.msg), ERR_MSG_MAX - 1);
	assert_true(ends(&e, "xy"));
}

static void lines_add_up_and_the_first_sets_the_kind(void **state)
{
	struct err e = { 0 };

	(void)state;
	strcpy(e.msg, "stale text of an unset error");
	err_add_line(&e, ERR_USAGE, "a.yaml:1:1: one");
	err_add_line(&e, ERR_USAGE, "a.yaml:2:1: two");
	assert_int_equal(e.kind, ERR_USAGE);
	assert_string_equal(e.msg, "a.yaml:1:1: one\na.yaml:2:1: two");
}

static void a_full_list_says_so_once_and_stays_closed(void **state)
{
	static struct err e;
	char line[200];
	const char *more, *end;

	(void)state;
	memset(line, 'y', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	for (int i = 0; i < 100; i++)
		err_add_line(&e, ERR_USAGE, line);
	err_add_line(&e, ERR_USAGE, "short");
	more = strstr(e.msg, "\n(more errors follow");
	assert_non_null(more);
	assert_null(strstr(more + 2, "(more errors"));
	assert_null(strstr(e.msg, "short"));
	end = strchr(more, '\0');
	assert_int_equal(end[-1], ')');
}

static void one_huge_line_is_cut(void **state)
{
	static struct err e;
	static char line[2 * ERR_MSG_MAX];

	(void)state;
	memset(line, 'z', sizeof(line) - 1);
	err_add_line(&e, ERR_USAGE, line);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_int_equal(strlen(e.msg), 203);
	assert_string_equal(e.msg + 200, "...");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_has_a_kind_and_a_sentence),
		cmocka_unit_test(a_system_error_ends_with_the_reason),
		cmocka_unit_test(wrapping_puts_the_context_outside),
		cmocka_unit_test(
			a_message_too_long_keeps_its_place_and_its_reason),
		cmocka_unit_test(a_message_that_just_fits_is_whole),
		cmocka_unit_test(lines_add_up_and_the_first_sets_the_kind),
		cmocka_unit_test(a_full_list_says_so_once_and_stays_closed),
		cmocka_unit_test(one_huge_line_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
