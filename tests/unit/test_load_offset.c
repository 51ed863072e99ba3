#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "runner/agent/load_offset.h"
#include "runner/base/alloc.h"
#include "runner/base/compiler.h"

// One pass of a permutation: every block of the range exactly once.
static void check_pass(struct load_offset *o, uint64_t first, uint64_t count,
		       uint64_t *order)
{
	CLEANUP(cleanup_free) unsigned char *seen = xcalloc(count, 1);

	for (uint64_t i = 0; i < count; i++) {
		uint64_t b = load_offset_next(o);

		if (b < first || b - first >= count || seen[b - first])
			fail_msg("%llu blocks from %llu: block %llu at %llu is "
				 "outside or came before",
				 (unsigned long long)count,
				 (unsigned long long)first,
				 (unsigned long long)b, (unsigned long long)i);
		seen[b - first] = 1;
		order[i] = b;
	}
}

static void a_permutation_visits_each_block_once_a_pass(void **state)
{
	static const uint64_t counts[] = { 1,	2,    3,    4,	   5,	  7,
					   8,	9,    31,   32,	   33,	  100,
					   255, 1000, 4096, 65537, 100003 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
		CLEANUP(cleanup_free)
		uint64_t *a = xcalloc(counts[i], sizeof(*a));
		CLEANUP(cleanup_free)
		uint64_t *b = xcalloc(counts[i], sizeof(*b));
		struct load_offset o;

		load_offset_init(&o, LOAD_PERMUTED, 17, counts[i], 42);
		check_pass(&o, 17, counts[i], a);
		check_pass(&o, 17, counts[i], b);
		if (counts[i] >= 31 && memcmp(a, b, counts[i] * 8) == 0)
			fail_msg("%llu blocks: two passes in one order",
				 (unsigned long long)counts[i]);
	}
}

static void a_permutation_does_not_run_in_order(void **state)
{
	enum {
		COUNT = 100000
	};
	struct load_offset o;
	uint64_t last = 0, neighbours = 0;

	(void)state;
	load_offset_init(&o, LOAD_PERMUTED, 0, COUNT, 7);
	for (int i = 0; i < COUNT; i++) {
		uint64_t b = load_offset_next(&o);

		neighbours += b == last + 1 || b + 1 == last;
		last = b;
	}
	// Two of COUNT blocks are neighbours: about 2 are expected by chance.
	assert_in_range(neighbours, 0, 200);
}

static void a_permutation_of_a_huge_range_needs_no_memory(void **state)
{
	const uint64_t count = (1ULL << 55) - 3;
	struct load_offset o;

	(void)state;
	load_offset_init(&o, LOAD_PERMUTED, 5, count, 1);
	for (int i = 0; i < 1000; i++) {
		uint64_t b = load_offset_next(&o);

		assert_in_range(b, 5, 5 + count - 1);
	}
}

static void in_order_it_wraps_at_the_end_of_its_part(void **state)
{
	static const uint64_t want[] = { 10, 11, 12, 10, 11, 12, 10 };
	struct load_offset o;

	(void)state;
	load_offset_init(&o, LOAD_SEQUENTIAL, 10, 3, 1);
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		assert_int_equal(load_offset_next(&o), want[i]);
}

static void at_random_it_covers_the_range_evenly(void **state)
{
	enum {
		COUNT = 10,
		DRAWS = 100000
	};
	unsigned hits[COUNT] = { 0 };
	struct load_offset o;

	(void)state;
	load_offset_init(&o, LOAD_RANDOM, 100, COUNT, 3);
	for (int i = 0; i < DRAWS; i++) {
		uint64_t b = load_offset_next(&o);

		assert_in_range(b, 100, 100 + COUNT - 1);
		hits[b - 100]++;
	}
	for (int i = 0; i < COUNT; i++)
		assert_in_range(hits[i], 9500, 10500); // 5 standard errors
}

static void the_same_seed_gives_the_same_offsets(void **state)
{
	static const enum load_order orders[] = { LOAD_RANDOM, LOAD_PERMUTED };

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(orders); k++) {
		struct load_offset a, b, c;
		unsigned same = 0;

		load_offset_init(&a, orders[k], 0, 1000000, 9);
		load_offset_init(&b, orders[k], 0, 1000000, 9);
		load_offset_init(&c, orders[k], 0, 1000000, 10);
		for (int i = 0; i < 100; i++) {
			uint64_t x = load_offset_next(&a);

			assert_int_equal(x, load_offset_next(&b));
			same += x == load_offset_next(&c);
		}
		assert_in_range(same, 0, 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_permutation_visits_each_block_once_a_pass),
		cmocka_unit_test(a_permutation_does_not_run_in_order),
		cmocka_unit_test(a_permutation_of_a_huge_range_needs_no_memory),
		cmocka_unit_test(in_order_it_wraps_at_the_end_of_its_part),
		cmocka_unit_test(at_random_it_covers_the_range_evenly),
		cmocka_unit_test(the_same_seed_gives_the_same_offsets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
