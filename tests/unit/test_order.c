#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/plan/order.h"

enum {
	CELLS_MAX = 16
};

static struct plan_trial *ordered(const struct order_spec *s, size_t *n)
{
	struct plan_trial *t;

	*n = (size_t)s->nhosts * s->blocks * s->repeat * s->ncells;
	if (s->share)
		*n = ((size_t)s->nhosts * s->warmup + s->blocks - s->warmup) *
		     s->repeat * s->ncells;
	t = xcalloc(*n, sizeof(*t));
	order_trials(s, t);
	return t;
}

static const uint32_t own_group[CELLS_MAX] = { 0, 1, 2,	 3,  4,	 5,  6,	 7,
					       8, 9, 10, 11, 12, 13, 14, 15 };
static const uint32_t one_group[CELLS_MAX];
static const uint32_t two_groups[CELLS_MAX] = { 0, 1, 1, 0, 1, 0 };

static const struct order_spec specs[] = {
	{ PLAN_BLOCKS, 1, 2, own_group, 2, 10, 1, 7, 0, false },
	{ PLAN_BLOCKS, 3, 5, own_group, 5, 4, 3, 1, 0, false },
	{ PLAN_BLOCKS, 2, 6, two_groups, 2, 5, 2, 9, 0, false },
	{ PLAN_BLOCKS, 1, 4, one_group, 1, 6, 1, 4294967295, 0, false },
	{ PLAN_BLOCKS, 1, 1, one_group, 1, 3, 1, 5, 0, false },
	{ PLAN_WILLIAMS, 2, 4, own_group, 4, 8, 1, 3, 0, false },
	{ PLAN_WILLIAMS, 1, 5, own_group, 5, 10, 2, 3, 0, false },
	{ PLAN_WILLIAMS, 1, 6, two_groups, 2, 6, 2, 3, 0, false },
	{ PLAN_WILLIAMS, 1, 1, one_group, 1, 4, 1, 3, 0, false },
	{ PLAN_SEQUENTIAL, 2, 3, own_group, 3, 4, 2, 3, 0, false },
	{ PLAN_SEQUENTIAL, 1, 4, one_group, 1, 3, 1, 3, 0, false },
};

static void each_cell_comes_once_in_a_block_per_repetition(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(specs); i++) {
		const struct order_spec *s = &specs[i];
		CLEANUP(cleanup_free) struct plan_trial *t = NULL;
		CLEANUP(cleanup_free) unsigned *seen = NULL;
		size_t n;

		t = ordered(s, &n);
		seen = xcalloc(n, sizeof(*seen));
		for (size_t k = 0; k < n; k++) {
			size_t at = t[k].host;

			at = at * s->blocks + t[k].block;
			at = at * s->repeat + t[k].repeat;
			at = at * s->ncells + t[k].cell;
			if (at >= n || seen[at]++)
				fail_msg("spec %zu: trial %zu again", i, k);
		}
	}
}

static void positions_count_through_the_block(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(specs); i++) {
		const struct order_spec *s = &specs[i];
		CLEANUP(cleanup_free) struct plan_trial *t = NULL;
		CLEANUP(cleanup_free) unsigned *seen = NULL;
		size_t n;

		t = ordered(s, &n);
		seen = xcalloc(n, sizeof(*seen));
		for (size_t k = 0; k < n; k++) {
			size_t block =
				(size_t)t[k].host * s->blocks + t[k].block;
			size_t at =
				block * s->ncells * s->repeat + t[k].position;

			if (t[k].id != k || at >= n || seen[at]++)
				fail_msg("spec %zu: trial %zu", i, k);
			if (s->order != PLAN_SEQUENTIAL && at != k)
				fail_msg("spec %zu: trial %zu at %zu", i, k,
					 at);
		}
	}
}

static void a_boot_holds_one_group_of_one_block_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(specs); i++) {
		const struct order_spec *s = &specs[i];
		CLEANUP(cleanup_free) struct plan_trial *t = NULL;
		size_t n;

		t = ordered(s, &n);
		for (size_t k = 0; k < n; k++) {
			bool first = k == 0 || t[k].boot != t[k - 1].boot;
			bool last = k + 1 == n || t[k].boot != t[k + 1].boot;

			if (t[k].first_in_boot != first ||
			    t[k].last_in_boot != last)
				fail_msg("spec %zu: marks of %zu", i, k);
			if (k == 0 ? t[k].boot != 0
				   : t[k].boot != t[k - 1].boot + first)
				fail_msg("spec %zu: boot of %zu", i, k);
			if (!first &&
			    (t[k].host != t[k - 1].host ||
			     t[k].block != t[k - 1].block ||
			     s->group[t[k].cell] != s->group[t[k - 1].cell]))
				fail_msg("spec %zu: trial %zu strays", i, k);
		}
		if (s->order != PLAN_SEQUENTIAL)
			assert_int_equal(t[n - 1].boot + 1,
					 s->nhosts * s->blocks * s->ngroups);
	}
}

static void sequential_runs_a_cell_to_its_end(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(specs); i++) {
		CLEANUP(cleanup_free) struct plan_trial *t = NULL;
		size_t n;

		if (specs[i].order != PLAN_SEQUENTIAL)
			continue;
		t = ordered(&specs[i], &n);
		for (size_t k = 1; k < n; k++) {
			if (t[k].host == t[k - 1].host &&
			    t[k].cell < t[k - 1].cell)
				fail_msg("spec %zu: trial %zu", i, k);
		}
	}
}

static void the_seed_alone_decides_the_order(void **state)
{
	struct order_spec s = specs[1];
	CLEANUP(cleanup_free) struct plan_trial *a = NULL, *b = NULL, *c = NULL;
	size_t n;

	(void)state;
	a = ordered(&s, &n);
	b = ordered(&s, &n);
	assert_memory_equal(a, b, n * sizeof(*a));
	s.seed++;
	c = ordered(&s, &n);
	assert_int_not_equal(memcmp(a, c, n * sizeof(*a)), 0);
}

// Frozen: a plan made by one version must be made again by the next.
static void the_order_of_a_known_seed_stays(void **state)
{
	static const uint32_t want[] = { 1, 0, 1, 0, 0, 1, 1, 0, 1, 0,
					 0, 1, 0, 1, 1, 0, 0, 1, 1, 0 };
	CLEANUP(cleanup_free) struct plan_trial *t = NULL;
	size_t n;

	(void)state;
	t = ordered(&specs[0], &n);
	assert_int_equal(n, ARRAY_LEN(want));
	for (size_t i = 0; i < n; i++)
		assert_int_equal(t[i].cell, want[i]);
}

static unsigned permutation_number(const struct plan_trial *t)
{
	unsigned x = t[0].cell * 2, y = t[1].cell, z = t[2].cell;

	return x + (y > z);
}

// All 6 orders of 3 cells, 6000 blocks: chi-squared with 5 degrees of freedom
// is above 20.5 once in a thousand; the seed is fixed, so this is no lottery.
static void all_orders_are_equally_likely(void **state)
{
	struct order_spec s = { PLAN_BLOCKS, 1, 3,  own_group, 3,
				6000,	     1, 42, 0,	       false };
	CLEANUP(cleanup_free) struct plan_trial *t = NULL;
	unsigned count[6] = { 0 };
	double chi2 = 0;
	size_t n;

	(void)state;
	t = ordered(&s, &n);
	for (size_t i = 0; i < n; i += 3)
		count[permutation_number(&t[i])]++;
	for (size_t i = 0; i < 6; i++)
		chi2 += (count[i] - 1000.0) * (count[i] - 1000.0) / 1000.0;
	if (chi2 > 20.5)
		fail_msg("chi-squared %g", chi2);
}

static void a_williams_design_balances_what_follows_what(void **state)
{
	(void)state;
	for (uint32_t k = 1; k <= CELLS_MAX; k++) {
		unsigned follows[CELLS_MAX][CELLS_MAX] = { 0 };
		uint32_t rows = order_williams_rows(k), row[CELLS_MAX];

		for (uint32_t r = 0; r < rows; r++) {
			order_williams_row(k, r, row);
			for (uint32_t i = 1; i < k; i++)
				follows[row[i - 1]][row[i]]++;
		}
		for (uint32_t i = 0; i < k * k; i++) {
			unsigned got = follows[i / k][i % k];
			unsigned want = i / k == i % k ? 0 : rows / k;

			if (got != want)
				fail_msg("k %u: %u after %u: %u times, want %u",
					 k, i % k, i / k, got, want);
		}
	}
}

static void williams_blocks_balance_carry_over(void **state)
{
	static const uint32_t ks[] = { 4, 5 };

	(void)state;
	for (size_t c = 0; c < ARRAY_LEN(ks); c++) {
		uint32_t k = ks[c], cycle = order_williams_rows(k);
		struct order_spec s = {
			PLAN_WILLIAMS, 1, k,	  own_group, k,
			2 * cycle,     1, 11 + k, 0,	     false
		};
		unsigned follows[CELLS_MAX][CELLS_MAX] = { 0 };
		CLEANUP(cleanup_free) struct plan_trial *t = NULL;
		size_t n;

		t = ordered(&s, &n);
		for (size_t i = 1; i < n; i++) {
			if (t[i].block == t[i - 1].block)
				follows[t[i - 1].cell][t[i].cell]++;
		}
		for (uint32_t i = 0; i < k; i++) {
			for (uint32_t j = 0; j < k; j++)
				assert_int_equal(follows[i][j],
						 i == j ? 0 : 2 * cycle / k);
		}
	}
}

// Whether host h has block b, for each.
static void find_blocks(const struct order_spec *s, bool *has)
{
	CLEANUP(cleanup_free) struct plan_trial *t = NULL;
	size_t n;

	t = ordered(s, &n);
	memset(has, 0, (size_t)s->nhosts * s->blocks);
	for (size_t i = 0; i < n; i++)
		has[t[i].host * s->blocks + t[i].block] = true;
}

static void shared_blocks_have_one_host_each_and_warm_up_all(void **state)
{
	static const enum plan_order orders[] = { PLAN_BLOCKS, PLAN_WILLIAMS,
						  PLAN_SEQUENTIAL };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
		struct order_spec s = { orders[i], 3, 2, own_group, 2,
					9,	   2, 5, 2,	    true };
		bool has[3 * 9];

		find_blocks(&s, has);
		for (uint32_t b = 0; b < s.blocks; b++) {
			unsigned hosts = has[b] + has[9 + b] + has[18 + b];

			assert_int_equal(hosts, b < s.warmup ? 3 : 1);
		}
		// Seven rounds: three for the first host, two for the others.
		assert_true(has[2] && has[5] && has[8]);
	}
}

// A host more leaves what the others do as it was.
static void a_hosts_order_is_its_own(void **state)
{
	static const enum plan_order orders[] = { PLAN_BLOCKS, PLAN_WILLIAMS };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
		struct order_spec two = { orders[i], 2, 5,  own_group, 5,
					  7,	     1, 11, 0,	       false };
		struct order_spec three = two;
		CLEANUP(cleanup_free) struct plan_trial *a = NULL, *b = NULL;
		size_t n, more, per_host = 35, alike = 0;

		three.nhosts = 3;
		a = ordered(&two, &n);
		b = ordered(&three, &more);
		assert_memory_equal(a, b, n * sizeof(*a));
		for (size_t k = 0; k < per_host; k++)
			alike += a[k].cell == a[per_host + k].cell;
		assert_true(alike < per_host);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			each_cell_comes_once_in_a_block_per_repetition),
		cmocka_unit_test(positions_count_through_the_block),
		cmocka_unit_test(a_boot_holds_one_group_of_one_block_whole),
		cmocka_unit_test(sequential_runs_a_cell_to_its_end),
		cmocka_unit_test(the_seed_alone_decides_the_order),
		cmocka_unit_test(the_order_of_a_known_seed_stays),
		cmocka_unit_test(all_orders_are_equally_likely),
		cmocka_unit_test(a_williams_design_balances_what_follows_what),
		cmocka_unit_test(williams_blocks_balance_carry_over),
		cmocka_unit_test(
			shared_blocks_have_one_host_each_and_warm_up_all),
		cmocka_unit_test(a_hosts_order_is_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
