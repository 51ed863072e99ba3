#include "tests/unit/unit.h"

#include <math.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/hist.h"
#include "runner/base/rng.h"

static struct hist *new_hist(void)
{
	struct hist *h = xmalloc(sizeof(*h));

	hist_init(h);
	return h;
}

static void buckets_tile_all_64_bits(void **state)
{
	uint64_t next = 0;

	(void)state;
	for (unsigned b = 0; b < HIST_BUCKETS; b++) {
		uint64_t low = hist_bucket_low(b), high = hist_bucket_high(b);

		assert_int_equal(low, next);
		assert_int_equal(hist_bucket(low), b);
		assert_int_equal(hist_bucket(high), b);
		assert_true(high - low <= low / HIST_SUB);
		next = high + 1;
	}
	assert_int_equal(next, 0); // wrapped: the last one ends at 2^64 - 1
}

static void an_empty_histogram_is_zero(void **state)
{
	CLEANUP(cleanup_free) struct hist *h = new_hist();

	(void)state;
	assert_true(hist_mean(h) == 0);
	assert_true(hist_percentile(h, 0.5) == 0);
}

static void small_values_are_exact(void **state)
{
	CLEANUP(cleanup_free) struct hist *h = new_hist();

	(void)state;
	for (uint64_t v = 1; v <= 50; v++)
		hist_add(h, v, 2);
	assert_int_equal(h->n, 100);
	assert_int_equal(h->min, 1);
	assert_int_equal(h->max, 50);
	assert_true(hist_mean(h) == 25.5);
	assert_true(hist_percentile(h, 0) == 1);
	assert_true(hist_percentile(h, 0.5) == 25);
	assert_true(hist_percentile(h, 0.99) == 50);
	assert_true(hist_percentile(h, 1) == 50);
}

static void one_value_is_every_percentile(void **state)
{
	static const double p[] = { 0, 0.001, 0.5, 0.999, 1 };
	CLEANUP(cleanup_free) struct hist *h = new_hist();

	(void)state;
	hist_add(h, 1234567, 1);
	for (size_t i = 0; i < ARRAY_LEN(p); i++)
		assert_true(hist_percentile(h, p[i]) == 1234567);
}

// Latencies that are exponential with mean 100 us: the quantiles are known.
static void percentiles_are_within_a_bucket_of_the_truth(void **state)
{
	static const double p[] = { 0.5, 0.9, 0.99 };
	CLEANUP(cleanup_free) struct hist *h = new_hist();
	struct rng r;

	(void)state;
	rng_seed(&r, 5);
	for (int i = 0; i < 400000; i++)
		hist_add(h, (uint64_t)(-1e5 * log(1 - rng_uniform(&r))), 1);
	for (size_t i = 0; i < ARRAY_LEN(p); i++) {
		double want = -1e5 * log(1 - p[i]);
		double se = 1e5 * sqrt(p[i] / (1 - p[i]) / 400000);
		double got = hist_percentile(h, p[i]);

		if (fabs(got - want) > want / HIST_SUB + 5 * se)
			fail_msg("p%g: %g, want %g", p[i], got, want);
	}
}

static void merging_is_as_if_all_were_added_to_one(void **state)
{
	CLEANUP(cleanup_free) struct hist *a = new_hist();
	CLEANUP(cleanup_free) struct hist *b = new_hist();
	CLEANUP(cleanup_free) struct hist *both = new_hist();

	(void)state;
	for (uint64_t v = 1; v < 1ULL << 40; v = v * 3 + 1) {
		struct hist *one = v % 2 ? a : b;

		hist_add(one, v, v % 7 + 1);
		hist_add(both, v, v % 7 + 1);
	}
	hist_merge(a, b);
	assert_memory_equal(a->count, both->count, sizeof(a->count));
	assert_int_equal(a->n, both->n);
	assert_int_equal(a->min, both->min);
	assert_int_equal(a->max, both->max);
	assert_true(a->sum == both->sum);
}

static void round_trip(const struct hist *h)
{
	CLEANUP(js_unrefp) struct js *j = hist_to_js(h);
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	CLEANUP(js_unrefp) struct js *again = NULL;
	CLEANUP(cleanup_free) struct hist *back = new_hist();
	struct err e = { 0 };

	js_print(j, &text);
	again = js_parse(text.data, text.len, "hist", &e);
	assert_non_null(again);
	if (hist_from_js(again, back, &e) < 0)
		fail_msg("%.200s: %s", text.data, e.msg);
	assert_memory_equal(back, h, sizeof(*h));
}

static void json_gives_the_same_histogram_back(void **state)
{
	CLEANUP(cleanup_free) struct hist *h = new_hist();

	(void)state;
	round_trip(h);
	hist_add(h, 0, 1);
	round_trip(h);
	for (uint64_t v = 1; v < 1ULL << 60; v = v * 2 + 1)
		hist_add(h, v, v % 5 + 1);
	round_trip(h);
}

// Text of a histogram; min, max and sum as literals.
#define HIST(n, min, max, sum, buckets)                                 \
	"{\"n\":" #n ",\"min\":" #min ",\"max\":" #max ",\"sum\":" #sum \
	",\"buckets\":" buckets "}"

static void a_histogram_that_lies_is_refused(void **state)
{
	static const char *const lies[] = {
		"[]",
		"{}",
		"{\"n\":0}",
		HIST(1, 5, 5, 5, "[[5,2]]"),
		HIST(0, 5, 5, 5, "[[5,0]]"),
		HIST(1, 5, 5, 5, "[[-5,1]]"),
		HIST(1, 5, 5, 5, "[[5,-1]]"),
		HIST(1, 5, 5, 5, "[[5]]"),
		HIST(1, 5, 5, 5, "[5,1]"),
		HIST(2, 5, 5, 5, "[[5,1],[5,1]]"),
		HIST(9223372036854775807, 5, 6, 5,
		     "[[5,9223372036854775807],[6,1]]"),
		// figures that the buckets contradict
		HIST(1, -1, 5, 5, "[[5,1]]"),
		HIST(1, 4, 5, 5, "[[5,1]]"),
		HIST(1, 5, 6, 5, "[[5,1]]"),
		HIST(1, 5, -5, 5, "[[5,1]]"),
		HIST(1, 5, 5, -5, "[[5,1]]"),
		HIST(1, 5, 5, null, "[[5,1]]"),
		HIST(1, 5, 5, 6, "[[5,1]]"),
		HIST(2, 131, 130, 261, "[[130,2]]"),
	};
	CLEANUP(cleanup_free) struct hist *h = new_hist();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lies); i++) {
		CLEANUP(js_unrefp) struct js *j = NULL;
		struct err e = { 0 };

		j = js_parse(lies[i], strlen(lies[i]), "lie", &e);
		assert_non_null(j);
		if (hist_from_js(j, h, &e) == 0)
			fail_msg("accepted: %s", lies[i]);
		assert_int_equal(h->n, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_tile_all_64_bits),
		cmocka_unit_test(an_empty_histogram_is_zero),
		cmocka_unit_test(small_values_are_exact),
		cmocka_unit_test(one_value_is_every_percentile),
		cmocka_unit_test(percentiles_are_within_a_bucket_of_the_truth),
		cmocka_unit_test(merging_is_as_if_all_were_added_to_one),
		cmocka_unit_test(json_gives_the_same_histogram_back),
		cmocka_unit_test(a_histogram_that_lies_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
