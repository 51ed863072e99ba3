#include "tests/unit/numbers.h"

#include <string.h>

#include "analysis/compare.h"
#include "analysis/table.h"

struct fixture {
	struct dataset *ds;
	struct strv notes;
	struct analysis *an;
	struct compare_spec spec;
};

static void fixture_deinit(struct fixture *f)
{
	analysis_free(f->an);
	strv_deinit(&f->notes);
	dataset_free(f->ds);
}

// Columns of every table here; those that a table lacks are left out.
static struct table_spec columns_of(const char *text)
{
	static const char *const factors[] = { "where", "backing" };
	static const char *const qemu[] = { "qemu" };
	static const char *const values[] = { "y" };
	struct table_spec s = { .where = "t.csv",
				.values = { values, 1 },
				.factors = { factors, 1 },
				.has_better = true };
	size_t header = strcspn(text, "\n");

	s.factors.n += memmem(text, header, "backing", 7) != NULL;
	if (memmem(text, header, "qemu", 4) != NULL)
		s.factors.v = qemu;
	s.block = memmem(text, header, "round", 5) != NULL ? "round" : NULL;
	s.host = memmem(text, header, "host", 4) != NULL ? "host" : NULL;
	s.boot = memmem(text, header, "boot", 4) != NULL ? "boot" : NULL;
	s.order = memmem(text, header, "seq", 3) != NULL ? "seq" : NULL;
	return s;
}

static int try_run(struct fixture *f, const char *text, struct err *e)
{
	struct table_spec spec = columns_of(text);

	f->ds = dataset_new();
	spec.text = text;
	spec.len = strlen(text);
	if (table_read(&spec, f->ds, &f->notes, e) != 0)
		return -1;
	if (f->spec.alpha == 0)
		f->spec.alpha = COMPARE_ALPHA;
	if (f->spec.margin == 0)
		f->spec.margin = NO_FIGURE;
	return compare_run(f->ds, &f->spec, &f->an, e);
}

static void run(struct fixture *f, const char *text)
{
	struct err e = { 0 };

	if (try_run(f, text, &e) != 0)
		fail_msg("%s\n%s", text, e.msg);
}

static bool warned(const struct fixture *f, const char *words)
{
	for (size_t i = 0; i < f->an->nwarnings; i++)
		if (strstr(f->an->warnings[i], words) != NULL)
			return true;
	return false;
}

static void the_first_cell_is_the_baseline(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };

	(void)state;
	run(&f, "where,y\na,10\na,11\nb,12\nb,13\nc,9\nc,8\n");
	assert_int_equal(f.an->ncomparisons, 2);
	assert_int_equal(f.an->comparisons[0].baseline, 0);
	assert_int_equal(f.an->comparisons[1].baseline, 0);
	assert_int_equal(f.an->comparisons[1].cell, 2);
	assert_false(f.an->baseline_given);
}

static void a_partial_baseline_compares_what_is_otherwise_equal(void **state)
{
	static const struct level base[] = { { "backing", "4k" } };
	CLEANUP(fixture_deinit)
	struct fixture f = { .spec = { .baseline = base, .nbaseline = 1 } };

	(void)state;
	run(&f, "where,backing,y\nhost,4k,1\nvm,4k,2\nvm,2M,3\nhost,2M,4\n"
		"host,1G,5\n");
	assert_int_equal(f.an->ncomparisons, 3);
	assert_int_equal(f.an->comparisons[0].cell, 2);
	assert_int_equal(f.an->comparisons[0].baseline, 1);
	assert_int_equal(f.an->comparisons[1].cell, 3);
	assert_int_equal(f.an->comparisons[1].baseline, 0);
}

static const struct refusal {
	struct level base;
	const char *text, *want;
} refusals[] = {
	{ { "backing", "3M" },
	  "where,backing,y\nhost,4k,1\nvm,2M,2\n",
	  "baseline: no cell has backing=3M; the cells are where=host, "
	  "backing=4k; where=vm, backing=2M" },
	{ { "cpus", "1" },
	  "where,backing,y\nhost,4k,1\nvm,2M,2\n",
	  "baseline: \"cpus\" is no factor; the cells are where=host, "
	  "backing=4k; where=vm, backing=2M" },
	{ { "where", "host" },
	  "where,backing,y\nhost,4k,1\nvm,2M,2\n",
	  "baseline: no cell differs from another only in having where=host; "
	  "name more factors, or filter; the cells are where=host, backing=4k; "
	  "where=vm, backing=2M" },
};

// Analyses again, now that cells 0 and 1 ran under these versions of QEMU.
static void run_under(struct fixture *f, const char *const versions[2])
{
	struct err e = { 0 };

	for (uint32_t cell = 0; cell < 2; cell++) {
		CLEANUP(js_unrefp) struct js *facts = js_object();
		struct js *qemu = js_object();

		js_set_str(qemu, "version", versions[cell]);
		js_set(facts, "qemu", qemu);
		cell_facts_add(&f->ds->facts, cell, facts);
	}
	analysis_free(f->an);
	if (compare_run(f->ds, &f->spec, &f->an, &e) != 0)
		fail_msg("%s", e.msg);
}

static void what_differs_besides_the_factors_is_named(void **state)
{
	static const char said[] = "where=b: the baseline ran with QEMU 7.2, "
				   "this with 7.2 or 8.0: the comparison is "
				   "also one of QEMU versions";
	static const char *const same[] = { "7.2", "7.2" };
	static const char *const other[] = { "7.2", "8.0" };
	CLEANUP(fixture_deinit) struct fixture f = { 0 };

	(void)state;
	run(&f, "where,y\na,10\na,11\nb,12\nb,13\n");
	run_under(&f, same);
	assert_false(warned(&f, "QEMU"));
	run_under(&f, other);
	if (!warned(&f, said))
		fail_msg("not among the warnings: %s", said);
}

static void a_factor_may_differ_in_what_it_is_about(void **state)
{
	static const char *const versions[] = { "7.2", "8.0" };
	CLEANUP(fixture_deinit) struct fixture f = { 0 };

	(void)state;
	run(&f, "qemu,y\nold,10\nold,11\nnew,12\nnew,13\n");
	run_under(&f, versions);
	assert_false(warned(&f, "QEMU"));
}

static void a_level_without_effect_stands_for_all(void **state)
{
	static const struct level base[] = { { "where", "native" } };
	CLEANUP(fixture_deinit)
	struct fixture f = { .spec = { .baseline = base, .nbaseline = 1 } };

	(void)state;
	run(&f, "where,backing,y\nnative,-,10\nnative,-,11\nvm,4k,12\n"
		"vm,4k,13\nvm,2M,9\nvm,2M,8\n");
	assert_int_equal(f.an->ncomparisons, 2);
	assert_int_equal(f.an->comparisons[0].baseline, 0);
	assert_int_equal(f.an->comparisons[0].cell, 1);
	assert_int_equal(f.an->comparisons[1].baseline, 0);
	assert_int_equal(f.an->comparisons[1].cell, 2);
}

static void a_baseline_that_pairs_nothing_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
		CLEANUP(fixture_deinit)
		struct fixture f = { .spec = { .baseline = &refusals[i].base,
					       .nbaseline = 1 } };
		struct err e = { 0 };

		assert_int_equal(try_run(&f, refusals[i].text, &e), -1);
		assert_string_equal(e.msg, refusals[i].want);
		assert_int_equal(e.kind, ERR_USAGE);
	}
}

static void rounds_pair_the_arms_only_when_they_were_recorded(void **state)
{
	static const char blocked[] = "where,round,y\na,1,10\nb,1,11\na,2,20\n"
				      "b,2,22.4\na,3,30\nb,3,33\na,4,\nb,4,9\n";
	static const char unblocked[] = "where,y\na,10\nb,11\na,20\nb,22.4\n"
					"a,30\nb,33\n";
	CLEANUP(fixture_deinit) struct fixture f = { 0 };
	CLEANUP(fixture_deinit) struct fixture g = { 0 };

	(void)state;
	run(&f, blocked);
	run(&g, unblocked);
	assert_int_equal(f.an->comparisons[0].estimator, COMPARE_BLOCKED);
	assert_int_equal(f.an->comparisons[0].n, 3);
	assert_int_equal(f.an->comparisons[0].dropped, 1);
	assert_int_equal(g.an->comparisons[0].estimator, COMPARE_UNBLOCKED);
	assert_close(f.an->comparisons[0].effect.pct,
		     g.an->comparisons[0].effect.pct, 1e-12);
	assert_true(f.an->comparisons[0].effect.se <
		    g.an->comparisons[0].effect.se / 10);
	assert_true(warned(&f, "1 round without a figure of both arms"));
}

static void trials_that_share_a_boot_are_one_unit(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };

	(void)state;
	run(&f, "where,boot,y\na,1,10\na,1,12\na,2,14\na,2,16\n"
		"b,3,20\nb,3,22\nb,4,24\nb,4,26\n");
	assert_int_equal(f.an->comparisons[0].n, 2);
	assert_int_equal(f.an->cells[0].n, 4);
	assert_int_equal(f.an->cells[0].units, 2);
	assert_between(f.an->comparisons[0].effect.df, 1, 2);
}

static void one_boot_for_an_arm_is_confounded(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };

	(void)state;
	run(&f,
	    "where,boot,y\na,1,10\na,1,12\na,1,11\nb,2,20\nb,2,22\nb,2,21\n");
	assert_int_equal(f.an->comparisons[0].verdict.kind,
			 VERDICT_INCONCLUSIVE);
	assert_true(warned(&f, "one boot served all trials of an arm"));
}

static void a_boot_over_several_rounds_is_not_a_round(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };

	(void)state;
	run(&f, "where,boot,round,y\na,1,1,10\na,1,2,12\na,2,3,11\nb,3,1,20\n"
		"b,3,2,22\nb,4,3,21\n");
	assert_int_equal(f.an->comparisons[0].why, COMPARE_BOOTS_SPAN_BLOCKS);
	assert_int_equal(f.an->comparisons[0].n, 2);
}

static void an_order_that_tells_the_arms_apart_is_confounded(void **state)
{
	static const char text[] = "where,seq,y\na,1,10\na,2,11\na,3,10.5\n"
				   "b,4,20\nb,5,21\nb,6,20.5\n";
	CLEANUP(fixture_deinit) struct fixture f = { 0 };
	CLEANUP(fixture_deinit)
	struct fixture g = { .spec = { .accept_confounded = true } };

	(void)state;
	run(&f, text);
	assert_int_equal(f.an->comparisons[0].verdict.reason,
			 VERDICT_CONFOUNDED);
	run(&g, text);
	assert_int_equal(g.an->comparisons[0].verdict.kind, VERDICT_FASTER);
	assert_true(warned(&g, "accepted by --accept-confounded"));
}

static void an_arm_that_loses_a_third_decides_nothing(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };

	(void)state;
	run(&f, "where,y\na,10\na,11\na,10.5\nb,20\nb,21\nb,nan\n");
	assert_int_equal(f.an->comparisons[0].verdict.reason, VERDICT_FAILURES);
	assert_int_equal(f.an->cells[1].invalid, 1);
	assert_true(warned(&f, "where=b: 33 % of its trials gave no figure, "
			       "0 % of those of where=a (Fisher's"));
}

static void an_arm_without_a_figure_is_the_one_that_is_blamed(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };

	(void)state;
	run(&f, "where,y\na,nan\na,nan\na,nan\nb,20\nb,21\nb,22\n");
	assert_true(warned(&f, "where=b: 0 % of its trials gave no figure, "
			       "100 % of those of where=a (Fisher's"));
}

static void single_figures_have_a_ratio_and_no_interval(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };

	(void)state;
	run(&f, "where,y\na,10\nb,12\n");
	assert_close(f.an->comparisons[0].effect.pct, 20, 1e-12);
	assert_nan(f.an->comparisons[0].effect.lo_pct);
	assert_nan(f.an->comparisons[0].p_holm);
	assert_nan(f.an->cells[0].mean.lo);
	assert_true(warned(&f, "n = 1: no interval"));
}

static void constant_arms_have_no_p(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };

	(void)state;
	run(&f, "where,y\na,10\na,10\nb,12\nb,12\n");
	assert_nan(f.an->comparisons[0].effect.p);
	assert_int_equal(f.an->comparisons[0].verdict.reason,
			 VERDICT_ZERO_VARIANCE);
	assert_int_equal(f.an->family, 0);
}

static void a_mean_of_nothing_has_a_difference_and_no_ratio(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };

	(void)state;
	run(&f, "where,y\na,-1\na,1\nb,2\nb,3\n");
	assert_nan(f.an->comparisons[0].effect.pct);
	assert_int_equal(f.an->comparisons[0].verdict.reason,
			 VERDICT_UNDEFINED_RATIO);
	assert_true(warned(&f, "the difference is 2.5 ["));
}

static void trials_of_one_round_twice_are_averaged(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };

	(void)state;
	run(&f, "where,round,y\na,1,10\na,1,14\nb,1,12\na,2,10\nb,2,11\n");
	assert_int_equal(f.an->comparisons[0].n, 2);
	assert_close(f.an->comparisons[0].effect.pct, 100 * (11.5 / 11 - 1),
		     1e-12);
}

static void figures_of_the_baseline_itself_make_no_comparison(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };

	(void)state;
	run(&f, "where,y\na,1\n");
	assert_int_equal(f.an->ncomparisons, 0);
	assert_int_equal(f.an->ncells, 1);
}

static void swapping_the_arms_negates_the_effect(void **state)
{
	static const struct level b[] = { { "where", "b" } };
	static const char text[] = "where,y\na,10\na,11\nb,12\nb,14\nb,15\n";
	CLEANUP(fixture_deinit) struct fixture f = { 0 };
	CLEANUP(fixture_deinit)
	struct fixture g = { .spec = { .baseline = b, .nbaseline = 1 } };

	(void)state;
	run(&f, text);
	run(&g, text);
	assert_opposite_effects(&f.an->comparisons[0].effect,
				&g.an->comparisons[0].effect);
}

static void hosts_are_estimated_apart(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };

	(void)state;
	run(&f, "where,host,round,y\na,h1,1,10\nb,h1,1,11\na,h1,2,20\n"
		"b,h1,2,22.1\na,h2,1,100\nb,h2,1,109\na,h2,2,90\nb,h2,2,99\n"
		"a,h3,1,5\n");
	assert_int_equal(f.an->comparisons[0].nhosts, 2);
	assert_int_equal(f.an->comparisons[0].population.k, 2);
	assert_int_equal(f.an->nhost_cells, 6);
	assert_nan(f.an->cells[0].mean.lo);
	assert_nan(f.an->comparisons[0].welch.p);
}

#define TWO_HOSTS_AGREE                                         \
	"where,host,round,y\na,h1,1,10\nb,h1,1,11\na,h1,2,20\n" \
	"b,h1,2,22.1\na,h2,1,100\nb,h2,1,110.3\na,h2,2,90\n"    \
	"b,h2,2,99.2\n"

// However closely two of them agree.
static void two_hosts_claim_nothing_on_others(void **state)
{
	CLEANUP(fixture_deinit) struct fixture two = { 0 };
	CLEANUP(fixture_deinit) struct fixture three = { 0 };

	(void)state;
	run(&two, TWO_HOSTS_AGREE);
	assert_true(two.an->comparisons[0].population.effect.p < 0.05);
	assert_int_equal(two.an->comparisons[0].population_verdict.reason,
			 VERDICT_INSUFFICIENT_DATA);
	assert_int_equal(two.an->comparisons[0].verdict.reason,
			 VERDICT_DECIDED);
	run(&three, TWO_HOSTS_AGREE "a,h3,1,5\nb,h3,1,5.53\na,h3,2,6\n"
				    "b,h3,2,6.6\n");
	assert_int_equal(three.an->comparisons[0].population_verdict.reason,
			 VERDICT_DECIDED);
}

static void an_estimate_is_there_as_soon_as_both_arms_are(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };
	CLEANUP(fixture_deinit) struct fixture g = { 0 };
	struct compare_estimate est;

	(void)state;
	run(&f, "where,y\na,10\na,12\nb,nan\n");
	assert_false(compare_estimate(f.ds, &f.spec, &est));
	run(&g, "where,y\na,10\nb,12\n");
	assert_true(compare_estimate(g.ds, &g.spec, &est));
	assert_close(est.ratio_pct, 20, 1e-12);
	assert_nan(est.lo_pct);
	assert_string_equal(est.cell, "where=b");
}

static void holm_runs_over_the_family(void **state)
{
	CLEANUP(fixture_deinit) struct fixture f = { 0 };
	const struct analysis_comparison *c;

	(void)state;
	run(&f, "where,y\na,10\na,11\na,10.2\nb,10.1\nb,10.9\nb,10.6\nc,12\n"
		"c,12.1\nc,11.9\n");
	c = f.an->comparisons;
	assert_int_equal(f.an->family, 2);
	assert_close(c[1].p_holm, fmin(1, 2 * c[1].effect.p), 1e-12);
	assert_close(c[0].p_holm, c[0].effect.p, 1e-12);
}

// An outlier in an arm is no reason to doubt what every round shows.
static void flips_agree_with_t_about_a_clear_effect(void **state)
{
	static const char text[] =
		"where,round,y\na,1,100\nb,1,105\na,2,101\nb,2,106.2\n"
		"a,3,100.4\nb,3,105.1\na,4,99.8\nb,4,105.3\na,5,100.1\n"
		"b,5,104.9\na,6,100.9\nb,6,105.6\na,7,99.5\nb,7,104.7\n"
		"a,8,100.3\nb,8,105.2\na,9,108\nb,9,112.9\n";
	CLEANUP(fixture_deinit) struct fixture f = { 0 };

	(void)state;
	run(&f, text);
	assert_true(warned(&f, "outlier"));
	assert_true(f.an->comparisons[0].effect.p < .001);
	assert_false(f.an->comparisons[0].method_dependent);
	assert_int_equal(f.an->comparisons[0].verdict.kind, VERDICT_FASTER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_cell_is_the_baseline),
		cmocka_unit_test(
			a_partial_baseline_compares_what_is_otherwise_equal),
		cmocka_unit_test(a_level_without_effect_stands_for_all),
		cmocka_unit_test(a_baseline_that_pairs_nothing_is_refused),
		cmocka_unit_test(
			rounds_pair_the_arms_only_when_they_were_recorded),
		cmocka_unit_test(trials_that_share_a_boot_are_one_unit),
		cmocka_unit_test(one_boot_for_an_arm_is_confounded),
		cmocka_unit_test(a_boot_over_several_rounds_is_not_a_round),
		cmocka_unit_test(
			an_order_that_tells_the_arms_apart_is_confounded),
		cmocka_unit_test(an_arm_that_loses_a_third_decides_nothing),
		cmocka_unit_test(
			an_arm_without_a_figure_is_the_one_that_is_blamed),
		cmocka_unit_test(single_figures_have_a_ratio_and_no_interval),
		cmocka_unit_test(constant_arms_have_no_p),
		cmocka_unit_test(
			a_mean_of_nothing_has_a_difference_and_no_ratio),
		cmocka_unit_test(trials_of_one_round_twice_are_averaged),
		cmocka_unit_test(
			figures_of_the_baseline_itself_make_no_comparison),
		cmocka_unit_test(swapping_the_arms_negates_the_effect),
		cmocka_unit_test(hosts_are_estimated_apart),
		cmocka_unit_test(two_hosts_claim_nothing_on_others),
		cmocka_unit_test(an_estimate_is_there_as_soon_as_both_arms_are),
		cmocka_unit_test(holm_runs_over_the_family),
		cmocka_unit_test(flips_agree_with_t_about_a_clear_effect),
		cmocka_unit_test(what_differs_besides_the_factors_is_named),
		cmocka_unit_test(a_factor_may_differ_in_what_it_is_about),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
