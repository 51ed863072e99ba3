#include "tests/unit/unit.h"

#include <math.h>

#include "runner/agent/load_time.h"
#include "runner/base/clock.h"
#include "runner/base/compiler.h"

static void the_counter_is_trusted_only_with_both_flags(void **state)
{
	static const struct {
		const char *cpuinfo;
		bool ok;
	} cases[] = {
		{ "processor\t: 0\nflags\t\t: fpu tsc constant_tsc "
		  "nonstop_tsc aes\n",
		  true },
		{ "processor\t: 0\nflags\t\t: constant_tsc nonstop_tsc", true },
		{ "processor\t: 0\nflags\t\t: fpu tsc constant_tsc aes\n",
		  false },
		{ "processor\t: 0\nflags\t\t: nonstop_tsc\n", false },
		{ "processor\t: 0\nflags\t\t: constant_tsc nonstop_tsc_s3\n",
		  false },
		{ "processor\t: 0\nflags\t\t: xconstant_tsc nonstop_tsc\n",
		  false },
		{ "a\nflags\t\t: fpu\nbugs\t: constant_tsc nonstop_tsc\n",
		  false },
		{ "", false },
		{ "flags", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (load_clock_cpuinfo_ok(cases[i].cpuinfo) != cases[i].ok)
			fail_msg("\"%s\": not %d", cases[i].cpuinfo,
				 cases[i].ok);
}

static void without_a_counter_ticks_are_nanoseconds(void **state)
{
	static const uint64_t values[] = { 0, 1, 999, 1000000007, 1ULL << 62 };
	struct load_clock c;

	(void)state;
	load_clock_init_monotonic(&c);
	assert_false(c.tsc);
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		assert_int_equal(load_clock_ns(&c, values[i]), values[i]);
		assert_int_equal(load_clock_ticks(&c, values[i]), values[i]);
	}
	assert_true(load_clock_drift(&c) == 0);
}

// 5 GHz, 100 MHz and 1 Hz less than 1 GHz, over up to a day.
static void ticks_and_nanoseconds_convert_both_ways(void **state)
{
	static const double hz[] = { 5e9, 1e8, 999999999 };
	static const uint64_t ns[] = { 1000, 1000000007, 86400000000000ULL };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(hz) * ARRAY_LEN(ns); i++) {
		uint64_t n = ns[i % ARRAY_LEN(ns)], back;
		double f = hz[i / ARRAY_LEN(ns)];
		struct load_clock c = {
			.mult = (uint64_t)(1e9 / f * 4294967296.0),
		};

		back = load_clock_ns(&c, load_clock_ticks(&c, n));
		if (fabs((double)back - (double)n) > 1e9 / f + 1)
			fail_msg("%.0f Hz: %llu ns became %llu", f,
				 (unsigned long long)n,
				 (unsigned long long)back);
	}
}

static void the_clock_of_this_machine_agrees_with_the_kernels(void **state)
{
	struct load_clock c;
	uint64_t a, b;

	(void)state;
	load_clock_init(&c);
	assert_non_null(c.why);
	a = load_clock_stamp(&c);
	clock_sleep_ns(20 * NS_PER_MS);
	b = load_clock_stamp(&c);
	// It slept at least so long; and a counter that drifts by 0.1 % in
	// this time is none.
	assert_true(load_clock_ns(&c, b - a) >= 19 * (uint64_t)NS_PER_MS);
	assert_true(fabs(load_clock_drift(&c)) < 1e-3);
}

static void a_counter_that_leaves_the_clock_shows(void **state)
{
	struct load_clock c;

	(void)state;
	load_clock_init(&c);
	if (!c.tsc) {
		print_message("no counter here: %s\n", c.why);
		skip();
	}
	c.mult += c.mult / 100;
	clock_sleep_ns(5 * NS_PER_MS);
	assert_true(fabs(load_clock_drift(&c) - 0.01) < 1e-3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_counter_is_trusted_only_with_both_flags),
		cmocka_unit_test(without_a_counter_ticks_are_nanoseconds),
		cmocka_unit_test(ticks_and_nanoseconds_convert_both_ways),
		cmocka_unit_test(
			the_clock_of_this_machine_agrees_with_the_kernels),
		cmocka_unit_test(a_counter_that_leaves_the_clock_shows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
