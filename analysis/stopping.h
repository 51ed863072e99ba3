// The stopping rule of a campaign: records in, decision out. After every round
// that is complete on all hosts each comparison is looked at by the
// group-sequential t of sequential.h, on the contrasts ln(b/a) of its rounds,
// hosts averaged per round. A comparison is decided at the first look that
// gives an answer and stays so; the rule stops when all of them are.
//
// The decision is a function of the records and of how many rounds are
// complete, so that a campaign that goes on after a crash, and a report made
// at any time, come to the same one.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/arms.h"
#include "analysis/compare.h"
#include "analysis/sequential.h"
#include "runner/base/err.h"

enum {
	STOPPING_ROUNDS_MAX = SEQUENTIAL_LOOKS_MAX,
};

struct stopping_rule {
	size_t min_rounds, max_rounds; // looks at every round from min to max
	double alpha;		       // of the family
	size_t family;		       // comparisons: alpha / family each
	double margin;	   // equivalent within it decides; NaN: does not
	double half_width; // so precise decides, log scale; NaN: does not
};

// crit[k] and crit_eq[k] (at twice alpha) belong to min_rounds + k rounds.
// Inf where nothing is to be spent.
struct stopping_bounds {
	size_t n;
	double *crit, *crit_eq; // owned
};

struct stopping_test {
	struct stopping_rule rule;
	struct stopping_bounds bounds;
};

void stopping_bounds_init(struct stopping_bounds *b, size_t n);
void stopping_bounds_deinit(struct stopping_bounds *b); // for CLEANUP, too
// By simulation (sequential_t_bounds), some seconds with SEQUENTIAL_PATHS.
// Returns -1 for a rule without looks or with more than STOPPING_ROUNDS_MAX.
int stopping_calibrate(const struct stopping_rule *r, size_t paths,
		       struct stopping_bounds *out);

struct stopping_comparison {
	uint32_t cell, baseline, metric;
	enum sequential_action action; // CONTINUE: not decided
	size_t round;		       // of the look below, from 1
	// The look that decided, else the last one; n is 0 before the first.
	struct sequential_look look;
	bool autocorrelated; // its se is of n_eff contrasts (serial.h)
};

struct stopping {
	struct stopping_rule rule;
	size_t rounds; // complete on every host
	bool stopped;  // every comparison is decided
	size_t at;     // the round that decided the last of them
	struct stopping_comparison *comparisons; // in the order of compare_run
	size_t n;
};

// `rounds`: how many are complete on every host, without the warm-up ones,
// which `ds` leaves out. Trials of later rounds are not looked at. NULL with an
// error for what compare_pairs refuses.
struct stopping *stopping_look(const struct dataset *ds,
			       const struct compare_spec *spec,
			       const struct stopping_test *test, size_t rounds,
			       struct err *e) MUST_CHECK;
void stopping_free(struct stopping *s);
void stopping_freep(struct stopping **s);

// The contrasts of the complete rounds of one pair: d_r = ln(b_r/a_r), hosts
// averaged per round. Round r (without warm-up) is at index r; NaN where no
// host has both figures. Caller frees.
double *stopping_contrasts(const struct arms_index *ix,
			   const struct analysis_comparison *c, size_t rounds);

// Replaces what a test of fixed size says in `an`, made by compare_run from
// the same dataset: effects and intervals become the repeated ones, L +- c_k
// se (Jennison & Turnbull 1989), which hold however often one looks; p values
// become NaN, as the number of rounds depended on the figures; verdicts become
// the rule's, unless a diagnostic overruled them.
void stopping_apply(const struct stopping *s, struct analysis *an);

// What to expect of one comparison, by simulation of normal contrasts.
struct stopping_truth {
	double effect; // ratio: 0.02
	double sd_log; // of a contrast
};

struct stopping_expectation {
	double rounds;		      // mean
	double different, equivalent; // shares of the campaigns
};

struct stopping_expectation stopping_expect(const struct stopping_test *t,
					    struct stopping_truth truth,
					    size_t campaigns);

// "different", "equivalent", "precise enough", "still open after the last
// round", "not decided".
const char *stopping_action_text(enum sequential_action a);
