#include "tests/unit/numbers.h"

#include <string.h>

#include "analysis/table_number.h"

static const struct table_style point = { .decimal = '.' };
static const struct table_style comma = { .decimal = ',' };
static const struct table_style units = { .decimal = '.', .units = true };
static const struct table_style both = { .decimal = ',', .units = true };

static const struct figure {
	const char *text;
	const struct table_style *style;
	double value;
	const char *unit;
} figures[] = {
	{ "1392703", &point, 1392703, "" },
	{ "-1.5e3", &point, -1500, "" },
	{ "+.5", &point, 0.5, "" },
	{ "7E-3", &point, 0.007, "" },
	{ "0", &point, 0, "" },
	{ "1e-150", &point, 1e-150, "" },
	{ "1,5", &comma, 1.5, "" },
	{ "-1,5e3", &comma, -1500, "" },
	{ "12", &comma, 12, "" },
	{ "1,234", &comma, 1.234, "" },
	{ "1.3M", &units, 1.3e6, "" },
	{ "900 k", &units, 9e5, "" },
	{ "750", &units, 750, "" },
	{ "12 ms", &units, 0.012, "s" },
	{ "12\xc2\xb5s", &units, 12e-6, "s" },
	{ "12\xce\xbcs", &units, 12e-6, "s" },
	{ "2min", &units, 120, "s" },
	{ "4KiB", &units, 4096, "B" },
	{ "4 kB", &units, 4000, "B" },
	{ "1.5GiB/s", &units, 1.5 * 1024 * 1024 * 1024, "B/s" },
	{ "3.2 GHz", &units, 3.2e9, "Hz" },
	{ "208 kIOPS", &units, 208e3, "IOPS" },
	{ "2 %", &units, 2, "%" },
	{ "2Mi", &units, 2097152, "" },
	{ "1,3M", &both, 1.3e6, "" },
	{ "", &point, NAN, "" },
	{ "NA", &point, NAN, "" },
	{ "n/a", &point, NAN, "" },
	{ "NaN", &point, NAN, "" },
	{ "-", &point, NAN, "" },
	{ "Inf", &point, NAN, "" },
	{ "-inf", &units, NAN, "" },
};

static void figures_are_read_as_meant(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(figures); i++) {
		const struct figure *x = &figures[i];
		struct table_number n;
		const char *why = table_number_read(x->text, x->style, &n);

		if (why != NULL)
			fail_msg("\"%s\" %s", x->text, why);
		if (strcmp(n.unit, x->unit) != 0)
			fail_msg("\"%s\" is in \"%s\"", x->text, n.unit);
		assert_named_close(x->text, n.value, x->value, 1e-15);
	}
}

static const struct refusal {
	const char *text;
	const struct table_style *style;
	const char *why;
} refusals[] = {
	{ "fast", &point, "is no number; where there is no figure, write NA" },
	{ "?", &units, "write NA" },
	{ ".", &point, "write NA" },
	{ "e5", &point, "write NA" },
	{ "1,5", &point, "--decimal , reads decimal commas" },
	{ "1,392,703", &point, "no commas between thousands" },
	{ "1,392.5", &point, "write nothing between thousands" },
	{ "1 392 703", &point, "write nothing between thousands" },
	{ "1'392'703", &point, "write nothing between thousands" },
	{ "1_392", &units, "write nothing between thousands" },
	{ "1\xc2\xa0"
	  "392",
	  &point, "write nothing between thousands" },
	{ "1.392,5", &comma, "write nothing between thousands" },
	{ "1,392,703", &comma, "write nothing between thousands" },
	{ "1.5", &comma, "after --decimal , a point is none" },
	{ "\xe2\x88\x92"
	  "4.6",
	  &point, "write - as the minus sign" },
	{ "1.3M", &point, "--units reads figures with units" },
	{ "12 ms", &point, "--units reads figures with units" },
	{ "0x10", &point, "is no number" },
	{ "0x10", &units, "is no number" },
	{ "1.2.3", &point, "is no number" },
	{ "--1", &point, "is no number" },
	{ "1e999", &point, "is out of range" },
	{ "-1e151", &point, "is out of range" },
	{ "1e-320", &point, "is out of range" },
	{ "4K", &units, "K is 1000 to some and 1024 to others" },
	{ "4KB", &units, "K is 1000 to some and 1024 to others" },
	{ "4m", &units, "has an unknown unit" },
	{ "4 parsecs", &units, "has an unknown unit" },
	{ "1M2", &units, "is no number" },
	{ "1e308T", &units, "is out of range" },
	{ "1e149G", &units, "is out of range" },
	{ "208k IOPS", &units, "has an unknown unit" },
};

static void what_could_be_read_otherwise_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
		const struct refusal *x = &refusals[i];
		struct table_number n;
		const char *why = table_number_read(x->text, x->style, &n);

		if (why == NULL)
			fail_msg("\"%s\" is read as %g %s", x->text, n.value,
				 n.unit);
		if (strstr(why, x->why) == NULL)
			fail_msg("\"%s\" %s", x->text, why);
	}
}

static void a_long_cell_is_refused(void **state)
{
	char text[1000];
	struct table_number n;

	(void)state;
	memset(text, '1', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_non_null(table_number_read(text, &units, &n));
	assert_non_null(table_number_read(text, &comma, &n));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_read_as_meant),
		cmocka_unit_test(what_could_be_read_otherwise_is_refused),
		cmocka_unit_test(a_long_cell_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
