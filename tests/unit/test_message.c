#include "tests/unit/unit.h"

#include <string.h>

#include "runner/base/alloc.h"
#include "runner/proto/frame.h"
#include "runner/proto/message.h"

static void what_is_sent_is_what_is_decoded(void **state)
{
	CLEANUP(buf_deinit) struct buf wire = BUF_INIT;
	CLEANUP(message_deinit) struct message m = { .body = NULL };
	struct js *msg = message_new(MESSAGE_STAGE, 7);
	struct err e = { 0 };
	const char *body = NULL;
	size_t len = 0, used = 0;

	(void)state;
	js_set_str(msg, "stage", "boot");
	message_append(&wire, msg);
	assert_int_equal(frame_peek(wire.data, wire.len, &body, &len, &used),
			 FRAME_OK);
	assert_int_equal(used, wire.len);
	if (message_decode(body, len, "guest agent", &m, &e) < 0)
		fail_msg("%s", e.msg);
	assert_int_equal(m.type, MESSAGE_STAGE);
	assert_int_equal(m.id, 7);
	assert_string_equal(js_get_str(m.body, "stage", ""), "boot");
}

static void every_type_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (int a = MESSAGE_HELLO; a <= MESSAGE_BYE; a++) {
		const char *name = message_type_name((enum message_type)a);

		assert_true(name != NULL && name[0] != '\0');
		for (int b = MESSAGE_HELLO; b < a; b++)
			assert_string_not_equal(
				name, message_type_name((enum message_type)b));
	}
}

static void an_id_of_zero_is_left_out(void **state)
{
	CLEANUP(js_unrefp) struct js *msg = message_new(MESSAGE_BYE, 0);

	(void)state;
	assert_int_equal(js_len(msg), 1);
	assert_string_equal(js_get_str(msg, "type", ""), "bye");
}

// Texts that each lack one thing; the sentence names the peer and the thing.
static void a_message_that_lacks_something_is_refused(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "", "bad JSON" },
		{ "{", "bad JSON" },
		{ "[]", "without a type" },
		{ "7", "without a type" },
		{ "{}", "without a type" },
		{ "{\"type\":5}", "without a type" },
		{ "{\"type\":\"nonsense\"}", "\"nonsense\"" },
		{ "{\"type\":\"hello\"}", "\"version\"" },
		{ "{\"type\":\"hello\",\"version\":\"1\"}", "\"version\"" },
		{ "{\"type\":\"stage\",\"stage\":\"boot\"}", "\"id\"" },
		{ "{\"type\":\"stage\",\"id\":1}", "\"stage\"" },
		{ "{\"type\":\"result\",\"id\":1,\"result\":[]}",
		  "\"result\"" },
		{ "{\"type\":\"error\",\"id\":1.5,\"message\":\"x\"}",
		  "\"id\"" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *text = cases[i].text;
		struct message m = { .body = NULL };
		struct err e = { 0 };

		if (message_decode(text, strlen(text), "guest", &m, &e) == 0)
			fail_msg("accepted: %s", text);
		if (strstr(e.msg, cases[i].says) == NULL ||
		    strncmp(e.msg, "guest:", 6) != 0)
			fail_msg("%s: says %s", text, e.msg);
		assert_int_equal(e.kind, ERR_HOST);
		assert_null(m.body);
	}
}

static int decode_error_of_length(size_t n)
{
	CLEANUP(message_deinit) struct message m = { .body = NULL };
	CLEANUP(cleanup_free) char *text = xcalloc(1, n + 1);
	CLEANUP(js_unrefp) struct js *msg = message_new(MESSAGE_ERROR, 1);
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;
	struct err e = { 0 };

	memset(text, 'x', n);
	js_set_str(msg, "message", text);
	js_print(msg, &b);
	return message_decode(b.data, b.len, "guest", &m, &e);
}

static void strings_have_a_limit(void **state)
{
	(void)state;
	assert_int_equal(decode_error_of_length(MESSAGE_STRING_MAX), 0);
	assert_int_equal(decode_error_of_length(MESSAGE_STRING_MAX + 1), -1);
}

static void fields_that_nobody_asked_for_are_kept(void **state)
{
	static const char text[] = "{\"type\":\"bye\",\"later\":[1]}";
	CLEANUP(message_deinit) struct message m = { .body = NULL };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(message_decode(text, strlen(text), "x", &m, &e), 0);
	assert_int_equal(m.id, 0);
	assert_int_equal(js_len(js_get(m.body, "later")), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_sent_is_what_is_decoded),
		cmocka_unit_test(every_type_has_a_name_of_its_own),
		cmocka_unit_test(an_id_of_zero_is_left_out),
		cmocka_unit_test(a_message_that_lacks_something_is_refused),
		cmocka_unit_test(strings_have_a_limit),
		cmocka_unit_test(fields_that_nobody_asked_for_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
