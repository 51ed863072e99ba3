#include "tests/unit/numbers.h"

#include "analysis/verdict.h"

// An effect, a plan and what the caller found, to a verdict. p values are the
// effect's own: a family of one.
struct given {
	const char *name;
	double log_ratio, se;
	size_t n;
	double margin;
	enum better better;
	unsigned changes;
	enum verdict_kind kind;
	enum verdict_reason reason;
	bool detectable, beyond;
};

static struct verdict decide(const struct given *g)
{
	struct effect e = effect_make(g->log_ratio, g->se, 9, .95);
	struct verdict_input in = { .effect = &e,
				    .n_a = g->n,
				    .n_b = g->n,
				    .p_diff = e.p,
				    .p_eq = effect_tost(&e, g->margin, .05).p,
				    .alpha = .05,
				    .margin = g->margin,
				    .better = g->better,
				    .changes = g->changes };

	return verdict_decide(&in);
}

#define H BETTER_HIGHER
#define L BETTER_LOWER
#define N BETTER_NEITHER

static const struct given cases[] = {
	{ "more is faster", .05, .01, 10, .02, H, 0, VERDICT_FASTER,
	  VERDICT_DECIDED, false, true },
	{ "more time is slower", .05, .01, 10, .02, L, 0, VERDICT_SLOWER,
	  VERDICT_DECIDED, false, true },
	{ "less is slower", -.05, .01, 10, .02, H, 0, VERDICT_SLOWER,
	  VERDICT_DECIDED, false, true },
	{ "less time is faster", -.05, .01, 10, .02, L, 0, VERDICT_FASTER,
	  VERDICT_DECIDED, false, true },
	{ "no direction", .05, .01, 10, .02, N, 0, VERDICT_DIFFERENT,
	  VERDICT_DECIDED, false, true },
	{ "no margin", .05, .01, 10, NAN, H, 0, VERDICT_FASTER, VERDICT_DECIDED,
	  false, false },
	{ "not beyond the margin", .03, .01, 10, .02, H, 0, VERDICT_FASTER,
	  VERDICT_DECIDED, false, false },
	{ "equivalent", .001, .005, 10, .02, H, 0, VERDICT_EQUIVALENT,
	  VERDICT_DECIDED, false, false },
	{ "equivalent, detectable", .01, .002, 10, .02, H, 0,
	  VERDICT_EQUIVALENT, VERDICT_DECIDED, true, false },
	{ "no margin, nothing equivalent", .001, .005, 10, NAN, H, 0,
	  VERDICT_INCONCLUSIVE, VERDICT_UNDECIDED, false, false },
	{ "a large p alone", .01, .02, 10, .02, H, 0, VERDICT_INCONCLUSIVE,
	  VERDICT_UNDECIDED, false, false },
	{ "no data", NAN, NAN, 0, .02, H, 0, VERDICT_INCONCLUSIVE,
	  VERDICT_NO_DATA, false, false },
	{ "one each", .05, NAN, 1, .02, H, 0, VERDICT_INCONCLUSIVE,
	  VERDICT_INSUFFICIENT_DATA, false, false },
	{ "no ratio", NAN, NAN, 5, .02, H, 0, VERDICT_INCONCLUSIVE,
	  VERDICT_UNDEFINED_RATIO, false, false },
	{ "no variance", .05, 0, 5, .02, H, 0, VERDICT_INCONCLUSIVE,
	  VERDICT_ZERO_VARIANCE, false, false },
	{ "exact", .05, 0, 5, .02, H, VERDICT_IS_EXACT, VERDICT_FASTER,
	  VERDICT_DECIDED, false, true },
	{ "exact, within", .01, 0, 5, .02, H, VERDICT_IS_EXACT,
	  VERDICT_EQUIVALENT, VERDICT_DECIDED, true, false },
	{ "exact, equal", 0, 0, 5, .02, H, VERDICT_IS_EXACT, VERDICT_EQUIVALENT,
	  VERDICT_DECIDED, false, false },
	{ "exact, equal, no margin", 0, 0, 5, NAN, H, VERDICT_IS_EXACT,
	  VERDICT_EQUIVALENT, VERDICT_DECIDED, false, false },
	{ "exact, yet it varies", .05, .04, 5, .02, H, VERDICT_IS_EXACT,
	  VERDICT_INCONCLUSIVE, VERDICT_UNDECIDED, false, false },
	{ "confounded", .05, .01, 10, .02, H, VERDICT_IS_CONFOUNDED,
	  VERDICT_INCONCLUSIVE, VERDICT_CONFOUNDED, false, false },
	{ "confounded, accepted", .05, .01, 10, .02, H,
	  VERDICT_IS_CONFOUNDED | VERDICT_ACCEPT_CONFOUNDED, VERDICT_FASTER,
	  VERDICT_DECIDED, false, true },
	{ "failures", .05, .01, 10, .02, H, VERDICT_HAS_FAILURES,
	  VERDICT_INCONCLUSIVE, VERDICT_FAILURES, false, false },
	{ "mixed", .05, .01, 10, .02, H, VERDICT_IS_MIXED, VERDICT_INCONCLUSIVE,
	  VERDICT_MIXED, false, false },
	{ "method", .05, .01, 10, .02, H, VERDICT_IS_METHOD_DEPENDENT,
	  VERDICT_INCONCLUSIVE, VERDICT_METHOD_DEPENDENT, false, false },
	{ "the first reason counts", .05, 0, 10, .02, H,
	  VERDICT_IS_MIXED | VERDICT_IS_CONFOUNDED, VERDICT_INCONCLUSIVE,
	  VERDICT_ZERO_VARIANCE, false, false },
};

static void verdicts_follow_the_rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct given *g = &cases[i];
		struct verdict v = decide(g);

		bool accepted = g->changes & VERDICT_ACCEPT_CONFOUNDED;

		assert_int_equal(v.accepted, accepted);
		assert_string_equal(verdict_reason_text(&v),
				    accepted ? "confounded-accepted"
					     : verdict_reason_name(g->reason));
		if (v.kind == g->kind && v.reason == g->reason &&
		    v.detectable == g->detectable &&
		    v.beyond_margin == g->beyond)
			continue;
		fail_msg("%s: %s (%s), detectable %d, beyond %d", g->name,
			 verdict_kind_name(v.kind),
			 verdict_reason_name(v.reason), v.detectable,
			 v.beyond_margin);
	}
}

static void swapping_the_arms_swaps_faster_and_slower(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct given g = cases[i];
		enum verdict_kind a = decide(&g).kind, b;

		g.log_ratio = -g.log_ratio;
		b = decide(&g).kind;
		assert_int_equal(a == VERDICT_FASTER, b == VERDICT_SLOWER);
		assert_int_equal(a == VERDICT_EQUIVALENT,
				 b == VERDICT_EQUIVALENT);
	}
}

static void what_the_family_costs_is_said(void **state)
{
	struct effect e = effect_make(.03, .01, 9, .95);
	struct verdict_input in = { .effect = &e,
				    .n_a = 10,
				    .n_b = 10,
				    .p_diff = .12,
				    .p_eq = NAN,
				    .alpha = .05,
				    .margin = NAN };
	struct verdict v = verdict_decide(&in);

	(void)state;
	assert_int_equal(v.kind, VERDICT_INCONCLUSIVE);
	assert_true(v.lost_to_family);
	assert_false(v.significant);
}

static void every_name_is_there(void **state)
{
	(void)state;
	assert_string_equal(verdict_kind_name(VERDICT_SLOWER), "slower");
	assert_string_equal(verdict_kind_name_plain(VERDICT_SLOWER), "worse");
	assert_string_equal(verdict_kind_name_plain(VERDICT_FASTER), "better");
	assert_string_equal(verdict_kind_name_plain(VERDICT_EQUIVALENT),
			    "equivalent");
	for (int r = VERDICT_DECIDED; r <= VERDICT_UNDECIDED; r++)
		assert_non_null(verdict_reason_name((enum verdict_reason)r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts_follow_the_rules),
		cmocka_unit_test(swapping_the_arms_swaps_faster_and_slower),
		cmocka_unit_test(what_the_family_costs_is_said),
		cmocka_unit_test(every_name_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
