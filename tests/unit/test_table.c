#include "tests/unit/numbers.h"

#include <string.h>

#include "analysis/table.h"

static const char *const backing[] = { "backing" };
static const char *const iops[] = { "iops" };

static struct table_spec plain(void)
{
	return (struct table_spec){ .where = "t.csv",
				    .values = { iops, 1 },
				    .factors = { backing, 1 } };
}

static int read_table(const char *text, struct table_spec *spec,
		      struct dataset *ds, struct strv *notes, struct err *e)
{
	spec->text = text;
	spec->len = strlen(text);
	return table_read(spec, ds, notes, e);
}

static void read_ok(const char *text, struct table_spec *spec,
		    struct dataset *ds, struct strv *notes)
{
	struct err e = { 0 };

	if (read_table(text, spec, ds, notes, &e) != 0)
		fail_msg("%s\n%s", text, e.msg);
}

static const struct refusal {
	const char *text, *block, *want;
} refusals[] = {
	{ "", NULL,
	  "t.csv: empty; a table begins with a line of column names" },
	{ "backing,iops\n", NULL, "t.csv: no row after the line of names" },
	{ "backing,iopz\n4k,1\n", NULL,
	  "t.csv: no column \"iops\"; have backing, iopz" },
	{ "backing,iops,iops\n4k,1,2\n", NULL,
	  "t.csv: more than one column is called \"iops\"; --names gives others" },
	{ "backing,iops\n4k,1\n4k,fast\n", NULL,
	  "t.csv:3:4: \"fast\" is no number; where there is no figure, write NA" },
	{ "backing,iops\n4k,\"1,392,703\"\n", NULL,
	  "t.csv:2:4: \"1,392,703\" is no number: write a decimal point, and no "
	  "commas between thousands; --decimal , reads decimal commas" },
	{ "backing,iops\n4k,1,2\n", NULL,
	  "t.csv:2:6: 3 fields where the header has 2; they are parted by commas: --separator says otherwise" },
	{ "backing,iops\n4k,1\n", "iops",
	  "t.csv: column \"iops\" cannot be the value and a factor, block, "
	  "host or the like at once" },
	{ "backing,iops\n4k,1\n", "round",
	  "t.csv: no column \"round\"; have backing, iops" },
};

static void bad_tables_are_refused_with_their_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
		const struct refusal *x = &refusals[i];
		CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
		CLEANUP(strv_deinit) struct strv notes = STRV_INIT;
		struct table_spec spec = plain();
		struct err e = { 0 };

		spec.block = x->block;
		if (read_table(x->text, &spec, ds, &notes, &e) == 0)
			fail_msg("%s was read", x->text);
		if (strcmp(e.msg, x->want) != 0)
			fail_msg("%s\ngives %s\nnot %s", x->text, e.msg,
				 x->want);
		assert_int_equal(e.kind, ERR_USAGE);
	}
}

static void what_is_no_figure_makes_an_invalid_trial(void **state)
{
	static const char text[] =
		"backing,iops\n4k,\n4k,NaN\n4k,inf\n4k,-Inf\n"
		"4k,n/a\n4k,7e3\n";
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	CLEANUP(strv_deinit) struct strv notes = STRV_INIT;
	struct table_spec spec = plain();

	(void)state;
	read_ok(text, &spec, ds, &notes);
	assert_int_equal(ds->count[OUTCOME_OK], 1);
	assert_int_equal(ds->count[OUTCOME_INVALID], 5);
	assert_string_equal(ds->failures[1].reason, "value is \"NaN\"");
	assert_close(ds->values[0][5], 7000, 0);
}

static void a_status_that_is_not_ok_makes_a_failed_trial(void **state)
{
	static const char text[] = "backing,iops,status\n4k,1,ok\n4k,,fail\n"
				   "4k,x,timeout\n4k,2,OK\n";
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	CLEANUP(strv_deinit) struct strv notes = STRV_INIT;
	struct table_spec spec = plain();

	(void)state;
	spec.status = "status";
	read_ok(text, &spec, ds, &notes);
	assert_int_equal(ds->count[OUTCOME_OK], 2);
	assert_int_equal(ds->count[OUTCOME_FAILED], 1);
	assert_int_equal(ds->count[OUTCOME_TIMEOUT], 1);
	assert_string_equal(ds->failures[0].reason, "status is \"fail\"");
}

static void the_separator_line_ends_and_quotes_do_not_matter(void **state)
{
	static const char *const texts[] = {
		"backing,round,iops\n4k,1,10\n2M,1,11\n",
		"backing;round;iops\r\n4k;1;10\r\n2M;1;11\r\n",
		("\xef\xbb\xbf"
		 "iops\tbacking\tround\n10\t4k\t1\n11\t2M\t1"),
		"\"backing\",\"round\",\"iops\"\n\"4k\",\"1\",\"10\"\n2M,1,11\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
		CLEANUP(strv_deinit) struct strv notes = STRV_INIT;
		struct table_spec spec = plain();

		spec.block = "round";
		read_ok(texts[i], &spec, ds, &notes);
		assert_int_equal(ds->ncells, 2);
		assert_string_equal(ds->cells[1].label, "backing=2M");
		assert_close(ds->values[0][1], 11, 0);
		assert_int_equal(ds->block[0], ds->block[1]);
	}
}

static void filters_choose_rows(void **state)
{
	static const char text[] =
		"backing,iops,run,where\n4k,1,short,vm\n"
		"4k,2,30s,vm\n4k,3,long,vm\n4k,4,short,host\n";
	static const struct level filters[] = { { "run", "short" },
						{ "run", "30s" },
						{ "where", "vm" } };
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	CLEANUP(strv_deinit) struct strv notes = STRV_INIT;
	struct table_spec spec = plain();

	(void)state;
	spec.filters = filters;
	spec.nfilters = ARRAY_LEN(filters);
	read_ok(text, &spec, ds, &notes);
	assert_int_equal(ds->ntrials, 2);
}

static void a_filter_that_nothing_has_is_named(void **state)
{
	static const char text[] = "backing,iops\n4k,1\n";
	static const struct level filters[] = { { "backing", "3M" } };
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	CLEANUP(strv_deinit) struct strv notes = STRV_INIT;
	struct table_spec spec = plain();
	struct err e = { 0 };

	(void)state;
	spec.filters = filters;
	spec.nfilters = 1;
	assert_int_equal(read_table(text, &spec, ds, &notes, &e), -1);
	assert_string_equal(e.msg, "t.csv: no row has backing=3M");
}

static void a_wide_table_gives_a_trial_per_column(void **state)
{
	static const char text[] =
		"probe,kvm_s,tcg_s\nSSH,60,414\nWeb,80,410\n";
	static const char *const values[] = { "kvm_s", "tcg_s" };
	static const char *const probe[] = { "probe" };
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	CLEANUP(strv_deinit) struct strv notes = STRV_INIT;
	struct table_spec spec = { .where = "t.csv",
				   .values = { values, 2 },
				   .factors = { probe, 1 } };

	(void)state;
	read_ok(text, &spec, ds, &notes);
	assert_int_equal(ds->ncells, 4);
	assert_string_equal(ds->cells[1].label, "probe=SSH, column=tcg_s");
	assert_int_equal(ds->metrics[0].better, BETTER_LOWER);
}

// r1..r3: the same reps by each meaning of several columns.
static void several_columns_are_what_one_says(void **state)
{
	static const char text[] = "backing,r1,r2,r3\n4k,10,20,30\n"
				   "2M,11,22,33\n";
	static const char *const values[] = { "r1..r3" };
	static const struct {
		enum table_wide wide;
		size_t ncells, nmetrics, nblocks;
	} cases[] = {
		{ TABLE_ARMS, 6, 1, 0 },
		{ TABLE_ROUNDS, 2, 1, 3 },
		{ TABLE_REPEATS, 2, 1, 0 },
		{ TABLE_METRICS, 2, 3, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
		CLEANUP(strv_deinit) struct strv notes = STRV_INIT;
		struct table_spec spec = plain();

		spec.values = (struct table_columns){ values, 1 };
		spec.wide = cases[i].wide;
		read_ok(text, &spec, ds, &notes);
		assert_int_equal(ds->ntrials, 6);
		assert_int_equal(ds->ncells, cases[i].ncells);
		assert_int_equal(ds->nmetrics, cases[i].nmetrics);
		assert_int_equal(ds->blocks.n, cases[i].nblocks);
		assert_int_equal(ds->has_blocks, cases[i].nblocks > 0);
	}
}

static void the_header_can_be_elsewhere_or_nowhere(void **state)
{
	static const char *const given[] = { "backing", "iops" };
	static const char *const numbers[] = { "1", "2" };
	static const struct {
		const char *text;
		struct csv_format format;
		bool no_header, names;
		struct table_columns values, factors;
	} cases[] = {
		{ "4k,10\n2M,11\n",
		  { 0 },
		  true,
		  false,
		  { numbers + 1, 1 },
		  { numbers, 1 } },
		{ "4k,10\n2M,11\n",
		  { 0 },
		  true,
		  true,
		  { iops, 1 },
		  { backing, 1 } },
		{ "wo;was\n4k;10\n2M;11\n",
		  { 0 },
		  false,
		  true,
		  { iops, 1 },
		  { backing, 1 } },
		{ "Results, 2026\n\nbacking iops\n4k 10\n# x\n2M 11\n",
		  { .first_line = 3, .comment = "#" },
		  false,
		  false,
		  { iops, 1 },
		  { backing, 1 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
		CLEANUP(strv_deinit) struct strv notes = STRV_INIT;
		struct table_spec spec = { .where = "t.csv",
					   .format = cases[i].format,
					   .no_header = cases[i].no_header,
					   .values = cases[i].values,
					   .factors = cases[i].factors };

		if (cases[i].names)
			spec.names = (struct table_columns){ given, 2 };
		read_ok(cases[i].text, &spec, ds, &notes);
		assert_int_equal(ds->ntrials, 2);
		assert_string_equal(ds->cells[1].levels[0].text, "2M");
		assert_close(ds->values[0][1], 11, 0);
	}
}

static void figures_are_converted_to_one_unit(void **state)
{
	static const char text[] = "backing;iops\n4k;\n4k;12 ms\n"
				   "4k;900,5 us\n4k;NA\n4k;1s\n";
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	CLEANUP(strv_deinit) struct strv notes = STRV_INIT;
	struct table_spec spec = plain();

	(void)state;
	spec.style = (struct table_style){ .decimal = ',', .units = true };
	read_ok(text, &spec, ds, &notes);
	assert_string_equal(ds->metrics[0].unit, "s");
	assert_int_equal(ds->metrics[0].better, BETTER_LOWER);
	assert_int_equal(ds->count[OUTCOME_INVALID], 2);
	assert_close(ds->values[0][1], 0.012, 1e-15);
	assert_close(ds->values[0][2], 900.5e-6, 1e-15);
}

static void the_row_number_pairs_and_orders(void **state)
{
	static const char text[] = "a_s,b_s,x\n10,11,y\n12,13,n\n14,15,y\n";
	static const char *const values[] = { "a_s", "b_s" };
	static const struct level filter = { "x", "y" };
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	CLEANUP(strv_deinit) struct strv notes = STRV_INIT;
	struct table_spec spec = { .where = "t.csv",
				   .values = { values, 2 },
				   .block = "row",
				   .order = "row",
				   .filters = &filter,
				   .nfilters = 1 };

	(void)state;
	read_ok(text, &spec, ds, &notes);
	assert_int_equal(ds->ntrials, 4);
	assert_int_equal(ds->block[0], ds->block[1]);
	assert_true(ds->block[1] != ds->block[2]);
	assert_close(ds->order[3], 3, 0);
}

static const struct wide_refusal {
	const char *text, *value, *order, *want;
	enum table_wide wide;
	bool units;
} wide_refusals[] = {
	{ "t_ms,t_s\n1,2\n", "t_ms..t_s", NULL,
	  "t.csv: by their names column \"t_ms\" is in ms and \"t_s\" in s, so "
	  "they hold no figures of one kind; --columns metrics keeps them "
	  "apart, --names gives other names",
	  TABLE_ARMS, false },
	{ "a,b\n1,2\n", "b..a", NULL,
	  "t.csv: column \"b\" stands after \"a\"; a range goes to the right",
	  TABLE_ARMS, false },
	{ "a,b\n1,2\n", "a..c", NULL, "t.csv: no column \"c\"; have a, b",
	  TABLE_ARMS, false },
	{ "a,seq\n1,1\n2,2\n1,1\n", "a", "seq",
	  "t.csv:4: the same as line 2 in every column, its place in the order "
	  "included: delete the copy",
	  TABLE_ARMS, false },
	{ "a,seq\n1,1\n2,NA\n", "a", "seq",
	  "t.csv:3:3: \"NA\" is no place in the order of execution", TABLE_ARMS,
	  false },
	{ "a\n1 ms\n2\n", "a", NULL,
	  "t.csv:3:1: a is without a unit here, but in \"s\" before: give all "
	  "its figures one unit, or pick rows by --where",
	  TABLE_ARMS, true },
	{ "a\n1 ms\n2 KiB\n", "a", NULL,
	  "t.csv:3:1: a is in \"B\" here, but in \"s\" before: give all its "
	  "figures one unit, or pick rows by --where",
	  TABLE_ARMS, true },
	{ "a,unit\n1,us\n2,ms\n", "a", NULL,
	  "t.csv:3:3: a is in \"ms\" here, but in \"us\" before: give all its "
	  "figures one unit, or pick rows by --where",
	  TABLE_ARMS, false },
	{ "a,better\n1,lower\n2,higher\n", "a", NULL,
	  "t.csv:3:3: a is better when higher here, but when lower before",
	  TABLE_ARMS, false },
	{ "# made by hand\n4k 1\n", "a", NULL,
	  "t.csv: no column \"a\"; have #, made, by, hand (--comment '#' skips "
	  "lines that begin with it, --header LINE says which one has the "
	  "names)",
	  TABLE_ARMS, false },
	{ "4k,1392703\n", "a", NULL,
	  "t.csv: no column \"a\"; have 4k, 1392703 (are these figures? "
	  "--header none reads a table without a line of names)",
	  TABLE_ARMS, false },
};

static void what_is_not_of_one_kind_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wide_refusals); i++) {
		const struct wide_refusal *x = &wide_refusals[i];
		CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
		CLEANUP(strv_deinit) struct strv notes = STRV_INIT;
		struct table_spec spec = { .where = "t.csv",
					   .values = { &x->value, 1 },
					   .order = x->order,
					   .wide = x->wide };
		struct err e = { 0 };

		spec.style.units = x->units;
		if (read_table(x->text, &spec, ds, &notes, &e) == 0)
			fail_msg("%s was read", x->text);
		if (strcmp(e.msg, x->want) != 0)
			fail_msg("%s\ngives %s\nnot %s", x->text, e.msg,
				 x->want);
	}
}

static void a_metric_column_gives_each_figure_its_own_unit(void **state)
{
	static const char text[] =
		"metric,unit,better,backing,iops\n"
		"fork,us,lower,4k,90\nread,MB/s,higher,4k,8\n";
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	CLEANUP(strv_deinit) struct strv notes = STRV_INIT;
	struct table_spec spec = plain();

	(void)state;
	spec.metric = "metric";
	read_ok(text, &spec, ds, &notes);
	assert_int_equal(ds->nmetrics, 2);
	assert_int_equal(ds->metrics[0].better, BETTER_LOWER);
	assert_int_equal(ds->metrics[1].better, BETTER_HIGHER);
	assert_string_equal(ds->metrics[1].unit, "MB/s");
	assert_int_equal(ds->metric[1], 1);
}

static void columns_that_matter_and_have_no_role_are_noted(void **state)
{
	static const char text[] = "backing,iops,run,round,seed\n"
				   "4k,1,short,1,9\n4k,2,30s,2,9\n";
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	CLEANUP(strv_deinit) struct strv notes = STRV_INIT;
	struct table_spec spec = plain();

	(void)state;
	read_ok(text, &spec, ds, &notes);
	assert_false(ds->has_blocks);
	assert_int_equal(notes.n, 3);
	assert_non_null(strstr(notes.v[0], "iops is taken as better when "
					   "higher"));
	assert_non_null(strstr(notes.v[1], "column \"run\" differs within a "
					   "cell (\"short\", \"30s\")"));
	assert_non_null(strstr(notes.v[2], "column \"round\" is not used"));
}

static void a_boot_is_one_of_its_host(void **state)
{
	static const char text[] = "backing,iops,host,boot,seq\n4k,1,a,1,1\n"
				   "4k,2,b,1,2\n4k,3,a,1,3\n";
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	CLEANUP(strv_deinit) struct strv notes = STRV_INIT;
	struct table_spec spec = plain();

	(void)state;
	spec.host = "host";
	spec.boot = "boot";
	spec.order = "seq";
	read_ok(text, &spec, ds, &notes);
	assert_true(ds->has_boots && ds->has_order);
	assert_true(ds->boot[0] != ds->boot[1]);
	assert_true(ds->boot[0] == ds->boot[2]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_tables_are_refused_with_their_place),
		cmocka_unit_test(what_is_no_figure_makes_an_invalid_trial),
		cmocka_unit_test(a_status_that_is_not_ok_makes_a_failed_trial),
		cmocka_unit_test(
			the_separator_line_ends_and_quotes_do_not_matter),
		cmocka_unit_test(filters_choose_rows),
		cmocka_unit_test(a_filter_that_nothing_has_is_named),
		cmocka_unit_test(a_wide_table_gives_a_trial_per_column),
		cmocka_unit_test(several_columns_are_what_one_says),
		cmocka_unit_test(the_header_can_be_elsewhere_or_nowhere),
		cmocka_unit_test(figures_are_converted_to_one_unit),
		cmocka_unit_test(the_row_number_pairs_and_orders),
		cmocka_unit_test(what_is_not_of_one_kind_is_refused),
		cmocka_unit_test(
			a_metric_column_gives_each_figure_its_own_unit),
		cmocka_unit_test(
			columns_that_matter_and_have_no_role_are_noted),
		cmocka_unit_test(a_boot_is_one_of_its_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
