// Campaigns side by side: plans from a matrix, records made by hand.
#include "tests/unit/numbers.h"

#include <string.h>

#include "runner/base/alloc.h"
#include "runner/campaign/across.h"
#include "runner/campaign/journal.h"
#include "runner/matrix/matrix.h"
#include "tests/fake/dir.h"

enum {
	ROUNDS = 3,
	CAMPAIGNS = 2,
};

#define MATRIX(levels, settings, metric)                         \
	"name: x\n"                                              \
	"factors: {effect: [" levels "]}\n"                      \
	"fixed: {accel: native}\n"                               \
	"workloads: [synthetic: {" settings "}]\n"               \
	"compare: {metric: " metric ", baseline: {effect: 0}}\n" \
	"design: {rounds: 3}\n"                                  \
	"hosts: [a]\n"

static const char usual[] = MATRIX("0, 0.1", "cv: 0.1", "synthetic.value");
static const char other_levels[] =
	MATRIX("0, 0.1, 0.2", "cv: 0.1", "synthetic.value");
static const char other_settings[] =
	MATRIX("0, 0.1", "cv: 0.2", "synthetic.value");
static const char other_metric[] =
	MATRIX("0, 0.1", "cv: 0.1, name: other", "other.value");
// A campaign whose figures are `figure`'s.
struct told {
	struct results results;
	char *dir; // where its journal is
	struct journal *journal;
	const char *unit;
	enum better better;
	double drift; // every figure is multiplied by it
	int64_t started_ns;
};

static void told_deinit(struct told *t)
{
	dataset_free(t->results.ds);
	plan_free(t->results.plan);
	free(t->results.trials);
	fake_dir_freep(&t->dir);
}

static void make_plan(struct told *t, const char *yaml)
{
	struct matrix_source from = { .file = "m.yaml",
				      .data = yaml,
				      .len = strlen(yaml) };
	CLEANUP(matrix_freep) struct matrix *m = NULL;
	struct err e = { 0 };

	if (matrix_parse(&from, &m, &e) < 0 ||
	    plan_build(m, 7, &t->results.plan, &e) < 0)
		fail_msg("%s: %s", yaml, e.msg);
}

// The cell with effect 0 gives 100 in round 0, 110 in round 1, 120 in round
// 2; the next cell 5 % more, and so on.
static double figure(const struct told *t, const struct plan_trial *p)
{
	return t->drift * (100 + 10.0 * p->block) * (1 + 0.05 * p->cell);
}

static struct result *make_result(const struct told *t,
				  const struct plan_trial *p, struct arena *a)
{
	struct metric m = { t->results.plan->metrics[0], figure(t, p), t->unit,
			    t->better };
	struct result *r = result_new(a);

	result_metric(a, r, &m);
	return r;
}

static void add_record(struct told *t, const struct plan_trial *p)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const struct plan *plan = t->results.plan;
	struct record r = {
		.event = RECORD_FINISHED,
		.trial = p->id,
		.attempt = 1,
		.host = plan->hosts[p->host],
		.block = p->block,
		.boot = p->boot,
		.position = p->position,
		.cell = p->cell,
		.levels = plan->cells[p->cell].levels,
		.nlevels = plan->cells[p->cell].nlevels,
		.wall_ns = t->started_ns + p->id,
		.result = make_result(t, p, a),
	};
	struct err e = { 0 };

	if (journal_append(t->journal, &r, &e) < 0 ||
	    dataset_add_record(t->results.ds, &r, &e) < 0)
		fail_msg("%s", e.msg);
}

static void tell(struct told *t, const char *yaml)
{
	struct err e = { 0 };

	make_plan(t, yaml);
	t->dir = fake_dir_new();
	t->results.trials = xasprintf("%s/trials.jsonl", t->dir);
	t->results.first_wall_ns = t->started_ns;
	t->results.ds = dataset_new();
	if (results_declare(t->results.ds, t->results.plan, &e) < 0 ||
	    journal_open(t->results.trials, NULL, &t->journal, &e) < 0)
		fail_msg("%s", e.msg);
	for (size_t i = 0; i < t->results.plan->ntrials; i++)
		add_record(t, &t->results.plan->trials[i]);
	journal_closep(&t->journal);
}

// Two campaigns, named old and new.
struct two {
	struct told told[CAMPAIGNS];
	struct across_part parts[CAMPAIGNS];
};

static void two_deinit(struct two *w)
{
	for (size_t i = 0; i < CAMPAIGNS; i++)
		told_deinit(&w->told[i]);
}

static void two_init(struct two *w, const char *old, const char *new)
{
	static const char *const names[CAMPAIGNS] = { "old", "new" };
	const char *const yaml[CAMPAIGNS] = { old, new };

	for (size_t i = 0; i < CAMPAIGNS; i++) {
		struct told *t = &w->told[i];

		if (t->unit == NULL)
			*t = (struct told){ .unit = "1",
					    .better = BETTER_HIGHER };
		t->drift = i == 0 ? 1 : 2;
		t->started_ns = 1000 * ((int64_t)i + 1);
		tell(t, yaml[i]);
		w->parts[i] = (struct across_part){ names[i], &t->results };
	}
}

static double value_at(const struct dataset *ds, size_t row)
{
	return ds->values[0][row];
}

static void with_an_anchor_figures_are_ratios_to_its_round(void **state)
{
	CLEANUP(two_deinit) struct two w = { 0 };
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	const struct plan_cell *anchor;
	struct err e = { 0 };

	(void)state;
	two_init(&w, usual, other_levels);
	anchor = across_anchor(w.parts, CAMPAIGNS);
	assert_non_null(anchor);
	assert_string_equal(anchor->label, "effect=0");
	assert_int_equal(across_fill(w.parts, CAMPAIGNS, anchor, ds, &e), 0);
	// 1 cell and 2 cells besides the anchor; the drift is gone.
	assert_int_equal(ds->ntrials, ROUNDS * (1 + 2));
	for (size_t t = 0; t < ds->ntrials; t++) {
		const char *effect =
			dataset_level(&ds->cells[ds->cell[t]], "effect");

		assert_close(value_at(ds, t),
			     strcmp(effect, "0.1") == 0 ? 1.05 : 1.1, 1e-12);
	}
}

static void without_one_figures_stay_and_nothing_is_paired(void **state)
{
	CLEANUP(two_deinit) struct two w = { 0 };
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	struct err e = { 0 };

	(void)state;
	two_init(&w, usual, usual);
	assert_int_equal(across_fill(w.parts, CAMPAIGNS, NULL, ds, &e), 0);
	assert_int_equal(ds->ntrials, CAMPAIGNS * ROUNDS * 2);
	for (size_t a = 0; a < ds->ntrials / 2; a++) {
		for (size_t b = ds->ntrials / 2; b < ds->ntrials; b++) {
			assert_true(ds->block[a] != ds->block[b]);
			assert_true(ds->boot[a] != ds->boot[b]);
			assert_true(ds->order[a] < ds->order[b]);
			assert_true(ds->cell[a] != ds->cell[b]);
		}
	}
}

static void a_cell_with_other_settings_is_no_anchor(void **state)
{
	CLEANUP(two_deinit) struct two w = { 0 };

	(void)state;
	two_init(&w, usual, other_settings);
	assert_null(across_anchor(w.parts, CAMPAIGNS));
}

static void a_round_without_the_anchor_gives_no_figure(void **state)
{
	CLEANUP(two_deinit) struct two w = { 0 };
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	const struct plan_cell *anchor;
	struct err e = { 0 };

	(void)state;
	two_init(&w, usual, usual);
	anchor = across_anchor(w.parts, CAMPAIGNS);
	for (size_t t = 0; t < w.told[0].results.ds->ntrials; t++) {
		struct dataset *own = w.told[0].results.ds;

		if (own->cell[t] == 0 && own->block[t] == 1)
			own->values[0][t] = NO_FIGURE;
	}
	assert_int_equal(across_fill(w.parts, CAMPAIGNS, anchor, ds, &e), 0);
	assert_int_equal(ds->count[OUTCOME_OK], 2 * ROUNDS - 1);
	assert_int_equal(ds->count[OUTCOME_INVALID], 1);
	assert_string_equal(ds->failures[0].reason,
			    "the anchor has no figure in its round");
}

static const struct refusal {
	const char *old, *new, *unit;
	enum better better;
	const char *why;
} refusals[] = {
	{ usual, other_metric, "1", BETTER_HIGHER,
	  "new: its metric is other.value, not synthetic.value as in old: "
	  "there is nothing to compare" },
	{ usual, usual, "s", BETTER_HIGHER,
	  "new: synthetic.value is in \"s\", but in \"1\" in old: only figures "
	  "of one unit can be compared" },
	{ usual, usual, "1", BETTER_LOWER,
	  "new: of synthetic.value \"lower\" is better, but \"higher\" in "
	  "old" },
};

static void what_cannot_be_compared_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
		const struct refusal *x = &refusals[i];
		CLEANUP(two_deinit) struct two w = { 0 };
		struct err e = { 0 };

		w.told[1] =
			(struct told){ .unit = x->unit, .better = x->better };
		two_init(&w, x->old, x->new);
		if (across_check(w.parts, CAMPAIGNS, &e) == 0)
			fail_msg("taken: %s", x->why);
		assert_string_equal(e.msg, x->why);
		assert_int_equal(e.kind, ERR_USAGE);
	}
}

static void the_same_campaign_twice_is_refused(void **state)
{
	CLEANUP(two_deinit) struct two w = { 0 };
	struct err e = { 0 };

	(void)state;
	two_init(&w, usual, usual);
	assert_int_equal(across_check(w.parts, CAMPAIGNS, &e), 0);
	w.told[1].results.first_wall_ns = w.told[0].results.first_wall_ns;
	assert_int_equal(across_check(w.parts, CAMPAIGNS, &e), -1);
	assert_string_equal(e.msg, "new: it is the same campaign as old");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			with_an_anchor_figures_are_ratios_to_its_round),
		cmocka_unit_test(
			without_one_figures_stay_and_nothing_is_paired),
		cmocka_unit_test(a_cell_with_other_settings_is_no_anchor),
		cmocka_unit_test(a_round_without_the_anchor_gives_no_figure),
		cmocka_unit_test(what_cannot_be_compared_is_refused),
		cmocka_unit_test(the_same_campaign_twice_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
