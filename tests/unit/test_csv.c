#include "tests/unit/unit.h"

#include <string.h>

#include "analysis/csv.h"
#include "runner/base/alloc.h"

static const struct csv_format plain = { .separator = 0 };

// All rows as "field|field/field|field/".
static void flat(const char *text, size_t len, const struct csv_format *format,
		 struct buf *out)
{
	CLEANUP(csv_deinit) struct csv c = { 0 };
	struct err e = { 0 };
	struct csv_row row;
	bool more;

	csv_init(&c, text, len, format, "t.csv");
	for (;;) {
		if (csv_next(&c, &row, &more, &e) != 0) {
			buf_puts(out, e.msg);
			return;
		}
		if (!more)
			return;
		for (size_t i = 0; i < row.n; i++)
			buf_printf(out, "%s%s", i > 0 ? "|" : "",
				   row.fields[i].text);
		buf_putc(out, '/');
	}
}

static const struct example {
	const char *text;
	char separator;
	const char *want;
} examples[] = {
	{ "", 0, "" },
	{ "\n\n  \n", 0, "" },
	{ "a", 0, "a/" },
	{ "a,b\n1,2\n", 0, "a|b/1|2/" },
	{ "a,b\r\n1,2\r\n", 0, "a|b/1|2/" },
	{ "a,b\r1,2", 0, "a|b/1|2/" },
	{ "\xef\xbb\xbf"
	  "a,b\n",
	  0, "a|b/" },
	{ "a;b\n1,5;2\n", 0, "a|b/1,5|2/" },
	{ "a\tb\n\t2\n", 0, "a|b/|2/" },
	{ "a|b\n1|2", 0, "a|b/1|2/" },
	{ "a b\n1 2", 0, "a|b/1|2/" },
	{ "  a  b  \n\n 1   2 \n\"x y\" 3", 0, "a|b/1|2/x y|3/" },
	{ " a \t b\n1\t2\t\n", CSV_BLANKS, "a|b/1|2/" },
	{ "a b", CSV_BLANKS, "a|b/" },
	{ "a,b c,d\n1,2,3", 0, "a|b c|d/1|2|3/" },
	{ "host name, a b c\nx, 1", 0, "host name|a b c/x|1/" },
	{ "size, K; a\n4;1", 0, "size, K|a/4|1/" },
	{ "host name\nx", ',', "host name/x/" },
	{ "time\n1\n", 0, "time/1/" },
	{ "a,b\n1,\n,\n", 0, "a|b/1|/|/" },
	{ "a,b\n\"x, \"\"y\"\"\",2\n", 0, "a|b/x, \"y\"|2/" },
	{ "a,b\n\"two\nlines\",2\n", 0, "a|b/two\nlines|2/" },
	{ "\"a;b;c;d\",e\n1,2", 0, "a;b;c;d|e/1|2/" },
	{ "  a , b  \n 1 ,\t2\n", 0, "a|b/1|2/" },
	{ " \"a\" ,b\n", 0, "a|b/" },
	{ "a,b\n5\" disk,1\n", 0, "a|b/5\" disk|1/" },
	{ "a,b\n\n1,2\n", 0, "a|b/1|2/" },
	{ "\"\"\n", 0, "/" },
	{ "a,b\n\"x,2\n", 0, "a|b/t.csv:2:1: this quote is never closed" },
	{ "a,b\n1,\"x\"y\n", 0,
	  "a|b/t.csv:2:6: text after a closing quote; a quote inside quotes "
	  "is written \"\"" },
	{ "\xff\xfe"
	  "a",
	  0, "t.csv:1:1: this is UTF-16; save it as UTF-8" },
};

static void rows_are_read_as_written(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(examples); i++) {
		const struct example *x = &examples[i];
		CLEANUP(buf_deinit) struct buf got = BUF_INIT;
		struct csv_format format = plain;

		format.separator = x->separator;
		flat(x->text, strlen(x->text), &format, &got);
		if (strcmp(buf_str(&got), x->want) != 0)
			fail_msg("%s\nis %s\nnot %s", x->text, buf_str(&got),
				 x->want);
	}
}

static const struct skipping {
	const char *text;
	struct csv_format format;
	const char *want;
} skippings[] = {
	{ "# made by x, y, z\na;b\n #1;2\n3;4\n",
	  { .comment = "#" },
	  "a|b/3|4/" },
	{ "// x\n//\na b\n1 2\n// end", { .comment = "//" }, "a|b/1|2/" },
	{ "a,b\n#1,2\n", { .comment = NULL }, "a|b/#1|2/" },
	{ "Results, all, of them\n\n\"x\na;b\n1;2\n",
	  { .first_line = 4 },
	  "a|b/1|2/" },
	{ "a\n", { .first_line = 7 }, "" },
	{ "a,b\n", { .first_line = 1 }, "a|b/" },
	// The comma is in the figures.
	{ "a,5 b\n1,5 2", { .decimal = ',' }, "a,5|b/1,5|2/" },
	{ "\"1,5\",\"2,5\"\n", { .decimal = ',' }, "1,5|2,5/" },
};

static void lines_are_skipped_as_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(skippings); i++) {
		const struct skipping *x = &skippings[i];
		CLEANUP(buf_deinit) struct buf got = BUF_INIT;

		flat(x->text, strlen(x->text), &x->format, &got);
		if (strcmp(buf_str(&got), x->want) != 0)
			fail_msg("%s\nis %s\nnot %s", x->text, buf_str(&got),
				 x->want);
	}
}

static void a_nul_byte_is_refused_with_its_place(void **state)
{
	CLEANUP(buf_deinit) struct buf got = BUF_INIT;

	(void)state;
	flat("a,b\n1,\0\n", 8, &plain, &got);
	assert_string_equal(buf_str(&got),
			    "a|b/t.csv:2:3: a NUL byte: this is no text");
}

static void places_count_lines_inside_quotes(void **state)
{
	CLEANUP(csv_deinit) struct csv c = { 0 };
	static const char text[] = "a,b\n\"1\n2\",x\n3,4\n";
	struct err e = { 0 };
	struct csv_row row;
	bool more = false;

	(void)state;
	csv_init(&c, text, strlen(text), &plain, "t.csv");
	for (int i = 0; i < 3; i++)
		assert_int_equal(csv_next(&c, &row, &more, &e), 0);
	assert_true(more);
	assert_int_equal(row.line, 4);
	assert_int_equal(row.fields[1].column, 3);
}

static void a_hundred_thousand_columns_are_read(void **state)
{
	CLEANUP(csv_deinit) struct csv c = { 0 };
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct err e = { 0 };
	struct csv_row row;
	bool more;

	(void)state;
	for (int i = 0; i < 100000; i++)
		buf_printf(&text, "%sc%d", i > 0 ? "," : "", i);
	csv_init(&c, text.data, text.len, &plain, "t.csv");
	assert_int_equal(csv_next(&c, &row, &more, &e), 0);
	assert_int_equal(row.n, 100000);
	assert_string_equal(row.fields[99999].text, "c99999");
}

static void a_field_over_the_limit_is_refused(void **state)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	CLEANUP(buf_deinit) struct buf got = BUF_INIT;

	(void)state;
	buf_puts(&text, "a\n\"");
	for (int i = 0; i <= CSV_FIELD_MAX; i++)
		buf_putc(&text, 'x');
	flat(text.data, text.len, &plain, &got);
	assert_non_null(strstr(buf_str(&got), "field is over 1 MiB"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_read_as_written),
		cmocka_unit_test(lines_are_skipped_as_told),
		cmocka_unit_test(a_nul_byte_is_refused_with_its_place),
		cmocka_unit_test(places_count_lines_inside_quotes),
		cmocka_unit_test(a_hundred_thousand_columns_are_read),
		cmocka_unit_test(a_field_over_the_limit_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
