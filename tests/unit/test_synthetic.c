#include "tests/unit/unit.h"

#include <math.h>
#include <string.h>

#include "runner/agent/synthetic.h"
#include "runner/base/compiler.h"

enum {
	DRAWS = 4000
};

static struct synthetic_params model(void)
{
	return (struct synthetic_params){ .mean = 100, .unit = "1" };
}

static double value_at(const struct synthetic_params *p, uint64_t seed,
		       int64_t seq, int64_t boot)
{
	struct workload_place at = { seed, seq, boot };

	return synthetic_draw(p, &at).value;
}

// Mean and SD over trials, each in a boot of its own.
static void moments(const struct synthetic_params *p, double *mean, double *sd)
{
	double sum = 0, squares = 0;

	for (int i = 0; i < DRAWS; i++) {
		double v = value_at(p, 5, i, i);

		sum += v;
		squares += v * v;
	}
	*mean = sum / DRAWS;
	*sd = sqrt(squares / DRAWS - *mean * *mean);
}

static void the_same_place_gives_the_same_value(void **state)
{
	struct synthetic_params p = model();

	(void)state;
	p.cv = p.ar1_cv = p.boot_cv = 0.1;
	p.ar1 = 0.5;
	assert_true(value_at(&p, 1, 2, 3) == value_at(&p, 1, 2, 3));
	assert_true(value_at(&p, 1, 2, 3) != value_at(&p, 2, 2, 3));
	assert_true(value_at(&p, 1, 2, 3) != value_at(&p, 1, 3, 3));
	assert_true(value_at(&p, 1, 2, 3) != value_at(&p, 1, 2, 4));
}

static void without_noise_the_value_is_the_formula(void **state)
{
	struct synthetic_params p = model();

	(void)state;
	assert_true(value_at(&p, 1, 50, 0) == 100);
	p.effect = 0.02;
	assert_true(fabs(value_at(&p, 1, 50, 0) - 102) < 1e-9);
	p.drift = 0.1;
	assert_true(fabs(value_at(&p, 1, 50, 0) - 102 * 1.05) < 1e-9);
	p.modes = 0.5;
	p.mode_p = 1;
	assert_true(fabs(value_at(&p, 1, 50, 0) - 102 * 1.05 * 1.5) < 1e-9);
}

static void each_source_of_noise_has_its_stated_size(void **state)
{
	static const size_t noises[] = {
		offsetof(struct synthetic_params, cv),
		offsetof(struct synthetic_params, boot_cv),
		offsetof(struct synthetic_params, ar1_cv),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(noises); i++) {
		struct synthetic_params p = model();
		double mean, sd;

		*(double *)(void *)((char *)&p + noises[i]) = 0.05;
		moments(&p, &mean, &sd);
		// Five standard errors: 5 / sqrt(n), 5 / sqrt(2 n).
		if (fabs(mean - 100) > 0.4 || fabs(sd - 5) > 0.28)
			fail_msg("noise %zu: mean %g, SD %g, not 100 and 5", i,
				 mean, sd);
	}
}

static void boot_luck_is_shared_by_the_trials_of_a_boot(void **state)
{
	struct synthetic_params p = model();

	(void)state;
	p.boot_cv = 0.1;
	assert_true(value_at(&p, 1, 1, 7) == value_at(&p, 1, 2, 7));
	assert_true(value_at(&p, 1, 1, 7) != value_at(&p, 1, 1, 8));
}

static void neighbours_are_correlated_as_phi_says(void **state)
{
	struct synthetic_params p = model();
	double before, sum = 0, squares = 0;

	(void)state;
	p.ar1 = 0.8;
	p.ar1_cv = 0.01;
	before = value_at(&p, 3, 0, 0) - 100;
	for (int i = 1; i < DRAWS; i++) {
		double x = value_at(&p, 3, i, 0) - 100;

		sum += x * before;
		squares += x * x;
		before = x;
	}
	assert_true(fabs(sum / squares - 0.8) < 0.06);
}

static void one_source_does_not_shift_the_draws_of_another(void **state)
{
	struct synthetic_params p = model(), q;
	double ratio;

	(void)state;
	p.cv = 0.1;
	q = p;
	q.fail = q.invalid = 0.5;
	q.effect = 0.25;
	ratio = value_at(&q, 1, 9, 9) / value_at(&p, 1, 9, 9);
	assert_true(fabs(ratio - 1.25) < 1e-12);
}

static void trials_fail_and_are_invalid_as_often_as_said(void **state)
{
	struct synthetic_params p = model();
	unsigned failed = 0, invalid = 0, second = 0;

	(void)state;
	p.fail = 0.1;
	p.invalid = 0.2;
	p.modes = 1;
	p.mode_p = 0.3;
	for (int i = 0; i < DRAWS; i++) {
		struct workload_place at = { 11, i, i };
		struct synthetic_draw d = synthetic_draw(&p, &at);

		failed += d.failed;
		invalid += d.invalid;
		second += d.value > 150;
	}
	assert_in_range(failed, DRAWS / 10 - 100, DRAWS / 10 + 100);
	assert_in_range(invalid, DRAWS / 5 - 130, DRAWS / 5 + 130);
	assert_in_range(second, DRAWS * 3 / 10 - 150, DRAWS * 3 / 10 + 150);
}

static void bad_parameters_are_named(void **state)
{
	static const struct {
		const char *json, *want;
	} cases[] = {
		{ "{\"cvv\": 1}", "cvv" },
		{ "{\"ar1\": 1}", "ar1: 1 is not in [0, 0.999]" },
		{ "{\"fail\": 1.5}", "fail: 1.5 is not in [0, 1]" },
		{ "{\"mean\": \"x\"}", "mean" },
		{ "{\"mean\": null}", "mean" },
		{ "{\"better\": \"neither\"}", "have higher, lower" },
		{ "{\"unit\": 3}", "unit" },
		{ "{\"runtime\": -1}", "runtime" },
		{ "{\"runtime\": 1.5}", "runtime: is no whole number" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		struct synthetic_params p = model();
		struct err e = { 0 };
		CLEANUP(js_unrefp)
		struct js *j = js_parse(cases[i].json, strlen(cases[i].json),
					"test", &e);

		assert_non_null(j);
		if (synthetic_params_decode(j, "s", a, &p, &e) == 0)
			fail_msg("%s: taken", cases[i].json);
		if (strstr(e.msg, cases[i].want) == NULL)
			fail_msg("%s: \"%s\" lacks \"%s\"", cases[i].json,
				 e.msg, cases[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_place_gives_the_same_value),
		cmocka_unit_test(without_noise_the_value_is_the_formula),
		cmocka_unit_test(each_source_of_noise_has_its_stated_size),
		cmocka_unit_test(boot_luck_is_shared_by_the_trials_of_a_boot),
		cmocka_unit_test(neighbours_are_correlated_as_phi_says),
		cmocka_unit_test(
			one_source_does_not_shift_the_draws_of_another),
		cmocka_unit_test(trials_fail_and_are_invalid_as_often_as_said),
		cmocka_unit_test(bad_parameters_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
