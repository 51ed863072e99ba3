#include "tests/unit/unit.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/base/alloc.h"

static void nothing_is_still_a_pointer(void **state)
{
	CLEANUP(cleanup_free) void *m = xmalloc(0);
	CLEANUP(cleanup_free) void *c = xcalloc(0, 8);
	CLEANUP(cleanup_free) void *r = xrealloc(NULL, 0);

	(void)state;
	assert_non_null(m);
	assert_non_null(c);
	assert_non_null(r);
}

static void text_is_copied_and_formatted(void **state)
{
	CLEANUP(cleanup_free) char *copy = xstrdup("null_blk");
	CLEANUP(cleanup_free) char *made = xasprintf("%s-%d", copy, 7);

	(void)state;
	assert_string_equal(copy, "null_blk");
	assert_string_equal(made, "null_blk-7");
}

static void growing_doubles_keeps_and_zeroes(void **state)
{
	CLEANUP(cleanup_free) int *items = NULL;
	size_t cap = 0;

	(void)state;
	for (size_t n = 1; n <= 1000; n++) {
		size_t before = cap;

		items = xgrow(items, &cap, n, sizeof(*items));
		assert_true(cap >= n);
		if (cap != before)
			assert_true(cap >= 2 * before);
		assert_int_equal(items[n - 1], 0);
		assert_int_equal(items[cap - 1], 0);
		items[n - 1] = (int)n;
	}
	for (size_t n = 1; n <= 1000; n++)
		assert_int_equal(items[n - 1], n);
}

static void growing_to_what_is_there_changes_nothing(void **state)
{
	CLEANUP(cleanup_free) char *items = NULL;
	char *before;
	size_t cap = 0;

	(void)state;
	items = xgrow(NULL, &cap, 5, 1);
	before = items;
	assert_ptr_equal(xgrow(items, &cap, cap, 1), before);
}

// Runs `fn` in a child that cannot have much memory; true if it aborted.
static bool aborts(void (*fn)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		struct rlimit none = { 0, 0 };

		setrlimit(RLIMIT_CORE, &none);
		signal(SIGABRT, SIG_DFL);
		if (freopen("/dev/null", "w", stderr) == NULL)
			_exit(2);
		fn();
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return false;
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void grow_past_the_size_of_memory(void)
{
	size_t cap = 0;

	free(xgrow(NULL, &cap, SIZE_MAX / 8, 64));
}

static void grow_past_every_power_of_two(void)
{
	size_t cap = 0;

	free(xgrow(NULL, &cap, SIZE_MAX, 1));
}

static void a_size_that_overflows_aborts(void **state)
{
	(void)state;
	assert_true(aborts(grow_past_the_size_of_memory));
	assert_true(aborts(grow_past_every_power_of_two));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_still_a_pointer),
		cmocka_unit_test(text_is_copied_and_formatted),
		cmocka_unit_test(growing_doubles_keeps_and_zeroes),
		cmocka_unit_test(growing_to_what_is_there_changes_nothing),
		cmocka_unit_test(a_size_that_overflows_aborts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
