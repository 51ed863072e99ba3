// Blocked comparison on one host: a.x[r] and b.x[r] are the two arms in round
// r, NaN where the trial failed. Both samples have the same n (the shorter
// counts if not). A round counts when both arms have a finite figure; the
// others are dropped and counted. Several trials that shared a boot must be
// averaged first.
#pragma once

#include "analysis/effect.h"
#include "analysis/sample.h"

struct paired {
	struct effect effect;
	size_t rounds;	// complete rounds used
	size_t dropped; // rounds with one arm or none
};

// The default: w_r = b_r/mB - a_r/mA over complete rounds, L = ln(mB/mA),
// se^2 = sum w_r^2 / (n-1) / n, df = n-1. Effects of rounds that multiply
// both arms cancel, and L agrees with the displayed means (Kalibera & Jones
// 2013; Fieller's linearisation).
struct paired paired_ratio(struct sample a, struct sample b, double conf);

// t on ln(b_r/a_r): the ratio of geometric means; for the sequential rule.
// A figure <= 0 makes it undefined.
struct paired paired_log(struct sample a, struct sample b, double conf);

// For means <= 0, where no ratio exists: t on b_r - a_r.
struct paired_diff {
	double diff, se, df, t, p, lo, hi;
	size_t rounds, dropped;
};

struct paired_diff paired_diff(struct sample a, struct sample b, double conf);

// The contrasts w_r of paired_ratio, in order of rounds, for the diagnostics.
// Caller frees; `*n` is how many. Empty when the ratio is undefined.
double *paired_contrasts(struct sample a, struct sample b, size_t *n);
