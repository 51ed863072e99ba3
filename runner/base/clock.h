// Time. Monotonic for intervals, wall clock for stamps that people read.
#pragma once

#include <stdint.h>

enum {
	CLOCK_STAMP_MAX = 32,
};

#define NS_PER_US 1000LL
#define NS_PER_MS 1000000LL
#define NS_PER_S  1000000000LL

int64_t clock_mono_ns(void); // CLOCK_MONOTONIC
int64_t clock_boot_ns(void); // CLOCK_BOOTTIME: counts suspend, too
int64_t clock_wall_ns(void); // CLOCK_REALTIME, UTC

// What one of these says less what the other says, both read as close together
// as can be. Wall less boot changes when somebody sets the clock, and only
// then; boot less mono when the machine was suspended.
int64_t clock_apart_ns(int64_t (*one)(void), int64_t (*other)(void));

// "2026-01-31T12:34:56Z" of a wall clock time.
void clock_format_utc(int64_t wall_ns, char out[CLOCK_STAMP_MAX]);
// "20260131T123456Z", for names of files.
void clock_format_compact(int64_t wall_ns, char out[CLOCK_STAMP_MAX]);

void clock_sleep_ns(int64_t ns); // whole time, through interruptions
