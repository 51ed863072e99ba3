#include "tests/unit/unit.h"

#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/buf.h"
#include "runner/matrix/matrix.h"
#include "runner/plan/plan.h"

#define HEAD                                            \
	"name: x\n"                                     \
	"workloads: [block: {ramp: 1s, runtime: 2s}]\n" \
	"design: {rounds: 1}\n"

static int build_with(const char *rest, const char *set, struct plan **out,
		      struct err *e)
{
	CLEANUP(cleanup_free) char *text = xasprintf(HEAD "%s", rest);
	struct matrix_source from = { "m",  text,	 strlen(text),
				      &set, set != NULL, NULL };
	CLEANUP(matrix_freep) struct matrix *m = NULL;

	if (matrix_parse(&from, &m, e) < 0)
		fail_msg("%s", e->msg);
	return plan_build(m, 7, out, e);
}

static int build(const char *rest, struct plan **out, struct err *e)
{
	return build_with(rest, NULL, out, e);
}

static struct plan *built(const char *rest)
{
	struct plan *p = NULL;
	struct err e = { 0 };

	if (build(rest, &p, &e) < 0)
		fail_msg("%s\nfor: %s", e.msg, rest);
	return p;
}

static void check_labels(const struct plan *p, const char *const *want,
			 size_t n)
{
	assert_int_equal(p->ncells, n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(p->cells[i].label, want[i]);
}

static void cells_are_all_combinations_in_the_matrix_order(void **state)
{
	static const char *const want[] = {
		"backing=4k, iodepth=1",
		"backing=4k, iodepth=2",
		"backing=thp, iodepth=1",
		"backing=thp, iodepth=2",
	};
	CLEANUP(plan_freep)
	struct plan *p =
		built("factors: {backing: [4k, thp], iodepth: [1, 2]}\n");

	(void)state;
	check_labels(p, want, ARRAY_LEN(want));
	for (size_t i = 0; i < p->ncells; i++) {
		const struct js *w = js_at(p->cells[i].workloads, 0);

		assert_int_equal(p->cells[i].id, i);
		assert_int_equal(js_get_int(w, "iodepth", 0), i % 2 + 1);
		assert_string_equal(js_get_str(p->cells[i].vm, "backing", ""),
				    i < 2 ? "4k" : "thp");
	}
}

static void no_factor_makes_one_cell(void **state)
{
	static const char *const want[] = { "all" };
	CLEANUP(plan_freep) struct plan *p = built("");

	(void)state;
	check_labels(p, want, 1);
	assert_int_equal(p->nbaseline, 0);
}

static void the_wire_has_every_parameter_of_its_kind(void **state)
{
	CLEANUP(plan_freep) struct plan *p = built("");
	const struct js *w = js_at(p->cells[0].workloads, 0);

	(void)state;
	for (size_t i = 0; i < param_count; i++) {
		const struct param *row = &param_table[i];
		bool block = row->kind && !strcmp(row->kind, "block");
		const struct js *in = row->kind == NULL ? p->cells[0].vm : w;

		if ((row->scope == PARAM_VM || block) && !js_get(in, row->name))
			fail_msg("%s is not there", row->name);
	}
	assert_null(p->cells[0].host); // all is kept as it is
	assert_string_equal(js_get_str(w, "kind", ""), "block");
	assert_string_equal(js_get_str(w, "name", ""), "block");
}

static void cells_that_differ_in_nothing_that_matters_are_one(void **state)
{
	static const char *const want[] = {
		"accel=native, backing=-",
		"accel=kvm, backing=4k",
		"accel=kvm, backing=thp",
	};
	CLEANUP(plan_freep)
	struct plan *p =
		built("factors: {accel: [native, kvm], backing: [4k, thp]}\n");

	(void)state;
	check_labels(p, want, ARRAY_LEN(want));
	assert_int_equal(p->nnotes, 1);
	assert_non_null(strstr(p->notes[0], "backing"));
	assert_non_null(strstr(p->notes[0], "1 fewer"));
}

static void host_settings_travel_apart_and_part_boots(void **state)
{
	CLEANUP(plan_freep)
	struct plan *p = built("host-settings: {sysctl.vm.swappiness: 9}\n"
			       "factors: {thp: [keep, never]}\n");
	const struct js *last = p->cells[1].host;

	(void)state;
	assert_int_equal(p->ncells, 2);
	assert_int_equal(js_len(p->cells[0].host), 1);
	assert_string_equal(js_get_str(last, "/proc/sys/vm/swappiness", ""),
			    "9");
	assert_string_equal(js_get_str(last, "thp", ""), "never");
	assert_null(js_get(p->cells[0].vm, "thp"));
	assert_int_not_equal(p->cells[0].boot_group, p->cells[1].boot_group);
}

static void a_setting_without_effect_is_noted(void **state)
{
	CLEANUP(plan_freep)
	struct plan *p = built("fixed: {rwmixread: 70, fio-args: [--x]}\n");

	(void)state;
	assert_int_equal(p->nnotes, 2);
	assert_string_equal(p->notes[0], "block.rwmixread has no effect in any "
					 "cell (only with rw: randrw)");
	assert_int_equal(
		js_get_int(js_at(p->cells[0].workloads, 0), "rwmixread", 0),
		50);
}

static void cells_with_equal_vms_share_a_group(void **state)
{
	CLEANUP(plan_freep)
	struct plan *p = built(
		"factors: {iodepth: [1, 2], backing: [4k, thp], bs: [4k, 8k]}\n");

	(void)state;
	for (size_t i = 0; i < p->ncells; i++) {
		const struct plan_cell *a = &p->cells[i];

		for (size_t k = 0; k < p->ncells; k++) {
			CLEANUP(buf_deinit) struct buf ba = BUF_INIT;
			CLEANUP(buf_deinit) struct buf bb = BUF_INIT;
			const struct plan_cell *b = &p->cells[k];

			js_print_canonical(a->vm, &ba);
			js_print_canonical(b->vm, &bb);
			assert_int_equal(strcmp(buf_str(&ba), buf_str(&bb)) ==
						 0,
					 a->boot_group == b->boot_group);
		}
	}
}

static void excluded_cells_are_gone(void **state)
{
	static const char *const want[] = {
		"backing=4k, cpus=1",
		"backing=thp, cpus=1",
		"backing=thp, cpus=2",
	};
	CLEANUP(plan_freep)
	struct plan *p = built("factors: {backing: [4k, thp], cpus: [1, 2]}\n"
			       "exclude: [{backing: 4k, cpus: 2}]\n");

	(void)state;
	check_labels(p, want, ARRAY_LEN(want));
}

static void zipped_factors_move_together(void **state)
{
	static const char *const want[] = {
		"cpus=1, backing=4k, memory=512M",
		"cpus=1, backing=thp, memory=512M",
		"cpus=2, backing=4k, memory=1G",
		"cpus=2, backing=thp, memory=1G",
	};
	CLEANUP(plan_freep)
	struct plan *p = built("factors: {cpus: [1, 2], backing: [4k, thp], "
			       "memory: [512M, 1G]}\n"
			       "zip: [memory, cpus]\n");

	(void)state;
	check_labels(p, want, ARRAY_LEN(want));
}

static void there_may_be_several_groups_of_them(void **state)
{
	static const char *const want[] = {
		"cpus=1, memory=512M, bs=4k, iodepth=1",
		"cpus=1, memory=512M, bs=8k, iodepth=2",
		"cpus=2, memory=1G, bs=4k, iodepth=1",
		"cpus=2, memory=1G, bs=8k, iodepth=2",
	};
	CLEANUP(plan_freep)
	struct plan *p = built("factors: {cpus: [1, 2], memory: [512M, 1G], "
			       "bs: [4k, 8k], iodepth: [1, 2]}\n"
			       "zip: [[cpus, memory], [iodepth, bs]]\n");

	(void)state;
	check_labels(p, want, ARRAY_LEN(want));
}

static void included_cells_come_after_the_combinations(void **state)
{
	static const char *const want[] = {
		"backing=4k, cpus=1",
		"backing=thp, cpus=1",
		"backing=4k, cpus=2",
		"backing=hugetlb-2M, cpus=many",
	};
	CLEANUP(plan_freep)
	struct plan *p = built("factors: {backing: [4k, thp], cpus: [1]}\n"
			       "include: [{cpus: 2, backing: 4k},\n"
			       "  {backing: hugetlb-2M, cpus: {many: 8}}]\n"
			       "compare: {baseline: {backing: thp}}\n");

	(void)state;
	check_labels(p, want, ARRAY_LEN(want));
	assert_int_equal(js_get_int(p->cells[3].vm, "cpus", 0), 8);
}

static void an_included_cell_needs_no_level_that_has_no_effect(void **state)
{
	static const char *const want[] = {
		"accel=tcg, backing=4k",
		"accel=tcg, backing=thp",
		"accel=native, backing=-",
	};
	CLEANUP(plan_freep)
	struct plan *p = built("factors: {accel: [tcg], backing: [4k, thp]}\n"
			       "include: [{accel: native}]\n");

	(void)state;
	check_labels(p, want, ARRAY_LEN(want));
}

static void variables_travel_with_their_cell(void **state)
{
	static const char *const want[] = { "sched=none", "sched=slow" };
	CLEANUP(plan_freep)
	struct plan *p = built("vars: {sched: x, mode: \"a b\", none: }\n"
			       "factors: {sched: [none, {slow: mq-deadline}]}\n"
			       "hooks: {before-boot: {shell: set}}\n");

	(void)state;
	check_labels(p, want, ARRAY_LEN(want));
	assert_string_equal(js_get_str(p->cells[0].vars, "sched", ""), "none");
	assert_string_equal(js_get_str(p->cells[1].vars, "sched", ""),
			    "mq-deadline");
	assert_string_equal(js_get_str(p->cells[1].vars, "mode", ""), "a b");
	assert_string_equal(js_get_str(p->cells[1].vars, "none", "x"), "");
	// A hook may need it before the boot.
	assert_int_not_equal(p->cells[0].boot_group, p->cells[1].boot_group);
	assert_int_equal(p->nnotes, 0);
}

static void a_variable_without_text_is_labelled_so(void **state)
{
	static const char *const want[] = { "mode=\"\"", "mode=fast" };
	CLEANUP(plan_freep)
	struct plan *p = built("vars: {mode: x}\n"
			       "factors: {mode: [\"\", fast]}\n"
			       "hooks: {before-boot: {shell: set}}\n");

	(void)state;
	check_labels(p, want, ARRAY_LEN(want));
	assert_string_equal(js_get_str(p->cells[0].vars, "mode", "x"), "");
}

static void what_may_be_destroyed_is_told_to_its_workload(void **state)
{
	CLEANUP(plan_freep)
	struct plan *p =
		built("factors: {device: [null_blk, {disk: /dev/x}, /tmp/y]}\n"
		      "destroy: [/dev/x, /tmp/y]\n");

	(void)state;
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(js_get_bool(js_at(p->cells[i].workloads, 0),
					     "destroy", false),
				 i > 0);
	assert_int_equal(p->nnotes, 2);
	assert_string_equal(p->notes[1],
			    "/tmp/y may be overwritten, whatever it holds");
}

static void variables_that_reach_nobody_are_noted(void **state)
{
	CLEANUP(plan_freep) struct plan *p = built("vars: {mode: fast}\n");

	(void)state;
	assert_int_equal(p->nnotes, 1);
	assert_string_equal(p->notes[0],
			    "vars reach hooks alone, and there are none");
}

static void the_first_cell_is_the_baseline_unless_one_is_named(void **state)
{
	CLEANUP(plan_freep)
	struct plan *p = built("factors: {backing: [4k, thp], cpus: [1, 2]}\n");
	CLEANUP(plan_freep)
	struct plan *named =
		built("factors: {backing: [4k, thp], cpus: [1, 2]}\n"
		      "compare: {baseline: {cpus: 2}}\n");

	(void)state;
	assert_int_equal(p->nbaseline, 2);
	assert_string_equal(p->baseline[0].text, "4k");
	assert_string_equal(p->baseline[1].text, "1");
	assert_int_equal(named->nbaseline, 1);
	assert_string_equal(named->baseline[0].factor, "cpus");
	assert_string_equal(named->baseline[0].text, "2");
}

static void a_factor_without_effect_fits_any_baseline(void **state)
{
	CLEANUP(plan_freep)
	struct plan *p =
		built("factors: {accel: [native], backing: [4k, thp]}\n"
		      "compare: {baseline: {backing: thp}}\n");

	(void)state;
	assert_int_equal(p->ncells, 1);
}

static void what_does_not_fit_has_its_place(void **state)
{
	static const char *const cases[][2] = {
		{ "factors: {cpus: [1, 2]}\nexclude: [{cpus: 1}, {cpus: 2}]\n",
		  "m:4:11: exclude: the rules leave no cell" },
		{ "factors: {cpus: [1, 2], bs: [4k, 8k]}\n"
		  "exclude: [{cpus: 1}, {cpus: 1, bs: 4k}]\n",
		  "m:5:22: exclude: this rule drops nothing: the rules before "
		  "it" },
		{ "factors: {accel: [kvm, tcg], cpus: [1, 2]}\n"
		  "exclude: [{accel: kvm}, {cpus: 1, accel: tcg}]\n"
		  "compare: {baseline: {accel: kvm}}\n",
		  "m:6:21: baseline: no cell has accel=kvm: exclude drops it" },
		{ "factors: {cpus: [1, 2], backing: [4k]}\n"
		  "include: [{cpus: 4}]\n",
		  "m:5:11: include: the cell has no level of \"backing\"" },
		{ "factors: {cpus: [1, 2]}\ninclude: [{cpus: 2}]\n",
		  "m:5:11: include: this cell is one of the combinations" },
		{ "factors: {cpus: [1]}\ninclude: [{cpus: 2}, {cpus: 2}]\n",
		  "m:5:22: include: this cell is one of" },
		{ "factors: {accel: [native], backing: [4k, thp]}\n"
		  "include: [{accel: native, backing: hugetlb-2M}]\n",
		  "m:5:11: include: this cell is one of" },
		{ "fixed: {backing: hugetlb-1G, memory: 512M}\n",
		  "m:4:38: memory: 512M is no multiple of 1G, the page of "
		  "backing hugetlb-1G" },
		{ "factors: {backing: [4k, hugetlb-1G]}\n",
		  "m: memory: 512M is no multiple of 1G, the page of" },
		{ "fixed: {qemu-args: [-S, --daemonize]}\n",
		  "m:4:20: qemu-args: \"--daemonize\" would let QEMU outlive "
		  "its trial; take it away" },
		{ "factors: {bs: [512, 4k]}\nfixed: {null_bs: 4k}\n",
		  "m:4:11: bs: 512 is no multiple of 4k, null_bs" },
		{ "factors: {cpus: [1, 2]}\nfixed: {submit_queues: 2}\n",
		  "m:5:24: submit_queues: null_blk makes no more than the "
		  "guest has CPUs: 2 with cpus 1" },
		{ "fixed: {size: 512}\n",
		  "m:4:15: size: is too small for 1 job of 4k an I/O" },
		{ "factors: {jobs: [1, 3]}\nfixed: {size: 8k}\n",
		  "m:5:15: size: is too small for 3 jobs of 4k an I/O" },
		{ "timeout: 3s\n",
		  "m:4:10: timeout: 3s is no longer than the workloads "
		  "themselves (3s)" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct plan *p = NULL;
		struct err e = { 0 };

		assert_int_equal(build(cases[i][0], &p, &e), -1);
		assert_null(p);
		assert_int_equal(e.kind, ERR_USAGE);
		if (strstr(e.msg, cases[i][1]) == NULL)
			fail_msg("%s: %s", cases[i][0], e.msg);
	}
}

static void factor_of(struct buf *b, const char *name, int from, int n)
{
	buf_printf(b, "  %s: [%d", name, from);
	for (int i = 1; i < n; i++)
		buf_printf(b, ", %d", from + i);
	buf_puts(b, "]\n");
}

static void check_too_many(const char *text, const char *want)
{
	struct plan *p = NULL;
	struct err e = { 0 };

	assert_int_equal(build(text, &p, &e), -1);
	if (strstr(e.msg, want) == NULL)
		fail_msg("%s", e.msg);
}

static void too_many_cells_are_refused_quickly(void **state)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;

	(void)state;
	buf_puts(&b, "factors:\n");
	factor_of(&b, "cpus", 1, 101);
	factor_of(&b, "iodepth", 1, 100);
	check_too_many(buf_str(&b), "more than 10000 cells");
	factor_of(&b, "rate", 0, 1000);
	factor_of(&b, "completion_nsec", 0, 1000);
	check_too_many(buf_str(&b), "more than 1000000 combinations");
}

static void too_many_trials_are_refused(void **state)
{
	struct plan *p = NULL;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(build_with("factors: {cpus: [1, 2, 3, 4, 5, 6]}\n"
				    "hosts: [a, b]\n",
				    "design.rounds=100000", &p, &e),
			 -1);
	assert_string_equal(e.msg,
			    "m: 6 cells in 100000 rounds on 2 hosts make "
			    "1200000 trials: more than 1000000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			cells_are_all_combinations_in_the_matrix_order),
		cmocka_unit_test(no_factor_makes_one_cell),
		cmocka_unit_test(the_wire_has_every_parameter_of_its_kind),
		cmocka_unit_test(
			cells_that_differ_in_nothing_that_matters_are_one),
		cmocka_unit_test(host_settings_travel_apart_and_part_boots),
		cmocka_unit_test(a_setting_without_effect_is_noted),
		cmocka_unit_test(cells_with_equal_vms_share_a_group),
		cmocka_unit_test(excluded_cells_are_gone),
		cmocka_unit_test(variables_travel_with_their_cell),
		cmocka_unit_test(a_variable_without_text_is_labelled_so),
		cmocka_unit_test(what_may_be_destroyed_is_told_to_its_workload),
		cmocka_unit_test(variables_that_reach_nobody_are_noted),
		cmocka_unit_test(zipped_factors_move_together),
		cmocka_unit_test(there_may_be_several_groups_of_them),
		cmocka_unit_test(included_cells_come_after_the_combinations),
		cmocka_unit_test(
			an_included_cell_needs_no_level_that_has_no_effect),
		cmocka_unit_test(
			the_first_cell_is_the_baseline_unless_one_is_named),
		cmocka_unit_test(a_factor_without_effect_fits_any_baseline),
		cmocka_unit_test(what_does_not_fit_has_its_place),
		cmocka_unit_test(too_many_cells_are_refused_quickly),
		cmocka_unit_test(too_many_trials_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
