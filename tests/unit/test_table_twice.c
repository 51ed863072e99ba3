#include "tests/unit/unit.h"

#include <string.h>

#include "analysis/table.h"
#include "analysis/table_twice.h"

static struct table_twice_found find_in(const char *text)
{
	static const struct csv_format commas = { .separator = ',' };
	CLEANUP(table_twice_deinit) struct table_twice t = { 0 };
	CLEANUP(csv_deinit) struct csv c = { 0 };
	struct err e = { 0 };
	struct csv_row row;
	bool more = true;

	csv_init(&c, text, strlen(text), &commas, "t.csv");
	while (csv_next(&c, &row, &more, &e) == 0 && more)
		table_twice_see(&t, &row);
	return table_twice_find(&t);
}

static void the_first_pair_of_equal_rows_is_named(void **state)
{
	static const struct {
		const char *text;
		struct table_twice_found want;
	} cases[] = {
		{ "", { 0, 0, SIZE_MAX } },
		{ "a,b\n", { 0, 0, SIZE_MAX } },
		{ "a,b\nab,\n,ab\na, b \n", { 1, 1, 4 } },
		{ "x\ny\ny\nx\nx\n", { 3, 2, 3 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct table_twice_found got = find_in(cases[i].text);

		assert_int_equal(got.copies, cases[i].want.copies);
		assert_int_equal(got.first, cases[i].want.first);
		assert_int_equal(got.again, cases[i].want.again);
	}
}

static void copies_of_rows_are_noted_where_rows_can_differ(void **state)
{
	static const char *const backing = "backing", *const iops = "iops";
	static const struct {
		const char *text, *note;
	} cases[] = {
		{ "backing,iops\n4k,1\n4k,1\n", NULL },
		{ "backing,iops,run\n4k,1,1\n4k,1,2\n", NULL },
		{ "backing,iops,run\n4k,1,1\n4k,2,2\n4k,1,1\n4k,2,2\n",
		  "2 rows are the same as an earlier one in every column (the "
		  "first: line 4 as line 2) and count as trials: if they are "
		  "copies, delete them" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
		CLEANUP(strv_deinit) struct strv notes = STRV_INIT;
		struct table_spec spec = { .where = "t.csv",
					   .text = cases[i].text,
					   .len = strlen(cases[i].text),
					   .values = { &iops, 1 },
					   .factors = { &backing, 1 },
					   .has_better = true };
		struct err e = { 0 };
		bool found = false;

		if (table_read(&spec, ds, &notes, &e) != 0)
			fail_msg("%s\n%s", cases[i].text, e.msg);
		for (size_t n = 0; n < notes.n; n++) {
			found |= strstr(notes.v[n], "the same as") != NULL;
			if (cases[i].note != NULL)
				assert_string_equal(notes.v[n], cases[i].note);
		}
		assert_int_equal(found, cases[i].note != NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_pair_of_equal_rows_is_named),
		cmocka_unit_test(
			copies_of_rows_are_noted_where_rows_can_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
