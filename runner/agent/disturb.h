// What befalls the host in a trial from outside, and spoils its figures
// without any error: a suspend, CPUs throttled for heat, a clock that was
// set.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "runner/record/result.h"

enum {
	// Less is how far two readings of clocks may be apart.
	DISTURB_APART_MS = 100,
};

struct disturb {
	int64_t asleep_ns;  // suspended since the host's boot
	uint64_t throttles; // events since then; 0 where nobody counts them
	int64_t set_ns;	    // wall clock less uptime
};

void disturb_take(struct disturb *now);

// A note to the result for each that grew between two readings.
void disturb_note(const struct disturb *before, const struct disturb *after,
		  struct arena *a, struct result *r);

// Events of throttling for heat since the boot, of all cores and packages,
// below <root>/sys. False where the kernel does not count them.
bool disturb_throttles(const char *root, uint64_t *out) MUST_CHECK;
