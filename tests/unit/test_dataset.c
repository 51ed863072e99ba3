#include "tests/unit/numbers.h"

#include <string.h>

#include "analysis/dataset.h"
#include "analysis/intern.h"

static const struct level small[] = { { "backing", "4k" } };
static const struct level huge[] = { { "backing", "hugetlb-2M" } };

static struct record finished(struct arena *a, uint32_t trial,
			      const struct level *level, double value)
{
	struct record r = { .event = RECORD_FINISHED,
			    .trial = trial,
			    .attempt = 1,
			    .host = "local",
			    .block = trial / 2,
			    .boot = trial,
			    .nlevels = 1 };

	r.levels = arena_alloc(a, sizeof *r.levels);
	*r.levels = *level;
	r.result = result_new(a);
	if (isfinite(value))
		result_metric(a, r.result,
			      &(struct metric){ "block.iops", value, "IOPS",
						BETTER_HIGHER });
	else
		result_fail(a, r.result, OUTCOME_FAILED, "QEMU ended");
	return r;
}

static void add(struct dataset *ds, const struct record *r)
{
	struct err e = { 0 };

	if (dataset_add_record(ds, r, &e) != 0)
		fail_msg("%s", e.msg);
}

static void a_cell_knows_when_it_was_measured(void **state)
{
	static const int64_t at[] = { 5, 3, 9 };
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();

	(void)state;
	for (uint32_t i = 0; i < ARRAY_LEN(at); i++) {
		struct record r = finished(a, i, small, i == 2 ? NAN : 1);

		r.wall_ns = at[i];
		add(ds, &r);
	}
	assert_int_equal(ds->cells[0].first_ns, 3);
	assert_int_equal(ds->cells[0].last_ns, 9);
}

static void equal_strings_get_equal_numbers(void **state)
{
	CLEANUP(intern_deinit) struct intern in = { 0 };
	char text[16];

	(void)state;
	intern_init(&in);
	assert_int_equal(intern_find(&in, "0", 1), INTERN_NONE);
	for (uint32_t i = 0; i < 10000; i++) {
		int len = snprintf(text, sizeof text, "%u", i);

		assert_int_equal(intern_id(&in, text, (size_t)len), i);
	}
	assert_int_equal(intern_id(&in, "777", 3), 777);
	assert_int_equal(intern_find(&in, "9999", 4), 9999);
	assert_int_equal(intern_find(&in, "10000", 5), INTERN_NONE);
	assert_string_equal(intern_name(&in, 42), "42");
}

static void cells_keep_the_order_in_which_they_were_named(void **state)
{
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct record r = finished(a, 0, huge, 5);
	struct err e = { 0 };
	uint32_t c;

	(void)state;
	assert_int_equal(dataset_add_cell(ds, small, 1, &c, &e), 0);
	assert_int_equal(c, 0);
	add(ds, &r);
	assert_int_equal(ds->ncells, 2);
	assert_string_equal(ds->cells[1].label, "backing=hugetlb-2M");
	assert_int_equal(dataset_find_cell(ds, small, 1), 0);
	assert_int_equal(ds->cell[0], 1);
	assert_close(ds->values[0][0], 5, 0);
}

static void a_level_cannot_fake_another_cell(void **state)
{
	static const struct level tricky[] = { { "a", "1, b=2" } };
	static const struct level two[] = { { "a", "1" }, { "b", "2" } };
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	struct err e = { 0 };
	uint32_t c1, c2;

	(void)state;
	assert_int_equal(dataset_add_cell(ds, tricky, 1, &c1, &e), 0);
	assert_int_equal(dataset_add_cell(ds, two, 2, &c2, &e), 0);
	assert_int_not_equal(c1, c2);
}

static void a_later_attempt_takes_the_place_of_a_failed_one(void **state)
{
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct record bad = finished(a, 3, small, NO_FIGURE);
	struct record good = finished(a, 3, small, 7);

	(void)state;
	good.attempt = 2;
	add(ds, &bad);
	assert_int_equal(ds->count[OUTCOME_FAILED], 1);
	add(ds, &good);
	add(ds, &good); // once more: counted, and left out
	assert_int_equal(ds->ntrials, 1);
	assert_int_equal(ds->count[OUTCOME_FAILED], 0);
	assert_int_equal(ds->count[OUTCOME_OK], 1);
	assert_int_equal(ds->nretried, 1);
	assert_int_equal(ds->nrepeated, 1);
	assert_close(ds->values[0][0], 7, 0);
	assert_int_equal(ds->nfailures, 1);
	assert_true(ds->failures[0].retried);
	assert_string_equal(ds->failures[0].reason, "QEMU ended");
}

static void warm_up_rounds_are_counted_and_left_out(void **state)
{
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	CLEANUP(arena_freep) struct arena *a = arena_new();

	(void)state;
	ds->warmup_rounds = 1;
	for (uint32_t t = 0; t < 4; t++) {
		struct record r = finished(a, t, small, t);

		add(ds, &r);
	}
	assert_int_equal(ds->nwarmup, 2);
	assert_int_equal(ds->ntrials, 2);
	assert_close(ds->values[0][0], 2, 0);
}

static void figures_of_an_invalid_trial_do_not_count(void **state)
{
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct record r = finished(a, 0, huge, 1e6);
	struct check c = { "backing", "hugetlb-2M", "4k", "smaps",
			   CHECK_FAILED };

	(void)state;
	result_check(a, r.result, &c);
	result_fail(a, r.result, OUTCOME_INVALID, "4 KiB pages");
	result_note(a, r.result, "closed loop");
	add(ds, &r);
	assert_int_equal(ds->count[OUTCOME_INVALID], 1);
	assert_int_equal(ds->nmetrics, 0);
	assert_int_equal(ds->checks[0].count[CHECK_FAILED], 1);
	assert_string_equal(ds->notes[0].text, "closed loop");
}

static void another_unit_marks_the_metric_as_mixed(void **state)
{
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	struct metric us = { "lat", 1, "us", BETTER_LOWER };
	struct metric ms = { "lat", 1, "ms", BETTER_LOWER };
	struct err e = { 0 };
	uint32_t m;

	(void)state;
	assert_int_equal(dataset_declare_metric(ds, "lat", &e), 0);
	assert_int_equal(dataset_add_metric(ds, &us, &m, &e), 0);
	assert_int_equal(dataset_add_metric(ds, &us, &m, &e), 0);
	assert_false(ds->metrics[m].mixed);
	assert_string_equal(ds->metrics[m].unit, "us");
	assert_int_equal(dataset_add_metric(ds, &ms, &m, &e), 0);
	assert_true(ds->metrics[m].mixed);
	assert_string_equal(ds->metrics[m].unit, "us");
}

static void a_figure_in_another_unit_or_direction_is_none(void **state)
{
	static const struct {
		struct metric m;
		bool counts;
		const char *says;
	} cases[] = {
		{ { "block.iops", 5, "IOPS", BETTER_HIGHER }, true, NULL },
		{ { "block.iops", 5, "kIOPS", BETTER_HIGHER },
		  false,
		  "block.iops is in \"kIOPS\" (higher is better), not in "
		  "\"IOPS\" (higher): no figure" },
		{ { "block.iops", 5, "IOPS", BETTER_LOWER }, false, "(lower" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
		CLEANUP(arena_freep) struct arena *a = arena_new();
		struct record first = finished(a, 0, small, 3);
		struct record r = finished(a, 1, huge, NO_FIGURE);

		r.result->outcome = OUTCOME_OK;
		result_metric(a, r.result, &cases[i].m);
		add(ds, &first);
		add(ds, &r);
		assert_close(ds->values[0][0], 3, 0);
		assert_int_equal(isfinite(ds->values[0][1]), cases[i].counts);
		assert_int_equal(ds->nnotes, cases[i].says != NULL);
		if (cases[i].says != NULL)
			assert_non_null(
				strstr(ds->notes[0].text, cases[i].says));
	}
}

static void a_metric_more_than_once_in_a_trial_is_no_figure(void **state)
{
	(void)state;
	for (size_t times = 1; times <= 3; times++) {
		CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
		CLEANUP(arena_freep) struct arena *a = arena_new();
		struct record r = finished(a, 0, small, 3);
		struct record next = finished(a, 1, small, 4);

		for (size_t i = 1; i < times; i++)
			result_metric(a, r.result, &r.result->metrics[0]);
		add(ds, &r);
		add(ds, &next);
		assert_int_equal(isfinite(ds->values[0][0]), times == 1);
		assert_close(ds->values[0][1], 4, 0);
		assert_int_equal(ds->nnotes, times > 1);
		if (times > 1)
			assert_string_equal(
				ds->notes[0].text,
				"block.iops is there more than once: no figure");
	}
}

static void a_trial_id_over_the_limit_is_refused(void **state)
{
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct record r = finished(a, UINT32_MAX, small, 1);
	struct err e = { 0 };

	(void)state;
	assert_int_equal(dataset_add_record(ds, &r, &e), -1);
	assert_int_equal(ds->ntrials, 0);
}

static void a_million_trials_fit(void **state)
{
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	struct metric m = { "x", 0, "1", BETTER_HIGHER };
	struct err e = { 0 };
	uint32_t cell, metric;
	size_t row = 0;

	(void)state;
	assert_int_equal(dataset_add_cell(ds, small, 1, &cell, &e), 0);
	assert_int_equal(dataset_add_metric(ds, &m, &metric, &e), 0);
	for (uint32_t t = 0; t < 1000000; t++) {
		struct dataset_trial trial = { .cell = cell,
					       .trial = t,
					       .metric = DATASET_NONE,
					       .block = t,
					       .boot = DATASET_NO_BOOT,
					       .order = t };

		assert_int_equal(dataset_add_trial(ds, &trial, &row, &e), 0);
		dataset_set_value(ds, row, metric, t);
	}
	assert_int_equal(ds->ntrials, 1000000);
	assert_close(ds->values[0][999999], 999999, 0);
}

static void add_with_facts(struct dataset *ds, struct arena *a,
			   const struct level *level, const char *json)
{
	struct record r = finished(a, (uint32_t)ds->ntrials, level, 5);
	CLEANUP(js_unrefp) struct js *facts = NULL;
	struct err e = { 0 };

	facts = js_parse(json, strlen(json), "facts", &e);
	if (facts == NULL)
		fail_msg("%s", e.msg);
	r.result->facts = facts;
	add(ds, &r);
}

static void cells_know_what_they_ran_on(void **state)
{
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(buf_deinit) struct buf out = BUF_INIT;

	(void)state;
	add_with_facts(ds, a, small, "{\"qemu\": {\"version\": \"7.2\"}}");
	add_with_facts(ds, a, huge, "{\"guest\": {\"kernel\": \"6.1\"}}");
	assert_false(cell_facts_differ(&ds->facts, CELL_FACT_QEMU, 0, 1));
	add_with_facts(ds, a, huge,
		       "{\"qemu\": {\"version\": \"7.2\"},"
		       " \"disk\": {\"engine\": \"fio-3\"}}");
	assert_false(cell_facts_differ(&ds->facts, CELL_FACT_QEMU, 0, 1));
	add_with_facts(ds, a, huge, "{\"qemu\": {\"version\": \"8.0\"}}");
	assert_true(cell_facts_differ(&ds->facts, CELL_FACT_QEMU, 0, 1));
	assert_true(cell_facts_differ(&ds->facts, CELL_FACT_QEMU, 1, 0));
	cell_facts_text(&ds->facts, CELL_FACT_QEMU, 1, &out);
	cell_facts_text(&ds->facts, CELL_FACT_ENGINE, 1, &out);
	assert_string_equal(buf_str(&out), "7.2 or 8.0fio-3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cell_knows_when_it_was_measured),
		cmocka_unit_test(equal_strings_get_equal_numbers),
		cmocka_unit_test(cells_keep_the_order_in_which_they_were_named),
		cmocka_unit_test(a_level_cannot_fake_another_cell),
		cmocka_unit_test(
			a_later_attempt_takes_the_place_of_a_failed_one),
		cmocka_unit_test(warm_up_rounds_are_counted_and_left_out),
		cmocka_unit_test(figures_of_an_invalid_trial_do_not_count),
		cmocka_unit_test(another_unit_marks_the_metric_as_mixed),
		cmocka_unit_test(a_figure_in_another_unit_or_direction_is_none),
		cmocka_unit_test(
			a_metric_more_than_once_in_a_trial_is_no_figure),
		cmocka_unit_test(a_trial_id_over_the_limit_is_refused),
		cmocka_unit_test(a_million_trials_fit),
		cmocka_unit_test(cells_know_what_they_ran_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
