#include "tests/unit/unit.h"

#include <string.h>

#include "runner/base/buf.h"

static void an_empty_buffer_is_an_empty_string(void **state)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;
	CLEANUP(cleanup_free) char *taken = NULL;

	(void)state;
	assert_string_equal(buf_str(&b), "");
	buf_clear(&b);
	buf_consume(&b, 0);
	buf_add(&b, NULL, 0);
	assert_string_equal(buf_str(&b), "");
	taken = buf_take(&b);
	assert_string_equal(taken, "");
}

static void what_is_added_stands_in_order_before_a_nul(void **state)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;

	(void)state;
	buf_puts(&b, "iops");
	buf_putc(&b, '=');
	buf_printf(&b, "%d %s", 42, "ok");
	buf_add(&b, "\0x", 2);
	assert_int_equal(b.len, 12);
	assert_memory_equal(b.data, "iops=42 ok\0x", 13);
	assert_true(b.len < b.cap);
}

static void consuming_drops_from_the_front(void **state)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;

	(void)state;
	buf_puts(&b, "headbody");
	buf_consume(&b, 4);
	assert_string_equal(buf_str(&b), "body");
	buf_consume(&b, 4);
	assert_int_equal(b.len, 0);
	assert_string_equal(buf_str(&b), "");
}

static void taking_leaves_it_empty_and_usable(void **state)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;
	CLEANUP(cleanup_free) char *first = NULL;

	(void)state;
	buf_puts(&b, "first");
	first = buf_take(&b);
	assert_string_equal(first, "first");
	assert_null(b.data);
	buf_puts(&b, "second");
	assert_string_equal(buf_str(&b), "second");
	buf_clear(&b);
	assert_string_equal(buf_str(&b), "");
}

static void it_grows_to_any_size(void **state)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;

	(void)state;
	for (int i = 0; i < 100000; i++)
		buf_putc(&b, (char)('a' + i % 26));
	buf_printf(&b, "%*d", 50000, 7);
	assert_int_equal(b.len, 150000);
	assert_int_equal(strlen(b.data), 150000);
	assert_int_equal(b.data[99999], 'a' + 99999 % 26);
	assert_int_equal(b.data[149999], '7');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_buffer_is_an_empty_string),
		cmocka_unit_test(what_is_added_stands_in_order_before_a_nul),
		cmocka_unit_test(consuming_drops_from_the_front),
		cmocka_unit_test(taking_leaves_it_empty_and_usable),
		cmocka_unit_test(it_grows_to_any_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
