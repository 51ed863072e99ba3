#include "tests/unit/unit.h"

#include <string.h>

#include "runner/agent/disturb.h"
#include "runner/base/clock.h"
#include "tests/fake/root.h"

static void each_disturbance_is_noted_and_nothing_else(void **state)
{
	static const struct {
		struct disturb before, after;
		const char *note; // "" = none
	} cases[] = {
		{ { 0, 0, 0 }, { 0, 0, 0 }, "" },
		{ { 7 * NS_PER_S, 5, 0 },
		  { 7 * NS_PER_S + NS_PER_MS, 5, 0 },
		  "" },
		{ { 0, 0, 0 },
		  { 2 * NS_PER_S, 0, 0 },
		  "the host was suspended" },
		{ { 0, 5, 0 }, { 0, 6, 0 }, "throttled for heat" },
		// A CPU that went offline takes its count with it.
		{ { 2 * NS_PER_S, 6, 0 }, { 0, 5, 0 }, "" },
		{ { 0, 0, NS_PER_S }, { 0, 0, 0 }, "clock" },
		{ { 0, 0, 0 }, { 0, 0, NS_PER_S }, "clock" },
		{ { 0, 0, -NS_PER_MS }, { 0, 0, NS_PER_MS }, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		struct result *r = result_new(a);
		size_t want = cases[i].note[0] != '\0';

		disturb_note(&cases[i].before, &cases[i].after, a, r);
		if (r->nnotes != want ||
		    (want && strstr(r->notes[0], cases[i].note) == NULL))
			fail_msg("case %zu: %zu notes, %s", i, r->nnotes,
				 r->nnotes ? r->notes[0] : "none");
		assert_int_equal(r->outcome, OUTCOME_OK);
	}
}

static void throttling_is_summed_over_the_cpus_that_count_it(void **state)
{
	static const char cpus[] = "/sys/devices/system/cpu";
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	CLEANUP(cleanup_free)
	char *core = xasprintf("%s/cpu0/thermal_throttle/"
			       "core_throttle_count",
			       cpus);
	CLEANUP(cleanup_free)
	char *package = xasprintf("%s/cpu10/thermal_throttle/"
				  "package_throttle_count",
				  cpus);
	CLEANUP(cleanup_free)
	char *other = xasprintf("%s/cpufreq/thermal_throttle/"
				"core_throttle_count",
				cpus);
	uint64_t n = 99;

	(void)state;
	assert_false(disturb_throttles(root, &n));
	fake_root_put(root, other, "5\n");
	assert_false(disturb_throttles(root, &n));
	assert_int_equal(n, 99);
	fake_root_put(root, core, "0\n");
	assert_true(disturb_throttles(root, &n));
	assert_int_equal(n, 0);
	fake_root_put(root, core, "3\n");
	fake_root_put(root, package, "4\n");
	assert_true(disturb_throttles(root, &n));
	assert_int_equal(n, 7);
}

static void a_host_that_is_awake_is_not_said_to_sleep(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct result *r = result_new(a);
	struct disturb before, after;

	(void)state;
	disturb_take(&before);
	clock_sleep_ns(150 * NS_PER_MS);
	disturb_take(&after);
	after.throttles = before.throttles; // that may be true
	disturb_note(&before, &after, a, r);
	assert_int_equal(r->nnotes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_disturbance_is_noted_and_nothing_else),
		cmocka_unit_test(
			throttling_is_summed_over_the_cpus_that_count_it),
		cmocka_unit_test(a_host_that_is_awake_is_not_said_to_sleep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
