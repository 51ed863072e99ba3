#include "runner/base/clock.h"

#include <errno.h>
#include <time.h>

enum {
	APART_TRIES = 5,
};

static int64_t now_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

int64_t clock_mono_ns(void)
{
	return now_ns(CLOCK_MONOTONIC);
}

int64_t clock_boot_ns(void)
{
	return now_ns(CLOCK_BOOTTIME);
}

int64_t clock_wall_ns(void)
{
	return now_ns(CLOCK_REALTIME);
}

// The quickest of some tries is the truest.
int64_t clock_apart_ns(int64_t (*one)(void), int64_t (*other)(void))
{
	int64_t best = INT64_MAX, apart = 0;

	for (int i = 0; i < APART_TRIES; i++) {
		int64_t from = clock_mono_ns();
		int64_t now = one() - other();
		int64_t took = clock_mono_ns() - from;

		if (took >= best)
			continue;
		best = took;
		apart = now;
	}
	return apart;
}

static struct tm utc(int64_t wall_ns)
{
	time_t s = (time_t)(wall_ns / NS_PER_S);
	struct tm tm = { 0 };

	gmtime_r(&s, &tm);
	return tm;
}

void clock_format_utc(int64_t wall_ns, char out[CLOCK_STAMP_MAX])
{
	struct tm tm = utc(wall_ns);

	strftime(out, CLOCK_STAMP_MAX, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

void clock_format_compact(int64_t wall_ns, char out[CLOCK_STAMP_MAX])
{
	struct tm tm = utc(wall_ns);

	strftime(out, CLOCK_STAMP_MAX, "%Y%m%dT%H%M%SZ", &tm);
}

void clock_sleep_ns(int64_t ns)
{
	struct timespec ts = { .tv_sec = ns / NS_PER_S,
			       .tv_nsec = ns % NS_PER_S };

	while (ns > 0 && clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, &ts) == EINTR)
		;
}
