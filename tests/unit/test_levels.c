#include "tests/unit/numbers.h"

#include "analysis/levels.h"

static void add(struct dataset *ds, struct arena *a, const char *host,
		uint32_t boot, double value)
{
	struct err e = { 0 };
	struct level level = { "backing", "4k" };
	struct record r = { .event = RECORD_FINISHED,
			    .trial = (uint32_t)ds->ntrials,
			    .attempt = 1,
			    .host = host,
			    .boot = boot,
			    .levels = &level,
			    .nlevels = 1 };

	r.result = result_new(a);
	result_metric(a, r.result,
		      &(struct metric){ "y", value, "s", BETTER_LOWER });
	if (dataset_add_record(ds, &r, &e) != 0)
		fail_msg("%s", e.msg);
}

static struct levels levels_in(const struct dataset *ds)
{
	CLEANUP(arms_index_deinit) struct arms_index ix = { 0 };
	struct err e = { 0 };

	if (arms_index_init(&ix, ds, &e) < 0)
		fail_msg("%s", e.msg);
	return levels_of(&ix, 0, 0);
}

// By hand: within 4 on 2 df, between 16 on 1 df, (16 - 2) / 2 = 7.
static void variances_are_those_of_the_analysis_of_variance(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	struct levels l;

	(void)state;
	add(ds, a, "h", 1, 1);
	add(ds, a, "h", 2, 5);
	add(ds, a, "h", 1, 3);
	add(ds, a, "h", 2, 7);
	l = levels_in(ds);
	assert_int_equal(l.boots, 2);
	assert_close(l.mean, 4, 1e-15);
	assert_close(l.var_trial, 2, 1e-15);
	assert_close(l.var_boot, 7, 1e-15);
	// sqrt(14 / 1 * 2 / 7)
	assert_close(levels_repetitions(&l, 1, 14), 2, 1e-15);
	// Another host is not another boot: its level is its own.
	add(ds, a, "i", 3, 101);
	add(ds, a, "i", 3, 103);
	l = levels_in(ds);
	assert_close(l.var_trial, 2, 1e-15);
	assert_close(l.var_boot, 7, 1e-15);
}

static void boots_may_have_unequal_numbers(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	struct levels l;

	(void)state;
	add(ds, a, "h", 1, 1);
	add(ds, a, "h", 2, 4);
	add(ds, a, "h", 2, 6);
	add(ds, a, "h", 2, 5);
	l = levels_in(ds);
	// Within 2 on 2 df; between 1 * 9 + 3 * 1 = 12 on 1; repeats 4 - 10/4.
	assert_close(l.var_trial, 1, 1e-15);
	assert_close(l.var_boot, 11 / 1.5, 1e-14);
}

static void what_was_not_repeated_is_unknown(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	struct levels l;

	(void)state;
	add(ds, a, "h", 1, 1);
	add(ds, a, "h", 2, 5);
	l = levels_in(ds);
	assert_nan(l.var_trial);
	assert_nan(levels_repetitions(&l, 1, 1));
	add(ds, a, "h", 2, 5);
	l = levels_in(ds);
	assert_close(l.var_trial, 0, 0);
}

static void boots_that_do_not_differ_ask_for_no_second_one(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	struct levels l;

	(void)state;
	add(ds, a, "h", 1, 1);
	add(ds, a, "h", 1, 3);
	add(ds, a, "h", 2, 1);
	add(ds, a, "h", 2, 3);
	l = levels_in(ds);
	assert_close(l.var_boot, 0, 0);
	assert_true(isinf(levels_repetitions(&l, 1, 1)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			variances_are_those_of_the_analysis_of_variance),
		cmocka_unit_test(boots_may_have_unequal_numbers),
		cmocka_unit_test(what_was_not_repeated_is_unknown),
		cmocka_unit_test(
			boots_that_do_not_differ_ask_for_no_second_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
