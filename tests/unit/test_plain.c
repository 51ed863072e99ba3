#include "tests/unit/unit.h"

#include <string.h>

#include "runner/base/compiler.h"
#include "runner/base/plain.h"

static void what_a_terminal_obeys_is_a_question_mark(void **state)
{
	static const struct {
		const char *text, *plain;
	} cases[] = {
		{ "", "" },
		{ "plain, 5 %", "plain, 5 %" },
		{ "\x1b[31mred", "?[31mred" },
		{ "a\r\n\tb\x7f", "a???b?" },
		{ "\xc2\x9b"
		  "31m",
		  "?31m" },
		{ "\xc2\x80\xc2\x9f\xc2\xa0", "??\xc2\xa0" },
		{ "a\xe2\x80\xaetxt.exe", "a?txt.exe" },
		{ "\xe2\x80\xa8|\xe2\x81\xa6|\xe2\x81\xa9", "?|?|?" },
		{ "\xd8\x9c|\xe2\x80\x8e|\xe2\x80\x8f", "?|?|?" },
		{ "\xd8\x9b|\xe2\x80\x90|\xe2\x80\xa7",
		  "\xd8\x9b|\xe2\x80\x90|\xe2\x80\xa7" }, // their neighbours
		{ "\xc2\xb5s \xe2\x80\x93 \xe6\x97\xa5 \xf0\x9f\x98\x80",
		  "\xc2\xb5s \xe2\x80\x93 \xe6\x97\xa5 \xf0\x9f\x98\x80" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[32];

		snprintf(text, sizeof(text), "%s", cases[i].text);
		assert_int_equal(plain_text(text), strlen(cases[i].plain));
		assert_string_equal(text, cases[i].plain);
	}
}

static void what_is_no_utf8_is_a_question_mark_a_byte(void **state)
{
	static const struct {
		const char *text, *plain;
	} cases[] = {
		{ "\x9b"
		  "31m",
		  "?31m" }, // CSI of a terminal of 8 bits
		{ "caf\xe9.yaml", "caf?.yaml" },
		{ "cut \xe2\x80", "cut ??" },
		{ "cut \xc2", "cut ?" },
		{ "\xc0\x9b", "??" },		// ESC, overlong
		{ "\xe0\x80\x9b", "???" },	// likewise
		{ "\xed\xa0\x80", "???" },	// a surrogate
		{ "\xf4\x90\x80\x80", "????" }, // beyond Unicode
		{ "\xff\xfe", "??" },
		{ "\xe6\x97\xe6\x97\xa5", "??\xe6\x97\xa5" }, // goes on
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[32];

		snprintf(text, sizeof(text), "%s", cases[i].text);
		assert_int_equal(plain_text(text), strlen(cases[i].plain));
		assert_string_equal(text, cases[i].plain);
	}
}

static void lines_of_ours_stay_lines(void **state)
{
	char text[] = "one\ntwo\x1b[2J\r\n";

	(void)state;
	assert_int_equal(plain_lines(text), 13);
	assert_string_equal(text, "one\ntwo?[2J?\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_terminal_obeys_is_a_question_mark),
		cmocka_unit_test(what_is_no_utf8_is_a_question_mark_a_byte),
		cmocka_unit_test(lines_of_ours_stay_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
