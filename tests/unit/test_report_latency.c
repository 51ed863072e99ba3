// Latency percentiles: of trials as figures, of all together by counting.
#include "tests/unit/numbers.h"

#include <string.h>

#include "analysis/report_latency.h"
#include "runner/base/arena.h"
#include "runner/base/hist.h"

static const struct level levels[2] = { { "qd", "1" }, { "qd", "32" } };

struct campaign {
	struct arena *arena;
	struct dataset *ds;
	struct analysis *an;
	struct report report;
	uint32_t ntrials;
};

static void campaign_init(struct campaign *c)
{
	*c = (struct campaign){ .arena = arena_new(), .ds = dataset_new() };
}

static void campaign_deinit(struct campaign *c)
{
	analysis_free(c->an);
	dataset_free(c->ds);
	arena_free(c->arena);
}

static void add_percentiles(struct arena *a, struct result *r,
			    const struct hist *h)
{
	static const struct {
		const char *name;
		double p;
	} rows[] = {
		{ "block.lat_p50", 0.5 },
		{ "block.lat_p90", 0.9 },
		{ "block.lat_p99", 0.99 },
		{ "block.lat_p999", 0.999 },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		result_metric(a, r,
			      &(struct metric){ rows[i].name,
						hist_percentile(h, rows[i].p),
						"ns", BETTER_LOWER });
}

// A trial whose completions took `fast` ns, and `nslow` of them `slow`.
static void add_trial(struct campaign *c, size_t cell, uint64_t n,
		      uint64_t nslow)
{
	CLEANUP(js_unrefp) struct js *hists = js_object();
	static struct hist h;
	struct err e = { 0 };
	struct record r = { .event = RECORD_FINISHED,
			    .trial = c->ntrials,
			    .attempt = 1,
			    .host = "local",
			    .block = c->ntrials / 2,
			    .boot = c->ntrials,
			    .nlevels = 1 };

	hist_init(&h);
	hist_add(&h, 50, n - nslow);
	if (nslow > 0)
		hist_add(&h, 60, nslow);
	js_set(hists, "block.lat", hist_to_js(&h));
	r.levels = arena_alloc(c->arena, sizeof *r.levels);
	*r.levels = levels[cell];
	r.result = result_new(c->arena);
	add_percentiles(c->arena, r.result, &h);
	r.result->hists = hists;
	if (dataset_add_record(c->ds, &r, &e) != 0)
		fail_msg("%s", e.msg);
	c->ntrials++;
}

static const struct report_latency *analysed(struct campaign *c)
{
	static const char *const metric[] = { "block.lat_p50" };
	struct compare_spec spec = { .metrics = metric,
				     .nmetrics = 1,
				     .alpha = COMPARE_ALPHA,
				     .margin = NO_FIGURE };
	const struct report_latency *out;
	struct err e = { 0 };

	if (compare_run(c->ds, &spec, &c->an, &e) != 0)
		fail_msg("%s", e.msg);
	c->report = (struct report){ .ds = c->ds, .an = c->an };
	assert_int_equal(report_latency(&c->report, REPORT_LATENCY_INTERVALS,
					c->arena, &out),
			 1);
	return out;
}

static void all_trials_are_pooled_by_adding_counts(void **state)
{
	CLEANUP(campaign_deinit) struct campaign c;
	const struct report_latency *l;

	(void)state;
	campaign_init(&c);
	// 2 % of the first trial and none of the second: 1 % of all are slow,
	// so that p99 is fast still, while the mean of the trials' own is not.
	add_trial(&c, 0, 10000, 200);
	add_trial(&c, 1, 10000, 0);
	add_trial(&c, 0, 10000, 0);
	add_trial(&c, 1, 10000, 0);
	l = analysed(&c);
	assert_string_equal(l->name, "block.lat");
	assert_string_equal(l->unit, "ns");
	assert_close(l->cells[0].completions, 20000, 0);
	assert_close(l->cells[0].mean[2].mean, 55, 0);
	assert_close(l->cells[0].pooled[2].value, 50, 0);
	assert_close(l->cells[0].pooled[3].value, 60, 0);
	// Both rounds drawn from the first: it is all slow beyond 98 %.
	assert_close(l->cells[0].pooled[2].hi, 60, 0);
	assert_close(l->cells[1].pooled[3].value, 50, 0);
}

static void too_few_completions_make_no_percentile(void **state)
{
	static const struct {
		uint64_t n;	      // in each of two trials
		size_t apart, pooled; // percentiles that there are
	} cases[] = {
		{ 19, 0, 1 },  { 20, 1, 1 },   { 50, 1, 2 },   { 100, 2, 2 },
		{ 500, 2, 3 }, { 1000, 3, 3 }, { 5000, 3, 4 }, { 10000, 4, 4 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(campaign_deinit) struct campaign c;
		const struct report_latency *l;
		size_t apart = 0, pooled = 0;

		campaign_init(&c);
		add_trial(&c, 0, cases[i].n, 0);
		add_trial(&c, 1, cases[i].n, 0);
		add_trial(&c, 0, cases[i].n, 0);
		add_trial(&c, 1, cases[i].n, 0);
		l = analysed(&c);
		for (size_t p = 0; p < REPORT_LATENCY_PERCENTILES; p++) {
			apart += isfinite(l->cells[0].mean[p].mean);
			pooled += isfinite(l->cells[0].pooled[p].value);
		}
		if (apart != cases[i].apart || pooled != cases[i].pooled)
			fail_msg("n = %d: %zu and %zu percentiles",
				 (int)cases[i].n, apart, pooled);
	}
}

static void a_later_attempt_takes_its_histogram_along(void **state)
{
	CLEANUP(campaign_deinit) struct campaign c;
	struct record again = { .event = RECORD_FINISHED,
				.attempt = 2,
				.host = "local",
				.nlevels = 1 };
	struct level level = levels[0];
	struct err e = { 0 };

	(void)state;
	campaign_init(&c);
	add_trial(&c, 0, 1000, 0);
	again.levels = &level;
	again.result = result_new(c.arena);
	assert_int_equal(c.ds->hists.n, 1);
	assert_close(c.ds->hists.items[0].count, 1000, 0);
	assert_int_equal(dataset_add_record(c.ds, &again, &e), 0);
	assert_close(c.ds->hists.items[0].count, 0, 0);
}

static void a_histogram_that_cannot_be_read_is_noted(void **state)
{
	CLEANUP(campaign_deinit) struct campaign c;
	CLEANUP(js_unrefp) struct js *hists = js_object();
	struct level level = levels[0];
	struct err e = { 0 };
	struct record r = { .event = RECORD_FINISHED,
			    .attempt = 1,
			    .host = "local",
			    .levels = &level,
			    .nlevels = 1 };

	(void)state;
	campaign_init(&c);
	js_set_str(hists, "block.lat", "none");
	r.result = result_new(c.arena);
	r.result->hists = hists;
	assert_int_equal(dataset_add_record(c.ds, &r, &e), 0);
	assert_int_equal(c.ds->hists.n, 0);
	assert_int_equal(c.ds->nnotes, 1);
	assert_string_equal(c.ds->notes[0].text,
			    "a latency histogram could not be read");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_trials_are_pooled_by_adding_counts),
		cmocka_unit_test(too_few_completions_make_no_percentile),
		cmocka_unit_test(a_later_attempt_takes_its_histogram_along),
		cmocka_unit_test(a_histogram_that_cannot_be_read_is_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
