#include "tests/unit/unit.h"

#include <string.h>

#include "runner/base/base64.h"

// RFC 4648, section 10.
static void the_examples_of_the_rfc_hold(void **state)
{
	static const struct {
		const char *plain, *text;
	} cases[] = {
		{ "", "" },
		{ "f", "Zg==" },
		{ "fo", "Zm8=" },
		{ "foo", "Zm9v" },
		{ "foob", "Zm9vYg==" },
		{ "fooba", "Zm9vYmE=" },
		{ "foobar", "Zm9vYmFy" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_deinit) struct buf text = BUF_INIT, back = BUF_INIT;

		base64_encode(cases[i].plain, strlen(cases[i].plain), &text);
		assert_string_equal(buf_str(&text), cases[i].text);
		assert_int_equal(base64_decode(buf_str(&text), text.len, &back),
				 0);
		assert_string_equal(buf_str(&back), cases[i].plain);
	}
}

static void every_byte_survives(void **state)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT, back = BUF_INIT;
	unsigned char all[256];

	(void)state;
	for (size_t i = 0; i < sizeof(all); i++)
		all[i] = (unsigned char)i;
	base64_encode(all, sizeof(all), &text);
	assert_int_equal(text.len, BASE64_CHARS(sizeof(all)));
	assert_int_equal(base64_decode(text.data, text.len, &back), 0);
	assert_int_equal(back.len, sizeof(all));
	assert_memory_equal(back.data, all, sizeof(all));
}

static void what_is_not_base64_is_refused_and_adds_nothing(void **state)
{
	static const char *const cases[] = {
		"Z",	"Zg",	"Zg=",	    "Zg==Zg==", "Z===",	    "====",
		"Zm9*", "Zm 9", "Zm9v\nZm", "Zh==",	"Zm9=Zm8=", "Zm9",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_deinit) struct buf out = BUF_INIT;

		buf_puts(&out, "x");
		if (base64_decode(cases[i], strlen(cases[i]), &out) == 0)
			fail_msg("accepted: %s", cases[i]);
		assert_string_equal(buf_str(&out), "x");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_examples_of_the_rfc_hold),
		cmocka_unit_test(every_byte_survives),
		cmocka_unit_test(
			what_is_not_base64_is_refused_and_adds_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
