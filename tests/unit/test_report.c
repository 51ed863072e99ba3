#include "tests/unit/report_fixture.h"

#include "analysis/words.h"
#include "runner/base/fd.h"

static void analyse_published(struct fixture *f)
{
	static const char *const factors[] = { "where", "accel", "backing" };
	static const char *const iops[] = { "iops" };
	static const struct level filters[] = { { "run", "short" },
						{ "where", "vm" } };
	struct table_spec spec = { .where = "t.csv",
				   .values = { iops, 1 },
				   .factors = { factors, 3 },
				   .filters = filters,
				   .nfilters = 2 };
	struct err e = { 0 };

	if (file_read("tests/data/published/null_blk_hugetlb.csv", 1 << 20,
		      &f->file, ERR_STORE, &e) != 0)
		fail_msg("%s", e.msg);
	spec.text = buf_str(&f->file);
	spec.len = f->file.len;
	analyse(f, &spec);
}

static const char *answered(struct fixture *f)
{
	buf_clear(&f->text);
	report_answer(&f->report, &f->text);
	return buf_str(&f->text);
}

static void the_published_figures_are_inconclusive(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };

	(void)state;
	analyse_published(&f);
	assert_string_equal(
		answered(&f),
		"Inconclusive: backing=hugetlb-2M changed iops by +0.04 % "
		"[-6.99 %, +7.60 %] against backing=4k, with where=vm, "
		"accel=kvm (Welch p .990); differences of up to 7.6 % cannot "
		"be excluded; n = 5 and 5.");
}

static void no_report_ever_says_no_difference(void **state)
{
	(void)state;
	for (int i = 0; i < REPORT_FORMATS; i++) {
		CLEANUP(fixture_deinit) struct fixture f = { 0 };

		analyse_published(&f);
		assert_null(strstr(written(&f, (enum report_format)i),
				   "no difference"));
	}
}

static const struct answer {
	const char *text, *want;
} answers[] = {
	{ "where,y\na,10\nb,12\n",
	  "Inconclusive (insufficient-data): where=b changed y by +20.00 % "
	  "against where=a; n = 1 and 1: no interval." },
	{ "where,y\na,10\na,10\nb,12\nb,12\n",
	  "Inconclusive (zero-variance): where=b changed y by +20.00 % against "
	  "where=a; n = 2 and 2: no interval." },
	{ "where,y\na,0\na,0\nb,12\nb,12\n",
	  "Inconclusive (undefined-ratio): where=b has no ratio of y to "
	  "where=a; n = 2 and 2: no interval." },
	{ "where,y\na,7\n",
	  "Nothing is compared: where=a has a mean y of 7, n = 1: no "
	  "interval." },
	{ "where,y\na,100\na,100.1\na,99.9\nb,100\nb,100.1\nb,99.8\n",
	  "Equivalent within 2 %: where=b changed y by -0.03 % [-0.34 %, +0.28 "
	  "%] against where=a (Welch p .770, p of equivalence <.001); n = 3 "
	  "and 3." },
};

static void the_answer_claims_no_more_than_the_interval(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		CLEANUP(fixture_deinit) struct fixture f = { 0 };

		analyse_small(&f, answers[i].text);
		assert_string_equal(answered(&f), answers[i].want);
	}
}

// By R: expm1(se * ncp) with 80 % power at df 3.78 is 19.728 %; power.t.test
// with the mean variance of the arms asks for 133 trials.
static void an_open_question_says_what_it_would_take(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };

	(void)state;
	analyse_small(&f, "where,y\na,95\na,100\na,105\nb,95\nb,102\nb,108\n");
	assert_says(written(&f, REPORT_MD),
		    "With this noise 3 and 3 trials detect a difference of "
		    "20 % (80 % power); 2 % would take about 134 trials in "
		    "each arm, or 334 should ");
	assert_says(written(&f, REPORT_JSON), "\"mde_pct\": 19.728");
	assert_says(written(&f, REPORT_JSON), "\"trials_needed\": 134");
}

static void a_decided_question_asks_for_no_more(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };

	(void)state;
	analyse_small(&f, "where,y\na,99\na,100\na,101\nb,119\nb,120\nb,121\n");
	assert_null(strstr(written(&f, REPORT_MD), "would take"));
}

// As a plan has it: "-" where a factor has no effect.
static void a_factor_without_effect_is_not_named(void **state)
{
	static const char *const factors[] = { "accel", "backing" };
	static const char text[] =
		"accel,backing,y\nkvm,4k,10\nkvm,4k,10.1\nnative,-,12\n"
		"native,-,12.1\n";
	struct table_spec spec = { .where = "t.csv",
				   .text = text,
				   .len = strlen(text),
				   .values = { y, 1 },
				   .factors = { factors, 2 } };
	CLEANUP(fixture_deinit) struct fixture f = { 0 };

	(void)state;
	analyse(&f, &spec);
	assert_says(answered(&f), ": accel=native changed y by ");
	assert_says(answered(&f), " against accel=kvm, backing=4k (");
	assert_null(strstr(written(&f, REPORT_TERM), "In every cell"));
}

static void the_json_form_has_its_fields(void **state)
{
	static const char *const cell_keys[] = { "levels",  "n",      "failed",
						 "invalid", "mean",   "lo",
						 "hi",	    "median", "sd",
						 "cv",	    "cv_lo",  "cv_hi" };
	static const char *const comparison_keys[] = {
		"cell",	     "baseline", "metric",	 "n",
		"ratio_pct", "lo_pct",	 "hi_pct",	 "p_welch",
		"p_diff",    "p_holm",	 "p_equivalent", "verdict",
	};
	CLEANUP(fixture_deinit) struct fixture f = { 0 };
	CLEANUP(js_unrefp) struct js *j = NULL;
	struct err e = { 0 };
	const char *text;

	(void)state;
	analyse_published(&f);
	text = written(&f, REPORT_JSON);
	j = js_parse(text, strlen(text), "report", &e);
	if (j == NULL)
		fail_msg("%s", e.msg);
	assert_non_null(js_get_str(j, "question", NULL));
	assert_non_null(js_get_str(j, "answer", NULL));
	assert_int_equal(js_kind(js_get(j, "warnings")), JS_ARRAY);
	assert_int_equal(js_kind(js_get(j, "environment")), JS_OBJECT);
	for (size_t i = 0; i < ARRAY_LEN(cell_keys); i++)
		assert_non_null(
			js_get(js_at(js_get(j, "cells"), 0), cell_keys[i]));
	for (size_t i = 0; i < ARRAY_LEN(comparison_keys); i++)
		assert_non_null(js_get(js_at(js_get(j, "comparisons"), 0),
				       comparison_keys[i]));
}

static void unknown_figures_are_null_in_json_and_empty_in_csv(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };

	(void)state;
	analyse_small(&f, "where,y\na,10\nb,12\n");
	assert_says(written(&f, REPORT_JSON), "\"lo_pct\": null");
	assert_says(written(&f, REPORT_CSV),
		    ",,,,,,,,,,,inconclusive,insufficient-data\n");
}

// The longest line, but for rows of tables, which are never cut.
static size_t widest_prose(const char *text)
{
	size_t most = 0;

	while (*text != '\0') {
		size_t len = strcspn(text, "\n");

		if (strstr(text, "inconclusive (") != text && len > most)
			most = len;
		text += len + (text[len] == '\n');
	}
	return most;
}

static void plain_text_fits_80_columns_and_has_no_escapes(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };
	const char *text;

	(void)state;
	analyse_published(&f);
	text = written(&f, REPORT_TERM);
	assert_null(strchr(text, '\033'));
	assert_true(widest_prose(text) <= REPORT_WIDTH);
	f.report.color = true;
	assert_non_null(strchr(written(&f, REPORT_TERM), '\033'));
}

static void texts_of_others_cannot_break_out(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };

	(void)state;
	analyse_small(&f, "where,y\n\"a\033[2J|<b>\",10\n\"b,\"\"c\"\"\",12\n");
	assert_null(strchr(written(&f, REPORT_TERM), '\033'));
	assert_says(written(&f, REPORT_MD), "a?\\[2J\\|\\<b\\>");
	assert_says(written(&f, REPORT_CSV), "\"where=b,\"\"c\"\"\"");
	f.report.question = "- ~~$a$ & *b*?";
	assert_says(written(&f, REPORT_MD),
		    "\n\\- \\~\\~\\$a\\$ \\& \\*b\\*?\n");
}

// Commas outside of quotes, by line.
static size_t commas(const char *line)
{
	bool quoted = false;
	size_t n = 0;

	for (; *line != '\n'; line++) {
		quoted ^= *line == '"';
		n += *line == ',' && !quoted;
	}
	return n;
}

// A metric that decides, one that is only measured, one that is not compared
// because not every trial has it.
static void fill_metrics(struct dataset *ds)
{
	static const char *const names[] = { "block.iops", "block.lat_p99",
					     "block.lat_p999" };
	static const double values[][3] = {
		{ 10, 5, 7 }, { 11, 6, 8 }, { 20, 3, NO_FIGURE }, { 21, 2, 9 }
	};
	struct err e = { 0 };
	uint32_t id;

	for (size_t m = 0; m < 3; m++) {
		struct metric metric = { names[m], 0, "1",
					 m == 0 ? BETTER_HIGHER
						: BETTER_LOWER };

		assert_int_equal(dataset_add_metric(ds, &metric, &id, &e), 0);
	}
	for (uint32_t t = 0; t < 4; t++) {
		struct level level = { "where", t < 2 ? "a" : "b" };
		struct dataset_trial trial = { .trial = t,
					       .attempt = 1,
					       .metric = DATASET_NONE,
					       .block = DATASET_NONE,
					       .boot = DATASET_NO_BOOT,
					       .order = NO_FIGURE };
		size_t row;

		assert_int_equal(
			dataset_add_cell(ds, &level, 1, &trial.cell, &e), 0);
		assert_int_equal(dataset_add_trial(ds, &trial, &row, &e), 0);
		for (uint32_t m = 0; m < 3; m++)
			dataset_set_value(ds, row, m, values[t][m]);
	}
}

static void other_metrics_are_exploratory(void **state)
{
	static const char *const metrics[] = { "block.iops" };
	struct compare_spec spec = { .metrics = metrics,
				     .nmetrics = 1,
				     .alpha = COMPARE_ALPHA,
				     .margin = 0.02 };
	CLEANUP(fixture_deinit) struct fixture f = { 0 };
	struct err e = { 0 };
	const char *line;

	(void)state;
	f.ds = dataset_new();
	fill_metrics(f.ds);
	assert_int_equal(compare_run(f.ds, &spec, &f.an, &e), 0);
	f.report = (struct report){ .ds = f.ds, .an = f.an };
	assert_int_equal(f.an->family, 1);
	assert_int_equal(f.an->nsecondary, 1);
	assert_true(f.an->secondary[0].q == f.an->secondary[0].effect.p);
	assert_says(written(&f, REPORT_TERM), "Also measured (exploratory)");
	assert_says(written(&f, REPORT_MD), "| block.lat\\_p99 | where=b | ");
	assert_says(written(&f, REPORT_JSON), "\"secondary\": [");
	line = written(&f, REPORT_CSV);
	assert_says(line, "\nalso measured,block.lat_p99,%,where=b,where=a,");
	for (size_t n = commas(line); line[0] != '\0';
	     line = strchr(line, '\n') + 1)
		assert_int_equal(commas(line), n);
}

static void failures_stay_visible(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };

	(void)state;
	analyse_small(&f, "where,y\na,10\na,11\na,nan\nb,12\nb,13\nb,14\n");
	assert_says(written(&f, REPORT_TERM), "value is \"nan\"");
	assert_says(written(&f, REPORT_TERM), "6 trials: 5 ok, 1 invalid.");
	assert_says(written(&f, REPORT_JSON), "\"reason\": \"value is ");
}

// The facts of the only host of a table, whose name is "".
static const char facts[] =
	"{\"\": {\"cpu\": \"Xeon\", \"cpus\": 2, \"memory_bytes\": 25276059648,"
	" \"kernel\": [\"6.1\", \"6.2\"], \"cmdline\": \"quiet\","
	" \"governor\": \"powersave\", \"no_turbo\": \"0\"},"
	" \"qemu\": {\"version\": \"7.2.22\", \"accel\": \"tcg\"},"
	" \"guest\": {\"kernel\": \"6.3\", \"memory_bytes\": 491810816},"
	" \"block\": {\"engine\": \"fio-3.33\", \"loop\": \"closed\"}}";

static void a_screen_has_few_facts_and_markdown_all(void **state)
{
	static const char *const few[] = {
		"Xeon, 2 online, 23.5 GiB of memory", "6.1 or 6.2",
		"governor powersave, turbo on",	      "7.2.22, accel tcg",
		"kernel 6.3, 469 MiB of memory",      "block engine  fio-3.33",
	};
	CLEANUP(fixture_deinit) struct fixture f = { 0 };
	CLEANUP(js_unrefp) struct js *env = NULL;
	struct err e = { 0 };

	(void)state;
	env = js_parse(facts, strlen(facts), "facts", &e);
	if (env == NULL)
		fail_msg("%s", e.msg);
	analyse_small(&f, "where,y\na,10\nb,12\n");
	f.report.environment = env;
	for (size_t i = 0; i < ARRAY_LEN(few); i++)
		assert_says(written(&f, REPORT_TERM), few[i]);
	assert_null(strstr(written(&f, REPORT_TERM), "quiet"));
	assert_says(written(&f, REPORT_MD), "cmdline | quiet |");
	assert_says(written(&f, REPORT_JSON), "\"cmdline\": \"quiet\"");
}

static const struct word {
	double x;
	const char *figure, *pct, *p;
} words[] = {
	{ 0, "0", "+0.00 %", "<.001" },
	{ 0.09, "0.09", "+0.09 %", ".090" },
	{ -0.001, "-0.001", "+0.00 %", "<.001" },
	{ 1, "1", "+1.00 %", ">.999" },
	{ 0.9996, "0.9996", "+1.00 %", ">.999" },
	{ 0.9994, "0.9994", "+1.00 %", ".999" },
	{ 1304680.4, "1304680", "+1.3e+06 %", ">.999" },
	{ NO_FIGURE, "-", "-", "-" },
};

static void figures_are_printed_one_way(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		CLEANUP(buf_deinit) struct buf b = BUF_INIT;

		words_figure(words[i].x, &b);
		assert_string_equal(buf_str(&b), words[i].figure);
		buf_clear(&b);
		words_pct(words[i].x, &b);
		assert_string_equal(buf_str(&b), words[i].pct);
		buf_clear(&b);
		words_p(words[i].x, &b);
		assert_string_equal(buf_str(&b), words[i].p);
	}
}

static void formats_have_names(void **state)
{
	enum report_format f;

	(void)state;
	assert_int_equal(report_format_from_name("md", &f), 0);
	assert_int_equal(f, REPORT_MD);
	assert_int_equal(report_format_from_name("pdf", &f), -1);
	assert_string_equal(report_file_name(REPORT_TERM), "report.txt");
}

// y has no unit: it is no speed.
static void a_verdict_is_the_same_word_in_every_format(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };

	(void)state;
	analyse_small(&f, "where,y\na,10\nb,20\na,11\nb,21\na,10.5\n"
			  "b,20.5\n");
	for (int k = 0; k < REPORT_FORMATS; k++) {
		const char *text = written(&f, (enum report_format)k);

		if (strcasestr(text, "better") == NULL ||
		    strcasestr(text, "faster") != NULL)
			fail_msg("%s", text);
	}
}

// Five rounds that drift together: pairing pays, and no sign test decides.
static void few_rounds_say_what_they_cannot_reach(void **state)
{
	static const char text[] = "where,round,y\n"
				   "a,1,100\nb,1,105\na,2,110\nb,2,116\n"
				   "a,3,121\nb,3,127\na,4,130\nb,4,136\n"
				   "a,5,141\nb,5,149\n";
	struct table_spec spec = small;
	CLEANUP(fixture_deinit) struct fixture f = { 0 };

	(void)state;
	spec.block = "round";
	spec.text = text;
	spec.len = strlen(text);
	analyse(&f, &spec);
	assert_close(f.an->comparisons[0].p_exact_min, 0.0625, 1e-15);
	assert_close(f.an->comparisons[0].p_exact, 0.0625, 1e-15);
	assert_true(f.an->comparisons[0].rel_eff > 10);
	assert_says(written(&f, REPORT_MD), "cannot reach 0.05");
	assert_says(written(&f, REPORT_MD), "Rounds saved you ");
	assert_says(written(&f, REPORT_MD), "need 6 figures");
	assert_says(written(&f, REPORT_JSON), "\"rel_eff\": ");
}

// Three figures an arm: 20 splits, of which two are as extreme as can be.
static void few_trials_say_what_they_cannot_reach(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };

	(void)state;
	analyse_small(&f, "where,y\na,10\na,11\na,12\nb,20\nb,21\nb,23\n");
	assert_close(f.an->comparisons[0].p_exact_min, 0.1, 1e-15);
	assert_says(written(&f, REPORT_MD),
		    "exact rank test cannot reach 0.05");
}

// 12.7 standard errors of the baseline's mean are more than the mean.
static void a_baseline_that_could_be_zero_is_doubted(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };

	(void)state;
	analyse_small(&f, "where,y\na,10\na,12\nb,11\nb,11\n");
	assert_says(written(&f, REPORT_MD), "Fieller's interval has no bounds");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_baseline_that_could_be_zero_is_doubted),
		cmocka_unit_test(few_rounds_say_what_they_cannot_reach),
		cmocka_unit_test(few_trials_say_what_they_cannot_reach),
		cmocka_unit_test(the_published_figures_are_inconclusive),
		cmocka_unit_test(no_report_ever_says_no_difference),
		cmocka_unit_test(the_answer_claims_no_more_than_the_interval),
		cmocka_unit_test(an_open_question_says_what_it_would_take),
		cmocka_unit_test(a_decided_question_asks_for_no_more),
		cmocka_unit_test(a_factor_without_effect_is_not_named),
		cmocka_unit_test(the_json_form_has_its_fields),
		cmocka_unit_test(
			unknown_figures_are_null_in_json_and_empty_in_csv),
		cmocka_unit_test(plain_text_fits_80_columns_and_has_no_escapes),
		cmocka_unit_test(texts_of_others_cannot_break_out),
		cmocka_unit_test(other_metrics_are_exploratory),
		cmocka_unit_test(failures_stay_visible),
		cmocka_unit_test(a_screen_has_few_facts_and_markdown_all),
		cmocka_unit_test(figures_are_printed_one_way),
		cmocka_unit_test(formats_have_names),
		cmocka_unit_test(a_verdict_is_the_same_word_in_every_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
