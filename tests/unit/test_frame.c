#include "tests/unit/unit.h"

#include <string.h>

#include "runner/base/alloc.h"
#include "runner/proto/frame.h"

static enum frame_status peek(const char *data, size_t len)
{
	const char *body;
	size_t n, used;

	return frame_peek(data, len, &body, &n, &used);
}

static void the_length_is_little_endian(void **state)
{
	CLEANUP(buf_deinit) struct buf out = BUF_INIT;
	CLEANUP(cleanup_free) char *body = xcalloc(1, 0x010203);

	(void)state;
	frame_append(&out, body, 0x010203);
	assert_int_equal(out.len, FRAME_HEADER_BYTES + 0x010203);
	assert_memory_equal(out.data, "\x03\x02\x01\x00", 4);
}

static void frames_come_back_one_by_one(void **state)
{
	CLEANUP(buf_deinit) struct buf wire = BUF_INIT;
	static const char *const bodies[] = { "{}", "{\"type\":\"bye\"}", "x" };
	const char *body = NULL;
	size_t len = 0, used = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bodies); i++)
		frame_append(&wire, bodies[i], strlen(bodies[i]));
	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		assert_int_equal(
			frame_peek(wire.data, wire.len, &body, &len, &used),
			FRAME_OK);
		assert_int_equal(len, strlen(bodies[i]));
		assert_memory_equal(body, bodies[i], len);
		buf_consume(&wire, used);
	}
	assert_int_equal(wire.len, 0);
}

static void every_proper_prefix_waits_for_more(void **state)
{
	CLEANUP(buf_deinit) struct buf wire = BUF_INIT;

	(void)state;
	frame_append(&wire, "0123456789", 10);
	for (size_t n = 0; n < wire.len; n++)
		assert_int_equal(peek(wire.data, n), FRAME_MORE);
	assert_int_equal(peek(wire.data, wire.len), FRAME_OK);
}

static void a_length_of_zero_or_over_the_limit_is_bad(void **state)
{
	static const struct {
		const char *header;
		enum frame_status status;
	} cases[] = {
		{ "\0\0\0\0", FRAME_BAD },    { "\1\0\0\0", FRAME_MORE },
		{ "\0\0\x80\0", FRAME_MORE }, // FRAME_BODY_MAX
		{ "\1\0\x80\0", FRAME_BAD },  { "\xff\xff\xff\xff", FRAME_BAD },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		enum frame_status st = peek(cases[i].header, 4);

		if (st != cases[i].status)
			fail_msg("header %zu: status %d", i, st);
	}
}

static void the_longest_body_fits(void **state)
{
	CLEANUP(buf_deinit) struct buf wire = BUF_INIT;
	CLEANUP(cleanup_free) char *body = xcalloc(1, FRAME_BODY_MAX);

	(void)state;
	frame_append(&wire, body, FRAME_BODY_MAX);
	assert_int_equal(peek(wire.data, wire.len), FRAME_OK);
	assert_int_equal(peek(wire.data, wire.len - 1), FRAME_MORE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_length_is_little_endian),
		cmocka_unit_test(frames_come_back_one_by_one),
		cmocka_unit_test(every_proper_prefix_waits_for_more),
		cmocka_unit_test(a_length_of_zero_or_over_the_limit_is_bad),
		cmocka_unit_test(the_longest_body_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
