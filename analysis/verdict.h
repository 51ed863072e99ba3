// The verdict of one comparison, from figures and diagnostics that were made
// elsewhere. A large p alone is inconclusive, never "no difference".
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analysis/effect.h"
#include "runner/record/result.h"

enum verdict_kind {
	VERDICT_INCONCLUSIVE,
	VERDICT_EQUIVALENT,
	VERDICT_FASTER,	   // B is better than A
	VERDICT_SLOWER,	   // B is worse than A
	VERDICT_DIFFERENT, // significant, and neither direction is better
};

// Why a verdict is inconclusive, in order of precedence: the first that holds
// is the reason. All but VERDICT_UNDECIDED are CHANGES rules: they overrule
// the tests.
enum verdict_reason {
	VERDICT_DECIDED, // not inconclusive
	VERDICT_NO_DATA,
	VERDICT_UNDEFINED_RATIO,   // a mean <= 0
	VERDICT_INSUFFICIENT_DATA, // < 2 trials or rounds in an arm
	VERDICT_ZERO_VARIANCE,
	VERDICT_CONFOUNDED, // order or boot tells the arms apart
	VERDICT_FAILURES,   // survivors are not the population
	VERDICT_MIXED,	    // hosts significantly disagree in sign
	VERDICT_METHOD_DEPENDENT,
	VERDICT_UNDECIDED, // neither test succeeded
};

// What the caller found; a bit each.
enum verdict_changes {
	VERDICT_IS_CONFOUNDED = 1 << 0,	      // diagnose_order
	VERDICT_HAS_FAILURES = 1 << 1,	      // diagnose_failures
	VERDICT_IS_MIXED = 1 << 2,	      // hosts_opposed
	VERDICT_IS_METHOD_DEPENDENT = 1 << 3, // diagnose_method_dependent
	VERDICT_ACCEPT_CONFOUNDED = 1 << 4,   // the user's --accept-confounded
	VERDICT_IS_EXACT = 1 << 5, // metric declared exact: no variance is fine
	VERDICT_HAS_ONE_BOOT = 1 << 6, // one boot served an arm: confounded
};

struct verdict_input {
	const struct effect *effect;
	size_t n_a, n_b; // trials, or complete rounds for both when blocked
	double p_diff;	 // adjusted (Holm) p of the effect, NaN if none
	double p_eq;	 // adjusted (Holm) p of effect_tost, NaN if none
	double alpha;
	double margin;	    // ratio, NaN or <= 0: no margin in the plan
	enum better better; // BETTER_NEITHER never gives faster or slower
	unsigned changes;   // verdict_changes
};

struct verdict {
	enum verdict_kind kind;
	enum verdict_reason reason;
	bool significant;    // p_diff <= alpha
	bool detectable;     // equivalent, yet p_diff <= alpha
	bool beyond_margin;  // different, and the interval is wholly outside
	bool accepted;	     // decided, though confounded: the user insisted
	bool lost_to_family; // the unadjusted p <= alpha, the adjusted is not
};

struct verdict verdict_decide(const struct verdict_input *in);

// "inconclusive", "equivalent", "faster", "slower", "different".
const char *verdict_kind_name(enum verdict_kind k);
// "better" and "worse" instead of faster and slower, for figures that are not
// speeds.
const char *verdict_kind_name_plain(enum verdict_kind k);
// "", "no-data", "insufficient-data", "zero-variance", "confounded", ...
const char *verdict_reason_name(enum verdict_reason r);
// The same, and "confounded-accepted" of a verdict that stands only because
// the user said so: no report shows it without that.
const char *verdict_reason_text(const struct verdict *v);
