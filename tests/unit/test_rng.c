#include "tests/unit/unit.h"

#include <math.h>

#include "runner/base/compiler.h"
#include "runner/base/rng.h"

enum {
	DRAWS = 200000
};

// First outputs of the authors' reference code from the state {1, 2, 3, 4}.
static void the_generator_is_xoshiro256_starstar(void **state)
{
	static const uint64_t want[] = { 11520, 0, 1509978240,
					 1215971899390074240 };
	struct rng r = { { 1, 2, 3, 4 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		assert_int_equal(rng_next(&r), want[i]);
}

// First outputs of splitmix64 from 1234567.
static void the_seed_goes_through_splitmix64(void **state)
{
	static const uint64_t want[] = { 6457827717110365317ULL,
					 3203168211198807973ULL,
					 9817491932198370423ULL,
					 4593380528125082431ULL };
	struct rng r;

	(void)state;
	rng_seed(&r, 1234567);
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		assert_int_equal(r.s[i], want[i]);
}

static void a_seed_of_zero_works(void **state)
{
	struct rng r;

	(void)state;
	rng_seed(&r, 0);
	assert_int_not_equal(rng_next(&r), rng_next(&r));
}

// Mean and variance within five standard errors of the uniform's.
static void uniform_numbers_fill_the_unit_interval(void **state)
{
	double sum = 0, sq = 0, n = DRAWS;
	struct rng r;

	(void)state;
	rng_seed(&r, 7);
	for (int i = 0; i < DRAWS; i++) {
		double u = rng_uniform(&r);

		assert_true(u >= 0 && u < 1);
		sum += u;
		sq += (u - 0.5) * (u - 0.5);
	}
	assert_true(fabs(sum / n - 0.5) < 5 * sqrt(1 / 12.0 / n));
	assert_true(fabs(sq / n - 1 / 12.0) < 5 * sqrt(1 / 180.0 / n));
}

// Mean, variance and share beyond 1.96 within five standard errors.
static void normal_numbers_have_moments_and_tails(void **state)
{
	double sum = 0, sq = 0, beyond = 0, n = DRAWS;
	struct rng r;

	(void)state;
	rng_seed(&r, 11);
	for (int i = 0; i < DRAWS; i++) {
		double x = rng_normal(&r);

		sum += x;
		sq += x * x;
		beyond += fabs(x) > 1.959964;
	}
	assert_true(fabs(sum / n) < 5 / sqrt(n));
	assert_true(fabs(sq / n - 1) < 5 * sqrt(2 / n));
	assert_true(fabs(beyond / n - 0.05) < 5 * sqrt(0.05 * 0.95 / n));
}

static void numbers_below_n_reach_all_and_stay_below(void **state)
{
	unsigned seen[10] = { 0 };
	struct rng r;

	(void)state;
	rng_seed(&r, 3);
	for (int i = 0; i < DRAWS; i++) {
		uint64_t k = rng_below(&r, 10);

		assert_true(k < 10);
		seen[k]++;
	}
	for (int k = 0; k < 10; k++)
		assert_true(fabs(seen[k] - DRAWS / 10.0) <
			    5 * sqrt(DRAWS * 0.09));
	assert_int_equal(rng_below(&r, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_generator_is_xoshiro256_starstar),
		cmocka_unit_test(the_seed_goes_through_splitmix64),
		cmocka_unit_test(a_seed_of_zero_works),
		cmocka_unit_test(uniform_numbers_fill_the_unit_interval),
		cmocka_unit_test(normal_numbers_have_moments_and_tails),
		cmocka_unit_test(numbers_below_n_reach_all_and_stay_below),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
