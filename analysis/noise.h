// A/A: a baseline compared with itself. What such a campaign tells: how large
// a difference noise alone makes (the noise floor), and whether the setup can
// be trusted to find none where there is none.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analysis/compare.h"

enum noise_trust {
	NOISE_TRUSTED,
	NOISE_WARNED,	  // no difference was found, but two modes, a drift,
			  // autocorrelation or an effect of the order; an
			  // outlier alone is what noise looks like
	NOISE_DISTRUSTED, // the arms differ, or could not be compared
};

struct noise_floor {
	uint32_t metric;
	double cv;	 // of a trial, over both arms; hosts apart
	double sd_round; // SD of a round's ln(b/a), hosts averaged; a ratio
	double half_pct; // half the interval of A2 against A1, per cent
	double mde;	 // ratio that as many rounds detect (POWER_TARGET)
};

// Figures that the comparison does not give are NaN.
struct noise_floor noise_floor_of(const struct analysis *an,
				  const struct analysis_comparison *c);
// Of all comparisons of the analysis, the worst.
enum noise_trust noise_trust(const struct analysis *an);
// Whether one comparison, of alike arms, speaks against the setup.
bool noise_is_contradiction(const struct analysis_comparison *c);
