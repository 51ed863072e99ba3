#include "tests/unit/unit.h"

#include <stdalign.h>
#include <string.h>

#include "runner/base/arena.h"

static bool is_zero(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] != 0)
			return false;
	}
	return true;
}

static void memory_is_zeroed_and_aligned_and_its_own(void **state)
{
	static const size_t sizes[] = {
		1, 7, 16, 100, 4095, 4097, 16384, 70000
	};
	CLEANUP(arena_freep) struct arena *a = arena_new();

	(void)state;
	for (int round = 0; round < 20; round++) {
		for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
			char *p = arena_alloc(a, sizes[i]);

			assert_int_equal((uintptr_t)p % alignof(max_align_t),
					 0);
			assert_true(is_zero(p, sizes[i]));
			memset(p, 0xff, sizes[i]); // the next must not see it
		}
	}
}

static void strings_are_copies_with_an_end(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	char text[] = "hugetlb-2M";
	char *all = arena_strdup(a, text);
	char *part = arena_strndup(a, text, 7);

	(void)state;
	text[0] = 'X';
	assert_string_equal(all, "hugetlb-2M");
	assert_string_equal(part, "hugetlb");
	assert_string_equal(arena_strndup(a, text, 0), "");
	assert_string_equal(arena_printf(a, "%s=%d", all, 2), "hugetlb-2M=2");
}

static void a_long_text_is_formatted_whole(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const char *s = arena_printf(a, "%*d", 100000, 1);

	(void)state;
	assert_int_equal(strlen(s), 100000);
}

static void pushing_keeps_what_is_there(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	size_t n = 0, cap = 0;
	uint64_t *items = NULL;

	(void)state;
	for (uint64_t i = 0; i < 5000; i++) {
		uint64_t *slot =
			arena_push(a, &items, &n, &cap, sizeof(*items));

		assert_int_equal(*slot, 0);
		*slot = i;
	}
	assert_int_equal(n, 5000);
	for (uint64_t i = 0; i < 5000; i++)
		assert_int_equal(items[i], i);
}

static void no_arena_is_freed_in_peace(void **state)
{
	struct arena *none = NULL;

	(void)state;
	arena_free(NULL);
	arena_freep(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_zeroed_and_aligned_and_its_own),
		cmocka_unit_test(strings_are_copies_with_an_end),
		cmocka_unit_test(a_long_text_is_formatted_whole),
		cmocka_unit_test(pushing_keeps_what_is_there),
		cmocka_unit_test(no_arena_is_freed_in_peace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
