// The report as a table for other programs.
#include "tests/unit/report_fixture.h"

static void no_text_is_a_formula_to_a_spreadsheet(void **state)
{
	static const char *const names[] = { "=where", "+where", "-where",
					     "@where", "where" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		CLEANUP(fixture_deinit) struct fixture f = { 0 };
		CLEANUP(buf_deinit) struct buf text = BUF_INIT;
		struct table_spec spec = small;

		buf_printf(&text, "%s,y\na,10\nb,12\n", names[i]);
		spec.text = buf_str(&text);
		spec.len = text.len;
		spec.factors.v = &names[i];
		analyse(&f, &spec);
		written(&f, REPORT_CSV);
		assert_null(strstr(buf_str(&f.text), ",="));
		buf_clear(&text);
		buf_printf(&text, ",%s%s=b,%s%s=a,", i < 4 ? "'" : "", names[i],
			   i < 4 ? "'" : "", names[i]);
		assert_says(buf_str(&f.text), buf_str(&text));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_text_is_a_formula_to_a_spreadsheet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
