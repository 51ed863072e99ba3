// How far a comparison reached: what it could have detected, and how much
// more of the same would take for a difference that matters. power.h applied
// to the noise that the comparison itself has seen.
#pragma once

#include <stddef.h>

#include "analysis/compare.h"

// Of one comparison at alpha / family (Holm's first step) and POWER_TARGET.
struct reach {
	double mde;  // ratio that so many rounds or trials detect; NaN: none
	double goal; // ratio to detect: the margin, PLANNING_SMALL without one
	// Rounds a host when blocked, else trials an arm; 0: more than can be
	// run, or not known. The second is by the upper limit of the noise
	// (PLANNING_UPPER_LEVEL), which is an estimate, too.
	size_t needed, needed_upper;
};

struct reach reach_of(const struct analysis *an,
		      const struct analysis_comparison *c);
