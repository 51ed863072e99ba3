#include "tests/unit/numbers.h"

#include "analysis/paired.h"
#include "analysis/rcbd.h"

static void two_arms_give_the_square_of_the_paired_t(void **state)
{
	struct sample a = SAMPLE(100, 103, 101, 108, 104);
	struct sample b = SAMPLE(102, 104, 105, 109, 107);
	double y[10];
	struct rcbd r;
	struct paired_diff d = paired_diff(a, b, .95);

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		y[2 * i] = a.x[i];
		y[2 * i + 1] = b.x[i];
	}
	r = rcbd(y, 5, 2, NULL);
	assert_close(r.f, d.t * d.t, 1e-12);
	assert_close(r.p, d.p, 1e-12);
}

static void a_block_that_is_not_complete_is_dropped(void **state)
{
	static const double y[] = { 1, 2, 4, 3, NAN, 5, 5, 6, 9 };
	static const double z[] = { 1, 2, 4, 5, 6, 9 };
	double means[3];
	struct rcbd a = rcbd(y, 3, 3, means), b = rcbd(z, 2, 3, NULL);

	(void)state;
	assert_int_equal(a.blocks, 2);
	assert_int_equal(a.dropped, 1);
	assert_close(a.f, b.f, 1e-12);
	assert_close(means[2], 6.5, 1e-14);
}

static void a_design_too_small_has_no_tests(void **state)
{
	static const double y[] = { 1, 2, 3 };

	(void)state;
	assert_nan(rcbd(y, 1, 3, NULL).f);
	assert_nan(rcbd(y, 3, 1, NULL).f);
	assert_nan(rcbd(NULL, 0, 2, NULL).grand);
	assert_nan(rcbd(NULL, 0, 2, NULL).p);
}

static void without_error_variance_there_is_no_f(void **state)
{
	static const double y[] = { 1, 1, 1, 1, 1, 1 };

	(void)state;
	assert_nan(rcbd(y, 3, 2, NULL).f);
	assert_nan(rcbd(y, 3, 2, NULL).rel_eff);
}

static void blocks_that_differ_save_trials(void **state)
{
	static const double drift[] = { 1, 2.1, 11, 12, 21, 22.2 };
	static const double flat[] = { 1, 2, 2.2, 1, 1, 2.1 };

	(void)state;
	assert_true(rcbd(drift, 3, 2, NULL).rel_eff > 100);
	assert_between(rcbd(flat, 3, 2, NULL).rel_eff, .4, 1.2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_arms_give_the_square_of_the_paired_t),
		cmocka_unit_test(a_block_that_is_not_complete_is_dropped),
		cmocka_unit_test(a_design_too_small_has_no_tests),
		cmocka_unit_test(without_error_variance_there_is_no_f),
		cmocka_unit_test(blocks_that_differ_save_trials),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
