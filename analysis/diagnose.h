// Diagnostics of a comparison. "CHANGES" ones feed verdict.h, the others
// warn. None ever drops a value: removing outliers doubles the rate of false
// claims.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analysis/effect.h"
#include "analysis/sample.h"

// Do the arms run in order instead of interleaved? CHANGES.
// auc = P(index of B > index of A) + ties/2 over all pairs of trials
// (Mann-Whitney); confounded at auc >= threshold or <= 1 - threshold.
// is_b[i]: was the i-th trial to run one of B? An arm without trials:
// auc NaN, not confounded.
struct diagnose_order {
	double auc;
	size_t max_run; // longest run of one arm
	bool confounded;
};

#define DIAGNOSE_ORDER_THRESHOLD 0.9

struct diagnose_order diagnose_order(const bool *is_b, size_t n,
				     double threshold);

// Do the arms differ in failures (Fisher 1935, exact, two-sided p < alpha),
// or did more than a fifth of an arm fail? CHANGES. `total` counts all
// trials of the arm, failed ones included.
struct diagnose_failures {
	double p;		 // NaN when an arm is empty
	double share_a, share_b; // failed, 0..1; 0 when empty
	bool differ;		 // p < alpha
	bool too_many;		 // a share > 0.2
};

struct diagnose_arm {
	size_t failed, total;
};

struct diagnose_failures diagnose_failures(struct diagnose_arm a,
					   struct diagnose_arm b, double alpha);

// Two-sided exact p of a 2x2 table with fixed margins (Fisher 1935).
double diagnose_fisher(struct diagnose_arm a, struct diagnose_arm b);

// Tukey's fences q1 - k IQR, q3 + k IQR (k = 1.5 mild, 3 severe) and the
// greatest modified z = 0.6745 |x - med| / MAD (Iglewicz & Hoaglin 1993; Inf
// when MAD is 0 and x differs). Indices are those of `x`, from 0; non-finite
// values are never outliers. n < 1: NaN.
enum diagnose_outlier {
	DIAGNOSE_INSIDE,
	DIAGNOSE_MILD,
	DIAGNOSE_SEVERE
};

struct diagnose_outliers {
	double q1, q3;
	size_t mild, severe; // how many of each; severe ones are not mild
	double modz_max;     // > 3.5 warns
};

// `flag`, unless NULL, has room for x.n.
struct diagnose_outliers diagnose_outliers(struct sample x,
					   enum diagnose_outlier *flag);
bool diagnose_outliers_warn(const struct diagnose_outliers *o);

// The best split of the sorted values in two (Engelman & Hartigan 1969):
// r2 = between-SS / total-SS, each side at least max(2, ceil(min_frac n)).
// n < 4 or no variance: r2 NaN. Of 40,000 normal samples each of n = 5 to 50
// it warns of 0.8 to 1.1 %, of n = 100, beyond the table of critical values, of
// 0.03 %: in a report of k series that show nothing, of any with about k %.
struct diagnose_clusters {
	double r2;
	double critical; // 99 % of r2 for normal data, by n; NaN for n < 5
	size_t split;	 // values in the lower cluster
	double low_mean, high_mean;
	double apart; // high_mean / low_mean - 1; NaN unless low_mean > 0
	bool warn;    // r2 > critical: two modes
};

#define DIAGNOSE_CLUSTER_FRAC 0.15

struct diagnose_clusters diagnose_clusters(struct sample x, double min_frac);

// Does leaving out one trial (one round, when blocked) flip significance?
// Warns. Uses twosample_ratio, or paired_ratio when `paired`. An arm of more
// than DIAGNOSE_FRAGILITY_MAX hangs on no single trial: not fragile, unasked.
enum {
	DIAGNOSE_FRAGILITY_MAX = 1000
};

struct diagnose_fragility {
	bool significant; // of all data, p <= alpha
	bool fragile;
	size_t nflips;
};

struct diagnose_pair {
	struct sample a, b;
	bool paired;
};

// `flip_a`, `flip_b`, unless NULL, have room for a.n and b.n: would leaving
// out this trial flip it? When paired a round flips both. Untouched for arms
// over the limit.
struct diagnose_fragility diagnose_fragility(const struct diagnose_pair *d,
					     double alpha, bool *flip_a,
					     bool *flip_b);

// Do t and the exact sign-flip test of the contrasts `w` fall on different
// sides of alpha, where an outlier or cluster warning (`warned`) makes one
// ask (n >= 8)? CHANGES.
bool diagnose_method_dependent(struct sample w, double p_t, bool warned,
			       double alpha);

// Does the order inside a round matter? Welch's t between the contrasts of
// rounds where A ran before B and the others; p NaN unless both kinds have
// two. Warns at p < 0.01. a_first[r] belongs to w.x[r].
struct diagnose_slot {
	double diff; // mean w of rounds with A first, minus the others
	double t, df, p;
};

struct diagnose_slot diagnose_slot(struct sample w, const bool *a_first);

// Externally studentised residual of the first value against the others:
// over 3, a warm-up that the plan did not take out. n < 4 or no variance of
// the others: NaN.
double diagnose_warmup(struct sample w);

// Is the SD below what the resolution of the figure alone would give,
// resolution / sqrt 12? `resolution` is the least distance between two
// different values. n < 2: false.
bool diagnose_quantised(struct sample x, double resolution);
