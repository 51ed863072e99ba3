// Exact and rank tests: permutation distributions without a model of the
// noise. Cross-checks beside t; they cannot reach p = .05 for very few
// values, which p_min tells.
#pragma once

#include "analysis/sample.h"

enum {
	EXACT_FLIP_MAX = 20, // enumerates up to 2^20 signs
	EXACT_FLIP_DRAWS = 100000,
	EXACT_FLIP_WORK = 50000000, // flips in all; fewer draws if n is great
	EXACT_RANK_MAX = 100,	    // values for which rank tests are exact
};

// Sign-flip test of mean 0 (Fisher 1935): the share of all 2^n sign patterns
// with |sum| >= observed. Above EXACT_FLIP_MAX values: of EXACT_FLIP_DRAWS
// random patterns (EXACT_FLIP_WORK / n, if fewer), the observed one counted
// in, with a fixed seed. n = 0: NaN.
struct exact_flip {
	size_t n;
	double p;
	double p_min; // the least p that n values can give: 2^(1-n)
};

struct exact_flip exact_sign_flip(struct sample d);

// Signed rank (Wilcoxon 1945): zeros are dropped, ties get midranks. V is the
// rank sum of the positive ones. p is exact up to EXACT_RANK_MAX values, NaN
// beyond or for n = 0.
struct exact_signed_rank {
	size_t n; // values other than 0
	double v, p;
};

struct exact_signed_rank exact_signed_rank(struct sample d);

// Mann & Whitney 1947: U of A with midranks. p_exact is the share of all
// splits with |U - mu| >= observed, NaN above EXACT_RANK_MAX values in all;
// p_asym is normal, corrected for ties and continuity. An empty arm: NaN.
struct exact_mann_whitney {
	double u_a;
	double p_exact, p_asym;
};

struct exact_mann_whitney exact_mann_whitney(struct sample a, struct sample b);
