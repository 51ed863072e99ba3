#include "tests/unit/unit.h"

#include "runner/base/strv.h"

static void arguments_stand_in_order_and_end_with_null(void **state)
{
	CLEANUP(strv_deinit) struct strv s = STRV_INIT;

	(void)state;
	for (int i = 0; i < 100; i++)
		strv_addf(&s, "arg%d", i);
	strv_add(&s, "");
	assert_int_equal(s.n, 101);
	assert_string_equal(s.v[0], "arg0");
	assert_string_equal(s.v[99], "arg99");
	assert_string_equal(s.v[100], "");
	assert_null(s.v[101]);
}

static void an_empty_vector_is_nothing(void **state)
{
	CLEANUP(strv_deinit) struct strv s = STRV_INIT;
	CLEANUP(buf_deinit) struct buf line = BUF_INIT;

	(void)state;
	strv_quote(&s, &line);
	assert_string_equal(buf_str(&line), "");
	assert_null(s.v);
}

static void quoting_is_what_a_shell_reads_back(void **state)
{
	static const struct {
		const char *arg, *quoted;
	} cases[] = {
		{ "qemu-system-x86_64", "qemu-system-x86_64" },
		{ "node,size=512M", "node,size=512M" },
		{ "", "''" },
		{ "two words", "'two words'" },
		{ "it's", "'it'\\''s'" },
		{ "$HOME", "'$HOME'" },
		{ "a\nb", "'a\nb'" },
		{ "~", "'~'" },
		{ "*", "'*'" },
		{ "\xc3\xa9", "'\xc3\xa9'" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(strv_deinit) struct strv s = STRV_INIT;
		CLEANUP(buf_deinit) struct buf line = BUF_INIT;

		strv_add(&s, cases[i].arg);
		strv_quote(&s, &line);
		assert_string_equal(buf_str(&line), cases[i].quoted);
	}
}

static void arguments_are_parted_by_one_blank(void **state)
{
	CLEANUP(strv_deinit) struct strv s = STRV_INIT;
	CLEANUP(buf_deinit) struct buf line = BUF_INIT;

	(void)state;
	strv_add(&s, "-m");
	strv_add(&s, "512M");
	strv_add(&s, "a b");
	strv_quote(&s, &line);
	assert_string_equal(buf_str(&line), "-m 512M 'a b'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_stand_in_order_and_end_with_null),
		cmocka_unit_test(an_empty_vector_is_nothing),
		cmocka_unit_test(quoting_is_what_a_shell_reads_back),
		cmocka_unit_test(arguments_are_parted_by_one_blank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
