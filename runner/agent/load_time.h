// Stamps for the load loop: the time-stamp counter where the kernel itself
// trusts it, else CLOCK_MONOTONIC. A stamp is in ticks; conversion to ns is
// apart, so that the loop pays for it once a batch.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "runner/base/err.h"

enum {
	LOAD_CLOCK_CALIBRATE_NS = 20 * 1000 * 1000,
	LOAD_CLOCK_SHIFT = 32, // ns = ticks * mult >> LOAD_CLOCK_SHIFT
};

struct load_clock {
	bool tsc;
	const char *why; // what was chosen and why, for the record
	uint64_t mult;	 // of one tick, in ns << LOAD_CLOCK_SHIFT
	uint64_t start_ticks;
	int64_t start_ns; // CLOCK_MONOTONIC at start_ticks
};

// Chooses and calibrates; takes LOAD_CLOCK_CALIBRATE_NS for the TSC.
void load_clock_init(struct load_clock *c);
// CLOCK_MONOTONIC whatever the machine has.
void load_clock_init_monotonic(struct load_clock *c);

// The calibration checked over all the time since init: the relative
// difference between elapsed ticks in ns and CLOCK_MONOTONIC. 0 without TSC.
double load_clock_drift(const struct load_clock *c);

// Does /proc/cpuinfo text say that the TSC runs at one rate and never stops?
bool load_clock_cpuinfo_ok(const char *cpuinfo);

static inline uint64_t load_clock_monotonic(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000U + (uint64_t)ts.tv_nsec;
}

static inline uint64_t load_clock_stamp(const struct load_clock *c)
{
#if defined(__x86_64__)
	if (c->tsc)
		return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	if (c->tsc) {
		uint64_t v;

		// The generic timer's counter: constant by architecture.
		__asm__ volatile("mrs %0, cntvct_el0" : "=r"(v)::"memory");
		return v;
	}
#else
	(void)c;
#endif
	return load_clock_monotonic();
}

static inline uint64_t load_clock_ns(const struct load_clock *c, uint64_t ticks)
{
	return (uint64_t)(((unsigned __int128)ticks * c->mult) >>
			  LOAD_CLOCK_SHIFT);
}

static inline uint64_t load_clock_ticks(const struct load_clock *c, uint64_t ns)
{
	return (uint64_t)(((unsigned __int128)ns << LOAD_CLOCK_SHIFT) /
			  c->mult);
}
