#include "tests/unit/unit.h"

#include <stdlib.h>

#include "runner/agent/load_offset.h"
#include "runner/base/alloc.h"

static const uint64_t counts[] = { 1, 2, 3, 7, 8, 9, 255, 256, 257, 1000 };

// How often each block of [first, first + count) came in `n` draws.
static unsigned *draw(struct load_offset *o, uint64_t n)
{
	unsigned *seen = xcalloc(o->count, sizeof(*seen));

	for (uint64_t i = 0; i < n; i++) {
		uint64_t at = load_offset_next(o) - o->first;

		if (at >= o->count)
			fail_msg("block %llu of %llu, draw %llu",
				 (unsigned long long)at,
				 (unsigned long long)o->count,
				 (unsigned long long)i);
		seen[at]++;
	}
	return seen;
}

static void a_permutation_visits_each_block_once_a_pass(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
		struct load_offset o;

		load_offset_init(&o, LOAD_PERMUTED, 100, counts[i], i);
		for (unsigned pass = 0; pass < 3; pass++) {
			CLEANUP(cleanup_free)
			unsigned *seen = draw(&o, counts[i]);

			for (uint64_t b = 0; b < counts[i]; b++)
				if (seen[b] != 1)
					fail_msg("%llu blocks, pass %u: block "
						 "%llu came %u times",
						 (unsigned long long)counts[i],
						 pass, (unsigned long long)b,
						 seen[b]);
		}
	}
}

static void every_pass_has_an_order_of_its_own(void **state)
{
	uint64_t first[64];
	struct load_offset o;
	unsigned same = 0;

	(void)state;
	load_offset_init(&o, LOAD_PERMUTED, 0, ARRAY_LEN(first), 7);
	for (size_t i = 0; i < ARRAY_LEN(first); i++)
		first[i] = load_offset_next(&o);
	for (size_t i = 0; i < ARRAY_LEN(first); i++)
		same += load_offset_next(&o) == first[i];
	assert_in_range(same, 0, 16);
}

static void in_order_blocks_follow_each_other_and_wrap(void **state)
{
	struct load_offset o;

	(void)state;
	load_offset_init(&o, LOAD_SEQUENTIAL, 10, 4, 1);
	for (uint64_t i = 0; i < 12; i++)
		assert_int_equal(load_offset_next(&o), 10 + i % 4);
}

// Counts of 50 blocks in 100000 draws: a Pearson chi-square with 49 degrees of
// freedom is beyond 100 with a chance of 2e-5, and the seed is fixed.
static void random_blocks_are_uniform(void **state)
{
	enum {
		BLOCKS = 50,
		DRAWS = 100000
	};
	struct load_offset o;
	CLEANUP(cleanup_free) unsigned *seen = NULL;
	double expected = (double)DRAWS / BLOCKS, chi2 = 0;

	(void)state;
	load_offset_init(&o, LOAD_RANDOM, 0, BLOCKS, 42);
	seen = draw(&o, DRAWS);
	for (size_t i = 0; i < BLOCKS; i++)
		chi2 += (seen[i] - expected) * (seen[i] - expected) / expected;
	assert_true(chi2 < 100);
}

static void the_whole_range_of_64_bits_can_be_walked(void **state)
{
	struct load_offset o;
	uint64_t a, b;

	(void)state;
	load_offset_init(&o, LOAD_PERMUTED, 0, UINT64_MAX, 3);
	a = load_offset_next(&o);
	b = load_offset_next(&o);
	assert_true(a != b);
}

static void a_seed_gives_the_same_blocks_again(void **state)
{
	static const enum load_order orders[] = { LOAD_SEQUENTIAL, LOAD_RANDOM,
						  LOAD_PERMUTED };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
		struct load_offset a, b, c;
		unsigned same = 0;

		load_offset_init(&a, orders[i], 0, 1000, 5);
		load_offset_init(&b, orders[i], 0, 1000, 5);
		load_offset_init(&c, orders[i], 0, 1000, 6);
		for (unsigned n = 0; n < 100; n++) {
			uint64_t x = load_offset_next(&a);

			assert_int_equal(x, load_offset_next(&b));
			same += x == load_offset_next(&c);
		}
		assert_int_equal(same > 50, orders[i] == LOAD_SEQUENTIAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_permutation_visits_each_block_once_a_pass),
		cmocka_unit_test(every_pass_has_an_order_of_its_own),
		cmocka_unit_test(in_order_blocks_follow_each_other_and_wrap),
		cmocka_unit_test(random_blocks_are_uniform),
		cmocka_unit_test(the_whole_range_of_64_bits_can_be_walked),
		cmocka_unit_test(a_seed_gives_the_same_blocks_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
