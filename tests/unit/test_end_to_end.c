// A table of trials on three hosts through the whole analysis: every number
// of the report's JSON form against those computed elsewhere.
#include "tests/unit/numbers.h"

#include <string.h>

#include "analysis/report.h"
#include "analysis/table.h"
#include "runner/base/fd.h"

#define TABLE	 "tests/data/oracles/e2e_iops3.csv"
#define EXPECTED "tests/data/oracles/e2e_iops3.json"

enum {
	FILE_MAX = 1 << 20
};

// Every field of the expected results: its name there and in the report.
struct field {
	const char *want, *got;
};

static const struct field host_fields[] = {
	{ "rounds", "n" },
	{ "dropped", "dropped" },
	{ "log_ratio", "log_ratio" },
	{ "se_log", "se_log" },
	{ "pct", "ratio_pct" },
	{ "lo_pct", "lo_pct" },
	{ "hi_pct", "hi_pct" },
	{ "p", "p_diff" },
};

static const struct field fixed_fields[] = {
	{ "log_ratio", "log_ratio" },
	{ "se_log", "se_log" },
	{ "df", "df" },
	{ "t", "t" },
	{ "p", "p_diff" },
	{ "pct", "ratio_pct" },
	{ "lo_pct", "lo_pct" },
	{ "hi_pct", "hi_pct" },
	{ "p_tost", "p_equivalent" },
	{ "p_holm", "p_holm" },
	{ "p_tost_holm", "p_equivalent_holm" },
};

static const struct field population_fields[] = {
	{ "log_ratio", "log_ratio" },
	{ "se_log", "se_log" },
	{ "df", "df" },
	{ "t", "t" },
	{ "p", "p_diff" },
	{ "pct", "ratio_pct" },
	{ "lo_pct", "lo_pct" },
	{ "hi_pct", "hi_pct" },
	{ "sd_hosts", "sd_hosts" },
	{ "Q", "q" },
	{ "p_Q", "p_q" },
	{ "I2", "i2" },
	{ "tau2_dl", "tau2" },
	{ "p_tost", "p_equivalent" },
	{ "p_holm", "p_holm" },
	{ "p_tost_holm", "p_equivalent_holm" },
};

static struct js *read_expected(void)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct err e = { 0 };
	struct js *j;

	if (file_read(EXPECTED, FILE_MAX, &text, ERR_USAGE, &e) < 0)
		fail_msg("%s", e.msg);
	j = js_parse(buf_str(&text), text.len, EXPECTED, &e);
	if (j == NULL)
		fail_msg("%s", e.msg);
	return j;
}

static void read_dataset(struct dataset *ds, struct strv *notes)
{
	static const char *const value = "value", *const config = "config";
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct table_spec spec = { .where = TABLE,
				   .values = { &value, 1 },
				   .factors = { &config, 1 },
				   .host = "host",
				   .block = "round",
				   .order = "seq",
				   .status = "status",
				   .metric = "metric" };
	struct err e = { 0 };

	if (file_read(TABLE, FILE_MAX, &text, ERR_USAGE, &e) < 0)
		fail_msg("%s", e.msg);
	spec.text = buf_str(&text);
	spec.len = text.len;
	if (table_read(&spec, ds, notes, &e) < 0)
		fail_msg("%s", e.msg);
}

static struct js *report(void)
{
	static const struct level native = { "config", "native" };
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	CLEANUP(strv_deinit) struct strv notes = STRV_INIT;
	CLEANUP(analysis_freep) struct analysis *an = NULL;
	struct compare_spec spec = { .baseline = &native,
				     .nbaseline = 1,
				     .margin = 0.02,
				     .alpha = COMPARE_ALPHA };
	struct err e = { 0 };

	read_dataset(ds, &notes);
	if (compare_run(ds, &spec, &an, &e) < 0)
		fail_msg("%s", e.msg);
	return report_to_js(&(struct report){ .ds = ds, .an = an });
}

static void check_fields(const char *of, const struct js *want,
			 const struct js *got, const struct field *f, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct js *w = js_get(want, f[i].want);
		double x = js_real_value(js_get(got, f[i].got), NO_FIGURE);

		assert_non_null(w);
		if (!is_close(x, js_real_value(w, NO_FIGURE), 1e-9))
			fail_msg("%s: %s is %.17g, not %.17g", of, f[i].got, x,
				 js_real_value(w, NO_FIGURE));
	}
}

// No field of what is expected may be without a row above.
static void count_fields(const struct js *want, size_t known, size_t others)
{
	assert_int_equal(js_len(want), known + others);
}

static void check_verdict(const char *of, const struct js *want,
			  const struct js *got)
{
	const char *w = js_get_str(want, "verdict", "?");
	const char *g = js_get_str(got, "verdict", "");

	if (strcmp(w, g) != 0)
		fail_msg("%s: %s, not %s", of, g, w);
}

static void check_hosts(const struct js *want, const struct js *got)
{
	assert_int_equal(js_len(want), js_len(got));
	for (size_t i = 0; i < js_len(want); i++) {
		const struct js *w = js_at(want, i), *g = js_at(got, i);
		const char *host = js_get_str(w, "host", "?");

		assert_string_equal(host, js_get_str(g, "host", ""));
		count_fields(w, ARRAY_LEN(host_fields), 1);
		check_fields(host, w, g, host_fields, ARRAY_LEN(host_fields));
	}
}

static const struct js *comparison_of(const struct js *report,
				      const char *config)
{
	const struct js *all = js_get(report, "comparisons");

	for (size_t i = 0; i < js_len(all); i++) {
		const struct js *c = js_at(all, i);
		const char *cell = js_get_str(c, "cell", "");

		if (strcmp(strchr(cell, '=') + 1, config) == 0)
			return c;
	}
	fail_msg("no comparison of %s", config);
	return NULL;
}

static void every_number_is_that_computed_elsewhere(void **state)
{
	CLEANUP(js_unrefp) struct js *want = read_expected();
	CLEANUP(js_unrefp) struct js *got = report();
	const struct js *all = js_get(want, "expect");

	(void)state;
	assert_int_equal(js_len(all), js_len(js_get(got, "comparisons")));
	for (size_t i = 0; i < js_len(all); i++) {
		const struct js *w = js_at(all, i);
		const char *config = js_get_str(w, "config", "?");
		const struct js *g = comparison_of(got, config);
		const struct js *fixed = js_get(w, "fixed");
		const struct js *population = js_get(w, "population");

		check_hosts(js_get(w, "per_host"), js_get(g, "hosts"));
		count_fields(fixed, ARRAY_LEN(fixed_fields), 1);
		check_fields(config, fixed, g, fixed_fields,
			     ARRAY_LEN(fixed_fields));
		check_verdict(config, fixed, g);
		count_fields(population, ARRAY_LEN(population_fields), 1);
		g = js_get(g, "population");
		check_fields(config, population, g, population_fields,
			     ARRAY_LEN(population_fields));
		check_verdict(config, population, g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_number_is_that_computed_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
