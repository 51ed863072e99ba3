#include "tests/unit/unit.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

#include "runner/base/clock.h"
#include "runner/base/compiler.h"

static void stamps_are_utc_in_both_forms(void **state)
{
	static const struct {
		int64_t s;
		const char *utc, *compact;
	} cases[] = {
		{ 0, "1970-01-01T00:00:00Z", "19700101T000000Z" },
		{ 951782400, "2000-02-29T00:00:00Z", "20000229T000000Z" },
		{ 1769862896, "2026-01-31T12:34:56Z", "20260131T123456Z" },
		{ 4102444799, "2099-12-31T23:59:59Z", "20991231T235959Z" },
	};
	char text[CLOCK_STAMP_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int64_t ns = cases[i].s * NS_PER_S + 999999999;

		clock_format_utc(ns, text);
		assert_string_equal(text, cases[i].utc);
		clock_format_compact(ns, text);
		assert_string_equal(text, cases[i].compact);
	}
}

static void monotonic_clocks_do_not_go_back(void **state)
{
	int64_t mono = clock_mono_ns(), boot = clock_boot_ns();

	(void)state;
	for (int i = 0; i < 1000; i++) {
		int64_t m = clock_mono_ns(), b = clock_boot_ns();

		assert_true(m >= mono && b >= boot);
		mono = m;
		boot = b;
	}
	assert_true(clock_wall_ns() > 1700000000 * NS_PER_S);
}

static void two_clocks_are_as_far_apart_as_they_are(void **state)
{
	int64_t wall = clock_apart_ns(clock_wall_ns, clock_boot_ns);
	int64_t none = clock_apart_ns(clock_mono_ns, clock_mono_ns);

	(void)state;
	assert_true(none <= 0 && none > -NS_PER_S);
	assert_true(wall > NS_PER_S);
	assert_true(llabs(clock_wall_ns() - clock_boot_ns() - wall) < NS_PER_S);
}

static void on_alarm(int sig)
{
	(void)sig;
}

static void sleep_goes_on_after_a_signal(void **state)
{
	struct sigaction sa = { .sa_handler = on_alarm };
	struct itimerval every = { { 0, 2000 }, { 0, 2000 } };
	struct itimerval never = { { 0, 0 }, { 0, 0 } };
	int64_t start;

	(void)state;
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	start = clock_mono_ns();
	clock_sleep_ns(20 * NS_PER_MS);
	assert_true(clock_mono_ns() - start >= 20 * NS_PER_MS);
	setitimer(ITIMER_REAL, &never, NULL);
}

static void sleeping_for_nothing_returns(void **state)
{
	(void)state;
	clock_sleep_ns(0);
	clock_sleep_ns(-5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stamps_are_utc_in_both_forms),
		cmocka_unit_test(monotonic_clocks_do_not_go_back),
		cmocka_unit_test(two_clocks_are_as_far_apart_as_they_are),
		cmocka_unit_test(sleep_goes_on_after_a_signal),
		cmocka_unit_test(sleeping_for_nothing_returns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
