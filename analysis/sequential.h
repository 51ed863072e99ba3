// Early stopping without false claims: group-sequential boundaries by
// alpha spending (Lan & DeMets 1983, Kim & DeMets 1987; Jennison & Turnbull
// 2000), and a rule that holds at any time for stops that nobody planned.
//
// The statistic at a look after n complete rounds is Student's t of the
// per-round contrasts d_r = ln(b_r/a_r), hosts averaged per round. For m
// comparisons in a family use alpha/m.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
	SEQUENTIAL_LOOKS_MAX = 1000,
	SEQUENTIAL_PATHS = 1000000,
	SEQUENTIAL_SEED = 20240229,
};

enum sequential_spend {
	SEQUENTIAL_KD2,	   // alpha t^2 (Kim & DeMets): the rule used here
	SEQUENTIAL_OBF,	   // 4 (1 - Phi(z_{1-alpha/4} / sqrt t))
	SEQUENTIAL_POCOCK, // alpha ln(1 + (e-1) t)
};

// Alpha spent at information fraction t; t is clipped to [0, 1].
double sequential_spent(enum sequential_spend s, double alpha, double t);

// Two-sided symmetric boundaries for |Z_k|, by recursive integration
// (Armitage, McPherson & Rowe 1969). info[0..n-1] ascending in (0, 1].
// z[k] is Inf where nothing is left to spend. Returns 0, or -1 for fractions
// that do not ascend, n = 0, or when the numerics fail; `z` is then
// undefined.
int sequential_z_bounds(const double *info, size_t n, enum sequential_spend s,
			double alpha, double *z);

// Boundaries for |t_{n-1}| at the given numbers of rounds, calibrated on
// simulated paths: pivotal, true for any SD. The first is exact, the others
// are good to about 1 % with SEQUENTIAL_PATHS. Deterministic in (plan, seed).
struct sequential_plan {
	const size_t *looks; // rounds at each look, ascending, >= 2
	size_t n;	     // <= SEQUENTIAL_LOOKS_MAX
	size_t n_max;	     // rounds at which all of alpha is spent
	double alpha;
	enum sequential_spend spend;
	size_t paths;
	uint64_t seed;
};

// Returns 0 or -1 as sequential_z_bounds; Inf where nothing is to be spent.
int sequential_t_bounds(const struct sequential_plan *p, double *crit);

// What to do at a look.
enum sequential_action {
	SEQUENTIAL_CONTINUE,
	SEQUENTIAL_EQUIVALENT,
	SEQUENTIAL_DIFFERENT,
	SEQUENTIAL_PRECISE,   // as narrow as asked; the interval decides
	SEQUENTIAL_EXHAUSTED, // N_max: inconclusive
};

struct sequential_look {
	size_t n, n_max;   // rounds so far, and at most
	double mean, se;   // of the d_r
	double crit;	   // c_k, calibrated at alpha
	double crit_eq;	   // e_k, calibrated at 2 alpha
	double margin;	   // ratio; NaN or <= 0: none
	double half_width; // wanted on the log scale; NaN or <= 0: none
};

// A look without variance (se 0 or NaN) never decides: it goes on.
enum sequential_action sequential_decide(const struct sequential_look *k);

// Repeated interval mean +- c_k se: valid at every look (Jennison & Turnbull
// 1989), in per cent. Show it instead of the point, which is biased outwards
// after an early stop.
struct sequential_interval {
	double lo_pct, hi_pct; // infinite bounds: -100, Inf
};

struct sequential_interval sequential_interval(const struct sequential_look *k);

// The anytime-valid t test: an e-process by a normal mixture on the effect
// size with variance c2 (Lindon et al. 2022, Wang & Ramdas 2023). E = sqrt(
// c2/(n+c2)) ((1+t^2/nu)/(1+t^2 c2/(nu(n+c2))))^{n/2}. n < 2 or NaN: all NaN.
struct sequential_anytime {
	double e_value;
	double p;    // min(1, 1/E)
	double crit; // |t| at which p is alpha; Inf if no t reaches it
};

struct sequential_anytime sequential_anytime(size_t n, double t, double c2,
					     double alpha);
