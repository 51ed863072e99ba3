#include "tests/unit/numbers.h"

#include <string.h>

#include "analysis/latency.h"
#include "analysis/thin.h"

static double percentile(const struct latency_bin *bins, size_t n, double p)
{
	double out;

	latency_percentiles(bins, n, &p, 1, &out);
	return out;
}

static void counts_of_all_jobs_add_up(void **state)
{
	static const struct latency_bin apart[] = { { 4000, 15 }, { 1000, 20 },
						    { 64000, 1 }, { 2000, 30 },
						    { 1000, 30 }, { 8000, 4 } };
	static const struct {
		double p, value;
	} cases[] = { { 50, 1000 },  { 50.1, 2000 }, { 90, 4000 },
		      { 95, 4000 },  { 99, 8000 },   { 99.9, 64000 },
		      { 100, 64000 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_close(percentile(apart, ARRAY_LEN(apart), cases[i].p),
			     cases[i].value, 0);
}

static void nothing_counted_has_no_percentile(void **state)
{
	static const struct latency_bin zero[] = { { 1000, 0 } };

	(void)state;
	assert_nan(percentile(NULL, 0, 50));
	assert_nan(percentile(zero, 1, 50));
	assert_nan(latency_pooled(NULL, 0, 50, .95, 100).value);
}

static void a_percentile_needs_ten_beyond_it(void **state)
{
	(void)state;
	assert_true(latency_supported(1001, 99));
	assert_false(latency_supported(900, 99));
	// Exactly ten, whatever 1 - p is as a double.
	assert_true(latency_supported(20, 50));
	assert_true(latency_supported(100, 90));
	assert_true(latency_supported(10000, 99.9));
	assert_false(latency_supported(1000, 100));
}

static void fio_buckets_ascend_to_the_last(void **state)
{
	(void)state;
	for (size_t i = 1; i < LATENCY_FIO_BUCKETS; i++) {
		double low = latency_fio_value(i - 1);

		assert_true(latency_fio_value(i) > low);
		assert_true(i < 128 || latency_fio_value(i) < low * 1.02);
	}
	assert_nan(latency_fio_value(LATENCY_FIO_BUCKETS));
}

static void pooling_resamples_whole_rounds(void **state)
{
	static const struct latency_bin fast[] = { { 100, 990 }, { 200, 10 } };
	static const struct latency_bin slow[] = { { 100, 900 }, { 900, 100 } };
	static const struct latency_round rounds[] = {
		{ fast, 2 }, { fast, 2 }, { fast, 2 }, { slow, 2 }
	};
	struct latency_pooled p = latency_pooled(rounds, 4, 99, .95, 500);
	struct latency_pooled q = latency_pooled(rounds, 4, 99, .95, 500);
	struct latency_pooled one = latency_pooled(rounds, 1, 99, .95, 500);

	(void)state;
	assert_close(p.value, 900, 0);
	// Draws without the slow round are common: .32.
	assert_true(p.lo <= 200);
	assert_close(p.hi, 900, 0);
	assert_close(p.lo, q.lo, 0);
	assert_close(one.value, 100, 0);
	assert_nan(one.lo);
}

static void a_percentile_of_too_few_is_thin(void **state)
{
	static const struct {
		const char *name, *hists;
		bool thin;
	} cases[] = {
		{ "block.lat_p99", "{\"block.lat\":{\"n\":1000}}", false },
		{ "block.lat_p99", "{\"block.lat\":{\"n\":900}}", true },
		{ "block.lat_p999", "{\"block.lat\":{\"n\":9000}}", true },
		{ "block.lat_p999", "{\"block.lat\":{\"n\":10000}}", false },
		{ "block.lat_p50", "{\"block.lat\":{\"n\":20}}", false },
		{ "other.lat_p99", "{\"block.lat\":{\"n\":9}}", false },
		{ "block.lat_mean", "{\"block.lat\":{\"n\":9}}", false },
		{ "block.iops", "{\"block.lat\":{\"n\":9}}", false },
		{ "block.lat_p9x", "{\"block.lat\":{\"n\":9}}", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e = { 0 };
		CLEANUP(js_unrefp)
		struct js *hists = js_parse(
			cases[i].hists, strlen(cases[i].hists), "hists", &e);
		struct result r = { .hists = hists };
		struct metric m = { .name = cases[i].name, .unit = "ns" };

		if (thin_percentile(&r, &m) != cases[i].thin)
			fail_msg("%s of %s", cases[i].name, cases[i].hists);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_of_all_jobs_add_up),
		cmocka_unit_test(a_percentile_of_too_few_is_thin),
		cmocka_unit_test(nothing_counted_has_no_percentile),
		cmocka_unit_test(a_percentile_needs_ten_beyond_it),
		cmocka_unit_test(fio_buckets_ascend_to_the_last),
		cmocka_unit_test(pooling_resamples_whole_rounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
