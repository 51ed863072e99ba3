// The methods paragraph.
#include "tests/unit/report_fixture.h"

// What rounds saved, of several comparisons, in as few figures as differ.
static void what_rounds_saved_is_no_range_of_one(void **state)
{
	static const struct {
		double saved[2];
		const char *want;
	} cases[] = {
		{ { 1.01, 1.04 }, "Rounds saved nothing: 1x the trials" },
		{ { 0.91, 0.97 }, "Rounds saved nothing: 0.91x to 0.97x the" },
		{ { 1.62, 1.63 }, "Rounds saved you 1.6x the trials" },
		{ { 1.01, 1.9 }, "Rounds saved you 1x to 1.9x the trials" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(fixture_deinit) struct fixture f = { 0 };
		struct table_spec spec = small;

		spec.text = "where,y,round\na,1,1\nb,2,1\nc,3,1\n"
			    "a,2,2\nb,3,2\nc,5,2\n";
		spec.len = strlen(spec.text);
		spec.block = "round";
		analyse(&f, &spec);
		assert_int_equal(f.an->ncomparisons, 2);
		f.an->comparisons[0].rel_eff = cases[i].saved[0];
		f.an->comparisons[1].rel_eff = cases[i].saved[1];
		assert_says(written(&f, REPORT_MD), cases[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_rounds_saved_is_no_range_of_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
