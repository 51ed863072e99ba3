// The reports for papers and browsers.
#include "tests/unit/report_fixture.h"

static void latex_is_escaped(void **state)
{
	static const char *const says[] = {
		"\\begin{tabular}{lrrrrrr}\n",
		"where=\\textbackslash{}x\\_\\{\\%\\& & 2 &",
		"[$-$",
		"\\,\\%",
		"\\midrule",
		"where=-{}-\\textasciigrave{}",
	};
	CLEANUP(fixture_deinit) struct fixture f = { 0 };
	const char *text;

	(void)state;
	analyse_small(&f, "where,y\na,10\na,11\n\\x_{%&,12\n\\x_{%&,10\n"
			  "--`,9\n--`,8\n");
	text = written(&f, REPORT_LATEX);
	for (size_t i = 0; i < ARRAY_LEN(says); i++)
		assert_says(text, says[i]);
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)) != NULL; text++)
		n++;
	return n;
}

// Three rounds of two arms, b better by a tenth.
static void analyse_ordered(struct fixture *f)
{
	static const char text[] = "where,y,round,seq\na,10,1,1\nb,11,1,2\n"
				   "b,11.1,2,3\na,10.1,2,4\na,9.9,3,5\n"
				   "b,11.1,3,6\n";
	struct table_spec spec = small;

	spec.text = text;
	spec.len = strlen(text);
	spec.block = "round";
	spec.order = "seq";
	analyse(f, &spec);
}

static void html_has_figures_and_needs_nothing_else(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };
	const char *text;

	(void)state;
	analyse_ordered(&f);
	text = written(&f, REPORT_HTML);
	assert_int_equal(count(text, "<svg "), 3);
	assert_int_equal(count(text, "</svg>"), 3);
	assert_int_equal(count(text, "<desc "), 3);
	// The effect, two means, six trials, and two cells in the legend.
	assert_int_equal(count(text, "<path class=\"c"), 1 + 2 + 6 + 2);
	assert_int_equal(count(text, "<path class=\"whisker\""), 1 + 2);
	assert_int_equal(count(text, "<circle class=\"dot"), 6);
	assert_int_equal(count(text, "<rect class=\"band\""), 1);
	assert_int_equal(count(text, "<table>"), count(text, "</table>"));
	assert_null(strstr(text, "://"));
	assert_null(strstr(text, "src="));
}

static void html_without_order_or_effect_has_no_figure(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };

	(void)state;
	analyse_small(&f, "where,y\na,10\n");
	assert_null(strstr(written(&f, REPORT_HTML), "<figure"));
}

static void html_is_escaped(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };
	const char *text;

	(void)state;
	analyse_small(&f, "where,y\n<b>&\"\"',10\n<script>,12\n");
	f.report.name = "</title><script>";
	text = written(&f, REPORT_HTML);
	assert_int_equal(count(text, "<script>"), 1);
	assert_int_equal(count(text, "</title>"), 1 + count(text, "<svg "));
	assert_null(strstr(text, "<b>"));
	assert_says(text, "where=&lt;script&gt;");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(latex_is_escaped),
		cmocka_unit_test(html_has_figures_and_needs_nothing_else),
		cmocka_unit_test(html_without_order_or_effect_has_no_figure),
		cmocka_unit_test(html_is_escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
