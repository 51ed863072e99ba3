#include "tests/unit/unit.h"

#include <string.h>

#include "runner/base/clock.h"
#include "runner/matrix/matrix.h"
#include "runner/plan/plan.h"

static const char text[] =
	"name: x\n"
	"question: What of it?\n"
	"factors: {accel: [native, kvm], iodepth: [1, 2]}\n"
	"workloads: [block: {ramp: 1s, runtime: 2s}, synthetic: {cv: 0.1}]\n"
	"compare: {metric: [block.iops, synthetic.value], margin: 2.5%,\n"
	"  baseline: {accel: native}}\n"
	"design: {rounds: 3, warmup-rounds: 1, repeat: 2, cooldown: 500ms}\n"
	"hosts: [a, b]\n";

static struct plan *built(uint32_t seed)
{
	struct matrix_source from = { "m", text, strlen(text), NULL, 0, NULL };
	CLEANUP(matrix_freep) struct matrix *m = NULL;
	struct plan *p = NULL;
	struct err e = { 0 };

	if (matrix_parse(&from, &m, &e) < 0 || plan_build(m, seed, &p, &e) < 0)
		fail_msg("%s", e.msg);
	return p;
}

static void print(const struct plan *p, struct buf *out)
{
	CLEANUP(js_unrefp) struct js *j = plan_to_js(p);

	js_print_canonical(j, out);
}

static void the_plan_outlives_its_matrix(void **state)
{
	CLEANUP(plan_freep) struct plan *p = built(7);

	(void)state;
	assert_string_equal(p->name, "x");
	assert_string_equal(p->question, "What of it?");
	assert_string_equal(p->hosts[1], "b");
	assert_string_equal(p->metrics[1], "synthetic.value");
	assert_string_equal(p->cells[3].label, "accel=kvm, iodepth=2");
	assert_string_equal(p->baseline[0].text, "native");
	assert_int_equal(p->ntrials, 2 * 4 * 2 * 4);
}

static void equal_input_gives_equal_bytes(void **state)
{
	CLEANUP(plan_freep) struct plan *a = built(7), *b = built(7);
	CLEANUP(plan_freep) struct plan *c = built(8);
	CLEANUP(buf_deinit) struct buf ba = BUF_INIT, bb = BUF_INIT;

	(void)state;
	print(a, &ba);
	print(b, &bb);
	assert_string_equal(buf_str(&ba), buf_str(&bb));
	assert_string_equal(a->id, b->id);
	assert_int_equal(strlen(a->id), PLAN_ID_CHARS);
	assert_string_not_equal(a->id, c->id);
}

static void a_plan_survives_being_written_and_read(void **state)
{
	CLEANUP(plan_freep) struct plan *a = built(7), *b = NULL;
	CLEANUP(buf_deinit) struct buf ba = BUF_INIT, bb = BUF_INIT;
	CLEANUP(js_unrefp) struct js *j = NULL;
	struct err e = { 0 };

	(void)state;
	print(a, &ba);
	j = js_parse(ba.data, ba.len, "plan.json", &e);
	assert_non_null(j);
	if (plan_from_js(j, &b, &e) < 0)
		fail_msg("%s", e.msg);
	print(b, &bb);
	assert_string_equal(buf_str(&ba), buf_str(&bb));
	assert_int_equal(a->ntrials, b->ntrials);
	assert_memory_equal(a->trials, b->trials,
			    a->ntrials * sizeof(*a->trials));
	assert_true(b->has_margin);
	assert_int_equal(b->cells[2].boot_group, a->cells[2].boot_group);
}

static struct plan *shared(const char *rounds, struct err *e)
{
	const char *const set[] = { rounds, "spread=share", "hosts=[a, b, c]" };
	struct matrix_source from = { "m", text, strlen(text), set, 3, NULL };
	CLEANUP(matrix_freep) struct matrix *m = NULL;
	struct plan *p = NULL;

	if (matrix_parse(&from, &m, e) < 0 || plan_build(m, 7, &p, e) < 0)
		return NULL;
	return p;
}

static void shared_rounds_are_part_of_the_plan(void **state)
{
	struct err e = { 0 };
	CLEANUP(plan_freep) struct plan *a = shared("design.rounds=6", &e);
	CLEANUP(plan_freep) struct plan *b = NULL;
	CLEANUP(js_unrefp) struct js *j = NULL;
	uint64_t each[3];

	(void)state;
	assert_non_null(a);
	assert_true(a->share);
	assert_int_equal(plan_hosts_per_round(a), 1);
	j = plan_to_js(a);
	if (plan_from_js(j, &b, &e) < 0)
		fail_msg("%s", e.msg);
	assert_true(b->share);
	plan_estimate_hosts(a, 0, each);
	assert_true(each[0] == each[1] && each[1] == each[2]);
	assert_true(plan_estimate_ns(a, 0) == each[0]);
}

static void a_host_without_a_round_is_refused(void **state)
{
	struct err e = { 0 };
	CLEANUP(plan_freep) struct plan *few = NULL, *one = NULL;

	(void)state;
	few = shared("design.rounds=2", &e);
	assert_null(few);
	assert_non_null(strstr(e.msg, "share deals 2 rounds to 3 hosts"));
	one = shared("design.rounds=5", &e);
	assert_non_null(one);
	assert_non_null(strstr(one->notes[one->nnotes - 1],
			       "do not tell their own noise"));
}

static void a_stopping_rule_is_part_of_the_plan(void **state)
{
	static const char *const set[] = { "design.stop.precision=1%",
					   "design.stop.max-rounds=9",
					   "design.stop.min-rounds=4",
					   "design.stop.margin=yes",
					   "design.rounds=9" };
	struct matrix_source from = { "m", text, strlen(text), set, 5, NULL };
	CLEANUP(matrix_freep) struct matrix *m = NULL;
	CLEANUP(plan_freep) struct plan *a = NULL, *b = NULL, *none = built(7);
	CLEANUP(js_unrefp) struct js *j = NULL;
	struct err e = { 0 };

	(void)state;
	if (matrix_parse(&from, &m, &e) < 0 || plan_build(m, 7, &a, &e) < 0)
		fail_msg("%s", e.msg);
	assert_false(none->has_stop);
	assert_int_equal(a->rounds, 9);
	j = plan_to_js(a);
	if (plan_from_js(j, &b, &e) < 0)
		fail_msg("%s", e.msg);
	assert_true(b->has_stop);
	assert_true(b->stop.margin);
	assert_int_equal(b->stop.min_rounds, 4);
	assert_true(b->stop.precision > .0099 && b->stop.precision < .0101);
	assert_string_equal(a->id, b->id);
}

static void an_aa_is_the_baseline_twice(void **state)
{
	static const struct {
		const char *set; // in place of the factors
		uint32_t boots_per_round;
	} cases[] = {
		{ "factors={accel: [native, kvm], iodepth: [1, 2]}", 2 },
		{ "factors={iodepth: [1, 2]}", 1 }, // they share boots
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *set[] = { cases[i].set,
				      "compare.baseline={iodepth: 2}" };
		struct matrix_source from = { "m", text, strlen(text),
					      set, 2,	 NULL };
		CLEANUP(matrix_freep) struct matrix *m = NULL;
		CLEANUP(plan_freep) struct plan *p = NULL, *back = NULL;
		CLEANUP(js_unrefp) struct js *j = NULL;
		struct err e = { 0 };

		if (matrix_parse(&from, &m, &e) < 0 ||
		    plan_build_aa(m, 7, &p, &e) < 0)
			fail_msg("%s", e.msg);
		assert_string_equal(p->name, "x-aa");
		assert_int_equal(p->ncells, 2);
		assert_int_equal(p->ntrials, 2 * 4 * 2 * 2);
		assert_int_equal(p->trials[p->ntrials - 1].boot + 1,
				 2 * 4 * cases[i].boots_per_round);
		assert_true(js_equal(p->cells[0].vm, p->cells[1].vm));
		assert_true(
			js_equal(p->cells[0].workloads, p->cells[1].workloads));
		assert_int_equal(js_get_int(js_at(p->cells[0].workloads, 0),
					    "iodepth", 0),
				 2);
		assert_true(plan_is_baseline(p, &p->cells[0]));
		assert_false(plan_is_baseline(p, &p->cells[1]));
		j = plan_to_js(p);
		if (plan_from_js(j, &back, &e) < 0)
			fail_msg("%s", e.msg);
		assert_true(back->aa);
	}
}

// What an edit of plan.json may do, from one valid plan.
static void drop_cells(struct js *j)
{
	js_del(j, "cells");
}

static void empty_trials(struct js *j)
{
	js_set(j, "trials", js_array());
}

static void other_version(struct js *j)
{
	js_set_int(j, "version", PLAN_VERSION + 1);
}

static void no_version(struct js *j)
{
	js_del(j, "version");
}

static void other_rounds(struct js *j)
{
	js_set_int(j, "rounds", 4);
}

static void no_rounds(struct js *j)
{
	js_set_int(j, "rounds", 0);
}

static void text_rounds(struct js *j)
{
	js_set_str(j, "rounds", "3");
}

static void other_level(struct js *j)
{
	struct js *cell = js_at(js_get(j, "cells"), 0);

	js_set_str(js_get(cell, "vm"), "backing", "thp");
}

static void no_vm(struct js *j)
{
	js_del(js_at(js_get(j, "cells"), 0), "vm");
}

static void other_order(struct js *j)
{
	js_set_str(j, "order", "random");
}

static void no_hosts(struct js *j)
{
	js_set(j, "hosts", js_array());
}

static struct js *row(int64_t host, int64_t position, const char *cells)
{
	struct js *r = js_array();

	js_append(r, js_int(host));
	js_append(r, js_int(0));
	js_append(r, js_int(position));
	js_append(r, js_string(cells));
	return r;
}

static void one_trial(struct js *j, struct js *r)
{
	struct js *list = js_array();

	js_append(list, r);
	js_set(j, "trials", list);
}

static void cell_beyond_the_end(struct js *j)
{
	one_trial(j, row(0, 0, "0 4"));
}

static void host_beyond_the_end(struct js *j)
{
	one_trial(j, row(2, 0, "0"));
}

static void cells_of_two_groups_in_a_boot(struct js *j)
{
	one_trial(j, row(0, 0, "0 1 2 3"));
}

static void negative_cell(struct js *j)
{
	one_trial(j, row(0, 0, "-1"));
}

static void huge_cell(struct js *j)
{
	one_trial(j, row(0, 0, "4294967296"));
}

static void position_beyond_the_end(struct js *j)
{
	one_trial(j, row(0, 8, "0"));
}

static void cell_once_too_often(struct js *j)
{
	one_trial(j, row(0, 0, "0 0 0"));
}

static void no_cell(struct js *j)
{
	one_trial(j, row(0, 0, ""));
}

static void other_separator(struct js *j)
{
	one_trial(j, row(0, 0, "0;1"));
}

static void short_row(struct js *j)
{
	one_trial(j, js_array());
}

static void a_plan_that_was_changed_is_refused(void **state)
{
	static const struct {
		void (*change)(struct js *j);
		const char *want;
	} cases[] = {
		{ drop_cells, "\"cells\"" },
		{ empty_trials, "\"trials\"" },
		{ other_version, "reads version" },
		{ no_version, "with a version" },
		{ other_rounds, "it was changed" },
		{ no_rounds, "\"rounds\"" },
		{ text_rounds, "\"rounds\"" },
		{ other_level, "it was changed" },
		{ no_vm, "needs \"vm\"" },
		{ other_order, "\"order\"" },
		{ no_hosts, "\"hosts\"" },
		{ cell_beyond_the_end, "does not fit" },
		{ host_beyond_the_end, "does not fit" },
		{ cells_of_two_groups_in_a_boot, "does not fit" },
		{ negative_cell, "does not fit" },
		{ huge_cell, "does not fit" },
		{ position_beyond_the_end, "does not fit" },
		{ cell_once_too_often, "does not fit" },
		{ no_cell, "does not fit" },
		{ other_separator, "does not fit" },
		{ short_row, "must be [host, block" },
	};
	CLEANUP(plan_freep) struct plan *p = built(7);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(js_unrefp) struct js *whole = plan_to_js(p);
		CLEANUP(js_unrefp) struct js *j = js_copy(whole);
		CLEANUP(plan_freep) struct plan *got = NULL;
		struct err e = { 0 };

		cases[i].change(j);
		assert_int_equal(plan_from_js(j, &got, &e), -1);
		assert_null(got);
		assert_int_equal(e.kind, ERR_STORE);
		if (strstr(e.msg, cases[i].want) == NULL)
			fail_msg("case %zu: %s", i, e.msg);
	}
}

static void what_is_no_object_is_no_plan(void **state)
{
	CLEANUP(js_unrefp) struct js *j = js_array();
	struct plan *p = NULL;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(plan_from_js(j, &p, &e), -1);
	assert_int_equal(plan_from_js(NULL, &p, &e), -1);
}

// Each of two hosts: 4 blocks of 4 cells twice, 3.5 s each; a boot for the kvm
// group in each block. Hosts work side by side.
static void the_estimate_counts_boots_and_pauses(void **state)
{
	CLEANUP(plan_freep) struct plan *p = built(7);
	uint64_t boot = 10 * NS_PER_S;

	(void)state;
	assert_int_equal(plan_boots(p), 8);
	assert_int_equal(plan_estimate_ns(p, boot),
			 4LL * 4 * 2 * (3500 * NS_PER_MS) + 4 * boot);
}

static void the_timeout_allows_for_boot_and_work(void **state)
{
	CLEANUP(plan_freep) struct plan *p = built(7);

	(void)state;
	assert_int_equal(p->timeout_ns, 129 * NS_PER_S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_plan_outlives_its_matrix),
		cmocka_unit_test(shared_rounds_are_part_of_the_plan),
		cmocka_unit_test(a_host_without_a_round_is_refused),
		cmocka_unit_test(a_stopping_rule_is_part_of_the_plan),
		cmocka_unit_test(an_aa_is_the_baseline_twice),
		cmocka_unit_test(equal_input_gives_equal_bytes),
		cmocka_unit_test(a_plan_survives_being_written_and_read),
		cmocka_unit_test(a_plan_that_was_changed_is_refused),
		cmocka_unit_test(what_is_no_object_is_no_plan),
		cmocka_unit_test(the_estimate_counts_boots_and_pauses),
		cmocka_unit_test(the_timeout_allows_for_boot_and_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
