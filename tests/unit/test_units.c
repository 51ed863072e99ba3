#include "tests/unit/unit.h"

#include <math.h>
#include <string.h>

#include "runner/base/units.h"

struct whole {
	const char *text;
	enum units_status status;
	uint64_t value;
};

static void check_whole(const struct whole *cases, size_t n,
			enum units_status (*parse)(const char *, uint64_t *))
{
	for (size_t i = 0; i < n; i++) {
		const struct whole *c = &cases[i];
		uint64_t got = 12345; // must survive a failure
		enum units_status st = parse(c->text, &got);
		uint64_t want = c->status == UNITS_OK ? c->value : 12345;

		if (st != c->status || got != want)
			fail_msg("\"%s\": status %d and %llu, want %d and %llu",
				 c->text, st, (unsigned long long)got,
				 c->status, (unsigned long long)want);
	}
}

static void sizes_are_powers_of_1024(void **state)
{
	static const struct whole cases[] = {
		{ "0", UNITS_OK, 0 },
		{ "4096", UNITS_OK, 4096 },
		{ "4k", UNITS_OK, 4096 },
		{ "4K", UNITS_OK, 4096 },
		{ "4KiB", UNITS_OK, 4096 },
		{ "512M", UNITS_OK, 512ULL << 20 },
		{ "512 MiB", UNITS_OK, 512ULL << 20 },
		{ "1.5G", UNITS_OK, 3ULL << 29 },
		{ "1T", UNITS_OK, 1ULL << 40 },
		{ "8191T", UNITS_OK, 8191ULL << 40 },
		{ "8192T", UNITS_TOO_LARGE, 0 },
		{ "9007199254740991", UNITS_OK, 9007199254740991 },
		{ "9007199254740993", UNITS_TOO_LARGE, 0 },
		{ "1e400", UNITS_TOO_LARGE, 0 },
		{ "", UNITS_EMPTY, 0 },
		{ "M", UNITS_NOT_A_NUMBER, 0 },
		{ " 4k", UNITS_NOT_A_NUMBER, 0 },
		{ ".", UNITS_NOT_A_NUMBER, 0 },
		{ "1.2.3k", UNITS_NOT_A_NUMBER, 0 },
		{ "nan", UNITS_NOT_A_NUMBER, 0 },
		{ "inf", UNITS_NOT_A_NUMBER, 0 },
		{ "-4k", UNITS_NEGATIVE, 0 },
		{ "0x10", UNITS_UNKNOWN_UNIT, 0 },
		{ "4X", UNITS_UNKNOWN_UNIT, 0 },
		{ "4kk", UNITS_UNKNOWN_UNIT, 0 },
		{ "4e", UNITS_UNKNOWN_UNIT, 0 },
		{ "0.5", UNITS_FRACTION, 0 },
		{ "1.1T", UNITS_FRACTION, 0 },
		{ "1.0000000001T", UNITS_FRACTION, 0 },
	};

	(void)state;
	check_whole(cases, ARRAY_LEN(cases), units_parse_size);
}

static void durations_are_nanoseconds(void **state)
{
	static const struct whole cases[] = {
		{ "0", UNITS_OK, 0 },
		{ "3s", UNITS_OK, 3000000000 },
		{ "250ms", UNITS_OK, 250000000 },
		{ "10us", UNITS_OK, 10000 },
		{ "100ns", UNITS_OK, 100 },
		{ "2m", UNITS_OK, 120000000000 },
		{ "2min", UNITS_OK, 120000000000 },
		{ "1h", UNITS_OK, 3600000000000 },
		{ "1.5s", UNITS_OK, 1500000000 },
		{ "1.1s", UNITS_OK, 1100000000 },
		{ "0.3s", UNITS_OK, 300000000 },
		{ "1e3ms", UNITS_OK, 1000000000 },
		{ "100000s", UNITS_OK, 100000000000000 },
		{ "3", UNITS_UNKNOWN_UNIT, 0 },
		{ "3d", UNITS_UNKNOWN_UNIT, 0 },
		{ "-1s", UNITS_NEGATIVE, 0 },
		{ "-1", UNITS_NEGATIVE, 0 },
		{ "s", UNITS_NOT_A_NUMBER, 0 },
		{ "0.5ns", UNITS_FRACTION, 0 },
		{ "1000.0000000005s", UNITS_FRACTION, 0 },
		{ "10000h", UNITS_TOO_LARGE, 0 },
	};

	(void)state;
	check_whole(cases, ARRAY_LEN(cases), units_parse_duration);
}

static void counts_are_powers_of_1000(void **state)
{
	static const struct whole cases[] = {
		{ "128", UNITS_OK, 128 },
		{ "1e6", UNITS_OK, 1000000 },
		{ "64k", UNITS_OK, 64000 },
		{ "1.5M", UNITS_OK, 1500000 },
		{ "2G", UNITS_OK, 2000000000 },
		{ "+5", UNITS_OK, 5 },
		{ "-0", UNITS_OK, 0 },
		{ "1.5", UNITS_FRACTION, 0 },
		{ "1e-1", UNITS_FRACTION, 0 },
		{ "-1", UNITS_NEGATIVE, 0 },
		{ "12 monkeys", UNITS_UNKNOWN_UNIT, 0 },
	};

	(void)state;
	check_whole(cases, ARRAY_LEN(cases), units_parse_count);
}

struct real {
	const char *text;
	enum units_status status;
	double value;
};

static void check_real(const struct real *cases, size_t n,
		       enum units_status (*parse)(const char *, double *))
{
	for (size_t i = 0; i < n; i++) {
		const struct real *c = &cases[i];
		double got = 77;
		enum units_status st = parse(c->text, &got);
		double want = c->status == UNITS_OK ? c->value : 77;

		if (st != c->status || fabs(got - want) > 1e-15 * fabs(want))
			fail_msg("\"%s\": status %d and %g, want %d and %g",
				 c->text, st, got, c->status, want);
	}
}

static void ratios_are_per_cent_or_plain(void **state)
{
	static const struct real cases[] = {
		{ "2%", UNITS_OK, 0.02 },
		{ "2 %", UNITS_OK, 0.02 },
		{ "0.02", UNITS_OK, 0.02 },
		{ "-5%", UNITS_OK, -0.05 },
		{ "150%", UNITS_OK, 1.5 },
		{ "%", UNITS_NOT_A_NUMBER, 0 },
		{ "", UNITS_EMPTY, 0 },
		{ "2%%", UNITS_UNKNOWN_UNIT, 0 },
		{ "2pc", UNITS_UNKNOWN_UNIT, 0 },
	};

	(void)state;
	check_real(cases, ARRAY_LEN(cases), units_parse_ratio);
}

static void reals_are_decimal_and_finite(void **state)
{
	static const struct real cases[] = {
		{ "3.25", UNITS_OK, 3.25 },
		{ "-1e-3", UNITS_OK, -0.001 },
		{ "5.", UNITS_OK, 5 },
		{ ".5", UNITS_OK, 0.5 },
		{ "1e999", UNITS_TOO_LARGE, 0 },
		{ "infinity", UNITS_NOT_A_NUMBER, 0 },
		{ "1,5", UNITS_UNKNOWN_UNIT, 0 },
		{ "0x1p3", UNITS_UNKNOWN_UNIT, 0 },
	};

	(void)state;
	check_real(cases, ARRAY_LEN(cases), units_parse_real);
}

static void a_number_of_endless_digits_is_refused(void **state)
{
	char text[1000];
	double x = 0;

	(void)state;
	memset(text, '1', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(units_parse_real(text, &x), UNITS_TOO_LARGE);
}

static void booleans_are_the_words_people_use(void **state)
{
	static const struct {
		const char *text;
		enum units_status status;
		bool value;
	} cases[] = {
		{ "on", UNITS_OK, true },	{ "Yes", UNITS_OK, true },
		{ "TRUE", UNITS_OK, true },	{ "1", UNITS_OK, true },
		{ "off", UNITS_OK, false },	{ "no", UNITS_OK, false },
		{ "false", UNITS_OK, false },	{ "0", UNITS_OK, false },
		{ "", UNITS_EMPTY, false },	{ "2", UNITS_NOT_A_NUMBER, 0 },
		{ "y", UNITS_NOT_A_NUMBER, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		bool b = !cases[i].value;
		enum units_status st = units_parse_bool(cases[i].text, &b);

		if (st != cases[i].status ||
		    (st == UNITS_OK && b != cases[i].value))
			fail_msg("\"%s\": status %d", cases[i].text, st);
	}
}

static void each_status_has_words_of_its_own(void **state)
{
	(void)state;
	for (int a = UNITS_OK; a <= UNITS_FRACTION; a++) {
		for (int b = UNITS_OK; b < a; b++)
			assert_string_not_equal(
				units_status_text((enum units_status)a),
				units_status_text((enum units_status)b));
	}
}

static void sizes_are_written_short_and_read_back(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ 1000, "1000" },
		{ 4096, "4k" },
		{ 512ULL << 20, "512M" },
		{ 3ULL << 29, "1536M" },
		{ 1ULL << 40, "1T" },
		{ 4097, "4097" },
	};
	char text[32];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint64_t back = 1;

		units_format_size(cases[i].bytes, text, sizeof(text));
		assert_string_equal(text, cases[i].text);
		assert_int_equal(units_parse_size(text, &back), UNITS_OK);
		assert_int_equal(back, cases[i].bytes);
	}
}

static void durations_are_written_in_parts(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{ 0, "0s" },
		{ 3000000000, "3s" },
		{ 250000000, "250ms" },
		{ 90000000000, "1m30s" },
		{ 3600000000001, "1h1ns" },
		{ 1500000000, "1s500ms" },
	};
	char text[64], tiny[4];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		units_format_duration(cases[i].ns, text, sizeof(text));
		assert_string_equal(text, cases[i].text);
	}
	units_format_duration(UINT64_MAX, tiny, sizeof(tiny));
	assert_true(strlen(tiny) < sizeof(tiny));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_powers_of_1024),
		cmocka_unit_test(durations_are_nanoseconds),
		cmocka_unit_test(counts_are_powers_of_1000),
		cmocka_unit_test(ratios_are_per_cent_or_plain),
		cmocka_unit_test(reals_are_decimal_and_finite),
		cmocka_unit_test(a_number_of_endless_digits_is_refused),
		cmocka_unit_test(booleans_are_the_words_people_use),
		cmocka_unit_test(each_status_has_words_of_its_own),
		cmocka_unit_test(sizes_are_written_short_and_read_back),
		cmocka_unit_test(durations_are_written_in_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
