#include "analysis/verdict.h"

#include <math.h>

#include "runner/base/compiler.h"

static bool is_exact(const struct verdict_input *in)
{
	return in->changes & VERDICT_IS_EXACT && in->effect->se == 0 &&
	       in->n_a > 0 && in->n_b > 0;
}

static bool has_no_data(const struct verdict_input *in)
{
	return in->n_a == 0 || in->n_b == 0;
}

static bool has_insufficient_data(const struct verdict_input *in)
{
	return in->n_a < 2 || in->n_b < 2 || isnan(in->effect->se);
}

static bool has_no_ratio(const struct verdict_input *in)
{
	return isnan(in->effect->log_ratio);
}

// One boot is one figure: that it served the arm says more than that there is
// one figure.
static bool has_one_boot(const struct verdict_input *in)
{
	return in->changes & VERDICT_HAS_ONE_BOOT &&
	       !(in->changes & VERDICT_ACCEPT_CONFOUNDED);
}

static bool has_no_variance(const struct verdict_input *in)
{
	return in->effect->se == 0 && !is_exact(in);
}

static bool is_confounded(const struct verdict_input *in)
{
	return in->changes & VERDICT_IS_CONFOUNDED &&
	       !(in->changes & VERDICT_ACCEPT_CONFOUNDED);
}

static bool has_failures(const struct verdict_input *in)
{
	return in->changes & VERDICT_HAS_FAILURES;
}

static bool is_mixed(const struct verdict_input *in)
{
	return in->changes & VERDICT_IS_MIXED;
}

static bool is_method_dependent(const struct verdict_input *in)
{
	return in->changes & VERDICT_IS_METHOD_DEPENDENT;
}

// The CHANGES rules, in order of precedence.
static const struct rule {
	bool (*holds)(const struct verdict_input *in);
	enum verdict_reason reason;
} rules[] = {
	{ has_no_data, VERDICT_NO_DATA },
	{ has_no_ratio, VERDICT_UNDEFINED_RATIO },
	{ has_one_boot, VERDICT_CONFOUNDED },
	{ has_insufficient_data, VERDICT_INSUFFICIENT_DATA },
	{ has_no_variance, VERDICT_ZERO_VARIANCE },
	{ is_confounded, VERDICT_CONFOUNDED },
	{ has_failures, VERDICT_FAILURES },
	{ is_mixed, VERDICT_MIXED },
	{ is_method_dependent, VERDICT_METHOD_DEPENDENT },
};

static enum verdict_reason changes_reason(const struct verdict_input *in)
{
	for (size_t i = 0; i < ARRAY_LEN(rules); i++)
		if (rules[i].holds(in))
			return rules[i].reason;
	return VERDICT_DECIDED;
}

static enum verdict_kind direction(const struct verdict_input *in)
{
	bool up = in->effect->log_ratio > 0;

	switch (in->better) {
	case BETTER_HIGHER:
		return up ? VERDICT_FASTER : VERDICT_SLOWER;
	case BETTER_LOWER:
		return up ? VERDICT_SLOWER : VERDICT_FASTER;
	case BETTER_NEITHER:
		break;
	}
	return VERDICT_DIFFERENT;
}

// The margin is symmetric on the log scale, as in effect_tost.
static bool is_beyond(const struct effect *e, double margin)
{
	return margin > 0 && (e->lo_pct > 100 * margin ||
			      e->hi_pct < 100 * (1 / (1 + margin) - 1));
}

// A metric that has no noise: what is seen is so.
static struct verdict decide_exact(const struct verdict_input *in)
{
	double l = in->effect->log_ratio;
	struct verdict v = { .significant = l != 0 };

	// Equal figures need no margin to be equal.
	if (l == 0 || (in->margin > 0 && fabs(l) < log1p(in->margin)))
		v.kind = VERDICT_EQUIVALENT;
	else
		v.kind = direction(in);
	v.detectable = v.kind == VERDICT_EQUIVALENT && l != 0;
	v.beyond_margin =
		v.kind != VERDICT_EQUIVALENT && in->margin > 0 && l != 0;
	return v;
}

static bool is_accepted(const struct verdict_input *in)
{
	return in->changes & VERDICT_ACCEPT_CONFOUNDED &&
	       in->changes & (VERDICT_IS_CONFOUNDED | VERDICT_HAS_ONE_BOOT);
}

static struct verdict decide(const struct verdict_input *in)
{
	struct verdict v = {
		.reason = changes_reason(in),
		.significant = in->p_diff <= in->alpha,
		.lost_to_family = in->effect->p <= in->alpha &&
				  !(in->p_diff <= in->alpha),
	};

	if (v.reason != VERDICT_DECIDED)
		return v;
	if (is_exact(in))
		return decide_exact(in);
	if (in->margin > 0 && in->p_eq <= in->alpha) {
		v.kind = VERDICT_EQUIVALENT;
		v.detectable = v.significant;
	} else if (v.significant) {
		v.kind = direction(in);
		v.beyond_margin = is_beyond(in->effect, in->margin);
	} else {
		v.reason = VERDICT_UNDECIDED;
	}
	return v;
}

struct verdict verdict_decide(const struct verdict_input *in)
{
	struct verdict v = decide(in);

	v.accepted = v.kind != VERDICT_INCONCLUSIVE && is_accepted(in);
	return v;
}

const char *verdict_kind_name(enum verdict_kind k)
{
	static const char *const names[] = {
		[VERDICT_INCONCLUSIVE] = "inconclusive",
		[VERDICT_EQUIVALENT] = "equivalent",
		[VERDICT_FASTER] = "faster",
		[VERDICT_SLOWER] = "slower",
		[VERDICT_DIFFERENT] = "different",
	};

	return names[k];
}

const char *verdict_kind_name_plain(enum verdict_kind k)
{
	if (k == VERDICT_FASTER)
		return "better";
	return k == VERDICT_SLOWER ? "worse" : verdict_kind_name(k);
}

const char *verdict_reason_name(enum verdict_reason r)
{
	static const char *const names[] = {
		[VERDICT_DECIDED] = "",
		[VERDICT_NO_DATA] = "no-data",
		[VERDICT_INSUFFICIENT_DATA] = "insufficient-data",
		[VERDICT_UNDEFINED_RATIO] = "undefined-ratio",
		[VERDICT_ZERO_VARIANCE] = "zero-variance",
		[VERDICT_CONFOUNDED] = "confounded",
		[VERDICT_FAILURES] = "failures",
		[VERDICT_MIXED] = "mixed",
		[VERDICT_METHOD_DEPENDENT] = "method-dependent",
		[VERDICT_UNDECIDED] = "undecided",
	};

	return names[r];
}

const char *verdict_reason_text(const struct verdict *v)
{
	return v->accepted ? "confounded-accepted"
			   : verdict_reason_name(v->reason);
}
