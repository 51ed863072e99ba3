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
	  "t.csv: more than one column is called \"iops\"" },
	{ "backing,iops\n4k,1\n4k,fast\n", NULL,
	  "t.csv:3:4: \"fast\" is no number" },
	{ "backing,iops\n4k,\"1,392,703\"\n", NULL,
	  "t.csv:2:4: \"1,392,703\" is no number: write a decimal point, and no "
	  "commas between thousands" },
	{ "backing,iops\n4k,1,2\n", NULL,
	  "t.csv:2: 3 fields where the header has 2" },
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
		cmocka_unit_test(
			a_metric_column_gives_each_figure_its_own_unit),
		cmocka_unit_test(
			columns_that_matter_and_have_no_role_are_noted),
		cmocka_unit_test(a_boot_is_one_of_its_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
