#include "tests/unit/unit.h"

#include <math.h>

#include "runner/agent/load_time.h"
#include "runner/base/clock.h"
#include "runner/base/compiler.h"

static void the_counter_is_used_only_when_constant_and_non_stop(void **state)
{
	static const struct {
		const char *cpuinfo;
		bool ok;
	} cases[] = {
		{ "", false },
		{ "processor\t: 0\n", false },
		{ "processor\t: 0\nflags\t\t: fpu constant_tsc nonstop_tsc x\n",
		  true },
		{ "a\nflags\t\t: nonstop_tsc fpu constant_tsc", true },
		{ "a\nflags\t\t: fpu constant_tsc\nbugs: nonstop_tsc\n",
		  false },
		{ "a\nflags\t\t: fpu constant_tsc_x nonstop_tsc\n", false },
		{ "a\nflags\t\t: xconstant_tsc nonstop_tsc\n", false },
		{ "a\nflags\t\t: xconstant_tsc constant_tsc nonstop_tsc\n",
		  true },
		{ "a\nvmx flags\t: constant_tsc nonstop_tsc\n", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (load_clock_cpuinfo_ok(cases[i].cpuinfo) != cases[i].ok)
			fail_msg("\"%s\": not %d", cases[i].cpuinfo,
				 cases[i].ok);
	}
}

static void check_agrees_with_monotonic(const struct load_clock *c)
{
	int64_t before = clock_mono_ns(), elapsed;
	uint64_t ticks = load_clock_stamp(c);

	clock_sleep_ns(30 * NS_PER_MS);
	elapsed = clock_mono_ns() - before;
	ticks = load_clock_stamp(c) - ticks;
	// The two were not read at one moment: a busy machine may put a
	// millisecond between them.
	assert_in_range(load_clock_ns(c, ticks),
			(uint64_t)elapsed * 9 / 10 - 5000000,
			(uint64_t)elapsed * 11 / 10 + 5000000);
	assert_true(fabs(load_clock_drift(c)) < 0.01);
}

static void both_clocks_agree_with_the_monotonic_one(void **state)
{
	struct load_clock c;

	(void)state;
	load_clock_init(&c);
	assert_non_null(c.why);
	check_agrees_with_monotonic(&c);
	load_clock_init_monotonic(&c);
	assert_false(c.tsc);
	check_agrees_with_monotonic(&c);
}

static void a_counter_that_leaves_the_clock_shows(void **state)
{
	struct load_clock c;

	(void)state;
	load_clock_init(&c);
	if (!c.tsc) {
		printf("no counter on this machine: nothing to drift\n");
		skip();
	}
	c.mult += c.mult / 10;
	assert_true(load_clock_drift(&c) > 0.05);
}

static void ticks_and_ns_convert_both_ways(void **state)
{
	static const uint64_t ns[] = { 0,	1,	    999,
				       1000000, 3000000000, 86400000000000 };
	struct load_clock c = { .mult = (1ULL << LOAD_CLOCK_SHIFT) / 3 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ns); i++) {
		uint64_t back = load_clock_ns(&c, load_clock_ticks(&c, ns[i]));

		assert_in_range(back, ns[i] == 0 ? 0 : ns[i] - 1, ns[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_counter_is_used_only_when_constant_and_non_stop),
		cmocka_unit_test(both_clocks_agree_with_the_monotonic_one),
		cmocka_unit_test(a_counter_that_leaves_the_clock_shows),
		cmocka_unit_test(ticks_and_ns_convert_both_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
