#include "tests/unit/unit.h"

#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/buf.h"
#include "runner/matrix/matrix.h"

#define WORKLOADS "workloads: [block: {iodepth: 8}]\n"

static char *errors_of(const char *text, const char *const *set, size_t nset)
{
	struct matrix_source from = {
		"m", text, strlen(text), set, nset, NULL
	};
	CLEANUP(matrix_freep) struct matrix *m = NULL;
	struct err e = { 0 };

	if (matrix_parse(&from, &m, &e) == 0)
		return xstrdup("");
	assert_null(m);
	assert_int_equal(e.kind, ERR_USAGE);
	return xstrdup(e.msg);
}

static struct matrix *parsed(const char *text, const char *const *set,
			     size_t nset)
{
	struct matrix_source from = {
		"m", text, strlen(text), set, nset, NULL
	};
	struct matrix *m = NULL;
	struct err e = { 0 };

	if (matrix_parse(&from, &m, &e) < 0)
		fail_msg("%s\nfor:\n%s", e.msg, text);
	return m;
}

struct bad {
	const char *text; // after "name: x" and the workloads, from line 3
	const char *want; // part of the errors
};

static void check_bad(const struct bad *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		CLEANUP(cleanup_free)
		char *text =
			xasprintf("name: x\n" WORKLOADS "%s", cases[i].text);
		CLEANUP(cleanup_free) char *got = errors_of(text, NULL, 0);

		if (strstr(got, cases[i].want) == NULL)
			fail_msg("%s\nsays: %s\nwant: %s", cases[i].text, got,
				 cases[i].want);
	}
}

static void bad_factors_and_fixed_have_place_and_remedy(void **state)
{
	static const struct bad cases[] = {
		{ "factors: {backing: [4k, 3M]}\n",
		  "m:3:25: factor \"backing\": unknown value \"3M\" (have 4k, "
		  "thp, hugetlb-2M, hugetlb-1G)" },
		{ "factors: {backing: []}\n",
		  "m:3:20: factor \"backing\": has no level" },
		{ "factors: {backing: 4k}\n", "must be a list of levels" },
		{ "factors: {backing: }\n", "must be a list of levels" },
		{ "factors: {backing: [4k, 4k]}\n",
		  "lists level \"4k\" twice" },
		{ "factors: {memory: [1G, 1024M]}\n",
		  "m:3:24: factor \"memory\": lists level \"1G\" twice" },
		{ "factors: {backign: [4k]}\n",
		  "m:3:11: unknown parameter \"backign\"; did you mean "
		  "\"backing\"?" },
		{ "factors: {blok.iodepth: [1]}\n",
		  "did you mean \"block.iodepth\"?" },
		{ "factors: {zzz: [1]}\n", "(have accel, " },
		{ "factors: {iodepth: [1, 2]}\n",
		  "factor \"iodepth\": is set in line 2 already" },
		{ "fixed: {runtime: -1s}\n",
		  "m:3:18: fixed \"runtime\": \"-1s\" is negative (a time like" },
		{ "fixed: {memory: 1G}\nfactors: {memory: [1G, 2G]}\n",
		  "m:4:11: factor \"memory\": is set in line 3 already" },
		{ "factors: {bs: [4k], block.bs: [8k]}\n",
		  "m:3:21: factor \"block.bs\": is set in line 3 already" },
		{ "fixed: {cpus: 99999999999999999999999}\n", "is too large" },
		{ "fixed: {cpus: [1]}\n", "must be text, not a list" },
		{ "host-settings: {governr: performance}\n",
		  "unknown setting \"governr\" (have governor, " },
		{ "host-settings: {turbo: fast}\n", "(have keep, on, off)" },
		{ "host-settings: {/etc/passwd: 1}\n",
		  "must be one file below /sys or /proc/sys" },
		{ "host-settings: {/sys/../etc/passwd: 1}\n",
		  "must be one file below /sys or /proc/sys" },
		{ "host-settings: {sysctl...etc: 1}\n",
		  "must be one file below /sys or /proc/sys" },
		{ "host-settings: {sysctl.: 1}\n",
		  "must be one file below /sys or /proc/sys" },
		{ "host-settings: {/sys/a: }\n", "has no value" },
		{ "host-settings: {/sys/a: \"1\\n2\"}\n",
		  "must be one line of text" },
		{ "host-settings: {memory: 1G}\n", "unknown setting" },
		{ "fixed: {thp: never}\nhost-settings: {thp: never}\n",
		  "is set in line" },
		{ "fixed: [cpus]\n", "\"fixed\" must be a map, not a list" },
		{ "factors: {cpus: [{a: 1, b: 2}]}\n",
		  "must be text, not a map" },
		{ "factors: {backing: [{4k: thp}, 4k]}\n", "twice" },
	};

	(void)state;
	check_bad(cases, ARRAY_LEN(cases));
}

static void bad_comparisons_have_place_and_remedy(void **state)
{
	static const struct bad cases[] = {
		{ "compare: {metric: block.iosp}\n",
		  "did you mean \"block.iops\"?" },
		{ "compare: {metric: iops}\n", "(have block.iops, " },
		{ "compare: {metric: [block.iops, block.iops]}\n",
		  "is listed twice" },
		{ "compare: {metrics: []}\n", "needs 1 to" },
		{ "compare: {baseline: {backing: 4k}}\n",
		  "\"backing\" is no factor (have none)" },
		{ "factors: {bs: [4k, 8k]}\ncompare: {baseline: {bs: 1M}}\n",
		  "m:4:26: baseline: factor \"bs\" has no level \"1M\" (have "
		  "4k, 8k)" },
		{ "compare: {exact: [block.iosp]}\n",
		  "m:3:19: unknown metric \"block.iosp\"" },
		{ "compare: {exact: [block.iops, block.iops]}\n",
		  "is listed twice" },
		{ "compare: {baseline: {}}\n", "names no factor" },
		{ "compare: {margin: -2%}\n", "out of range (0% to 100%)" },
		{ "compare: {margin: 0}\n", "must be more than 0" },
		{ "compare: {better: lower}\n",
		  "compare: unknown key \"better\" (have metric, metrics, "
		  "exact, baseline, margin)" },
		{ "exclude: {bs: 4k}\n", "\"exclude\" must be a list" },
		{ "exclude: [4k]\n", "exclude must be a map, not text" },
		{ "include: {bs: 4k}\n", "\"include\" must be a list" },
		{ "include: [{bs: 4k}]\n",
		  "m:3:12: include: \"bs\" is no factor (have none)" },
		{ "factors: {bs: [4k]}\ninclude: [{bs: big}]\n",
		  "m:4:16: factor \"bs\": \"big\" is not a number" },
		{ "factors: {bs: [4k]}\ninclude: [{bs: {big: 4k}}]\n",
		  "m:4:16: factor \"bs\": lists level \"4k\" twice" },
		{ "zip: bs\n", "\"zip\" must be a list, not text" },
		{ "zip: []\n", "m:3:6: zip: needs two factors or more" },
		{ "factors: {bs: [4k]}\nzip: [bs]\n",
		  "zip: needs two factors or more" },
		{ "factors: {bs: [4k]}\nzip: [[bs], bs]\n",
		  "m:4:13: a group of zip must be a list, not text" },
		{ "factors: {bs: [4k]}\nzip: [bs, sb]\n",
		  "m:4:11: zip: \"sb\" is no factor (have bs); did you mean "
		  "\"bs\"?" },
		{ "factors: {bs: [4k]}\nzip: [bs, bs]\n",
		  "m:4:11: zip: factor \"bs\" is listed twice" },
		{ "factors: {bs: [4k, 8k], cpus: [1, 2], iodepth: [1, 2]}\n"
		  "zip: [[bs, cpus], [iodepth, bs]]\n",
		  "m:4:29: zip: factor \"bs\" is listed twice" },
		{ "factors: {bs: [4k, 8k], cpus: [1, 2, 4]}\n"
		  "zip: [bs, cpus]\n",
		  "m:4:11: zip: factor \"cpus\" has 3 levels, \"bs\" has 2" },
	};

	(void)state;
	check_bad(cases, ARRAY_LEN(cases));
}

static void bad_variables_have_place_and_remedy(void **state)
{
	static const struct bad cases[] = {
		{ "vars: [a]\n", "\"vars\" must be a map, not a list" },
		{ "vars: {a-b: 1}\n",
		  "m:3:8: vars: \"a-b\": a name must be letters, digits and _" },
		{ "vars: {cpus: 1}\n", "m:3:8: vars: \"cpus\" is a parameter" },
		{ "vars: {a: [1]}\n", "m:3:11: vars a must be text" },
		{ "vars: {mode: 1}\nfactors: {mdoe: [1, 2]}\n",
		  "did you mean \"mode\"?" },
		{ "vars: {mode: 1}\nfixed: {mode: 2}\n",
		  "m:4:9: unknown parameter \"mode\"" },
	};

	(void)state;
	check_bad(cases, ARRAY_LEN(cases));
}

static void bad_designs_have_place_and_remedy(void **state)
{
	static const struct bad cases[] = {
		{ "design: {rounds: 0}\n",
		  "m:3:18: rounds: \"0\" is out of range (1 to 100000)" },
		{ "design: {rounds: many}\n", "is not a number" },
		{ "design: {rounds: }\n", "has no value" },
		{ "design: {seed: 0}\n", "out of range (1 to 4294967295)" },
		{ "design: {order: williams2}\n",
		  "did you mean \"williams\"?" },
		{ "design: {stop: 5}\n", "\"stop\" must be a map" },
		{ "design: {stop: {margin: yes}}\n",
		  "m:3:25: margin: yes needs compare: {margin: ...}" },
		{ "design: {stop: {precision: 0%}}\n",
		  "m:3:28: precision: must be more than 0" },
		{ "design: {stop: {min-rounds: 1}}\n", "min-rounds" },
		{ "design: {stop: {min-rounds: 6, max-rounds: 5}}\n",
		  "m:3:29: min-rounds: 6 is more than the 5 rounds" },
		{ "design: {rounds: 4, stop: {}}\n",
		  "min-rounds: 5 is more than the 4 rounds" },
		{ "design: {rounds: 1001, stop: {}}\n",
		  "max-rounds of at most 1000 (rounds is 1001)" },
		{ "design: {rounds: 20, stop: {max-rounds: 40}}\n",
		  "m:3:18: rounds: 20 beside stop: {max-rounds: 40}" },
		{ "design: {order: sequential, stop: {}}\n",
		  "m:3:35: stop: needs rounds" },
		{ "design: {stop: {max: 5}}\n",
		  "design.stop: unknown key \"max\" (have margin, precision, "
		  "min-rounds, max-rounds)" },
		{ "design: {cooldown: 5}\n", "has an unknown unit" },
		{ "destroy: [/dev/x]\n",
		  "m:3:11: destroy: \"/dev/x\" is the device of no workload" },
		{ "destroy: {a: b}\n",
		  "\"destroy\" must be a list, not a map" },
		{ "timeout: 0\n", "timeout: must be more than 0" },
		{ "retries: 101\n", "out of range (0 to 100)" },
		{ "hosts: []\n", "needs 1 to 1024" },
		{ "hosts: [a, a]\n", "host \"a\" is listed twice" },
		{ "hosts: [-oProxyCommand=x]\n",
		  "m:3:9: host \"-oProxyCommand=x\": must be a host or group "
		  "of hosts.yaml, or [USER@]HOST[:PORT]" },
		{ "require: {kvm: maybe}\n", "(have refuse, warn, ignore)" },
		{ "require: {hugepage: warn}\n",
		  "m:3:11: require: unknown key \"hugepage\" (have results, "
		  "qemu, image, " },
		{ "require: {hugepage: warn}\n", "mean \"hugepages\"?" },
		{ "require: [kvm]\n", "\"require\" must be a map, not a list" },
		{ "roundz: 3\n", "m:3:1: unknown key \"roundz\" (have name" },
		{ "workload: 3\n", "did you mean \"workloads\"?" },
	};

	(void)state;
	check_bad(cases, ARRAY_LEN(cases));
}

static void bad_workloads_have_place_and_remedy(void **state)
{
	static const struct bad cases[] = {
		{ "workloads: []\n", "m:2:12: workloads: needs 1 to 16" },
		{ "workloads: {block: {}}\n", "must be a list, not a map" },
		{ "workloads: [blok]\n",
		  "m:2:13: unknown workload \"blok\" (have block, synthetic); "
		  "did you mean \"block\"?" },
		{ "workloads: [block, block]\n",
		  "two workloads are called \"block\": give each a \"name\"" },
		{ "workloads: [{block: {}, synthetic: {}}]\n",
		  "a workload must be one kind" },
		{ "workloads: [block: {qdepth: 1}]\n",
		  "block: unknown parameter \"qdepth\" (have engine, " },
		{ "workloads: [block: {name: a.b}]\n", "workload's name" },
		{ "workloads: [block: 3]\n", "must be a map, not text" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(cleanup_free)
		char *text = xasprintf("name: x\n%s", cases[i].text);
		CLEANUP(cleanup_free) char *got = errors_of(text, NULL, 0);

		if (strstr(got, cases[i].want) == NULL)
			fail_msg("%s: %s", cases[i].text, got);
	}
}

static void all_errors_come_at_once_in_order(void **state)
{
	CLEANUP(cleanup_free)
	char *got = errors_of("nam: x\ndesign: {rounds: 0}\nfixed: {cpus: 0}\n",
			      NULL, 0);
	static const char *const want[] = {
		"m:1:1: \"name\" is missing", "m:1:1: \"workloads\" is missing",
		"m:1:1: unknown key \"nam\"", "m:2:18: rounds",
		"m:3:15: fixed \"cpus\"",
	};
	const char *at = got;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		at = strstr(at, want[i]);
		if (at == NULL)
			fail_msg("\"%s\" is not in its place in:\n%s", want[i],
				 got);
	}
}

static void thousands_of_errors_fit_the_message(void **state)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;
	CLEANUP(cleanup_free) char *got = NULL;

	(void)state;
	for (int i = 0; i < 5000; i++)
		buf_printf(&b, "key%d: 1\n", i);
	got = errors_of(buf_str(&b), NULL, 0);
	assert_non_null(strstr(got, "more errors follow"));
	assert_true(strlen(got) < ERR_MSG_MAX);
}

static void what_the_file_leaves_out_has_its_default(void **state)
{
	CLEANUP(matrix_freep)
	struct matrix *m = parsed("name: x\nworkloads: [block]\n", NULL, 0);

	(void)state;
	assert_int_equal(m->rounds, 10);
	assert_int_equal(m->repeat, 1);
	assert_int_equal(m->retries, 1);
	assert_int_equal(m->warmup_rounds, 0);
	assert_int_equal(m->order, MATRIX_BLOCKS);
	assert_false(m->has_seed);
	assert_false(m->has_margin);
	assert_int_equal(m->nhosts, 1);
	assert_string_equal(m->hosts[0], "local");
	assert_int_equal(m->nmetrics, 1);
	assert_string_equal(m->metrics[0], "block.iops");
	assert_string_equal(m->question, "What is block.iops?");
}

static const struct param_value *value_of(const struct matrix *m, size_t owner,
					  const char *name)
{
	const struct matrix_owner *o = &m->owners[owner];
	const struct param *p =
		param_find(o->kind ? o->kind->name : NULL, name);

	return o->slots[param_index(p)].value;
}

static void a_bare_name_reaches_every_workload_that_has_it(void **state)
{
	CLEANUP(matrix_freep)
	struct matrix *m = parsed(
		"name: x\n"
		"workloads: [block: {name: a}, block: {name: b}, synthetic]\n"
		"fixed: {runtime: 2s, b.iodepth: 7}\n"
		"factors: {bs: [4k, 8k], a.rw: [read, write]}\n",
		NULL, 0);

	(void)state;
	for (size_t i = 1; i <= 3; i++)
		assert_int_equal(value_of(m, i, "runtime")->i, 2000000000);
	assert_int_equal(value_of(m, 1, "iodepth")->i, 1);
	assert_int_equal(value_of(m, 2, "iodepth")->i, 7);
	assert_int_equal(m->factors[0].ntargets, 2);
	assert_int_equal(m->factors[1].ntargets, 1);
	assert_int_equal(m->nmetrics, 3);
	assert_string_equal(m->metrics[1], "b.iops");
}

static void levels_may_have_labels(void **state)
{
	CLEANUP(matrix_freep)
	struct matrix *m =
		parsed("name: x\n" WORKLOADS
		       "factors: {qemu: [{old: /a/qemu}, {new: /b/qemu}],\n"
		       "  qemu-args: [{none: []}, {two: [-a, b]}]}\n"
		       "compare: {baseline: {qemu: old}}\n",
		       NULL, 0);

	(void)state;
	assert_string_equal(m->factors[0].levels[1].text, "new");
	assert_string_equal(m->factors[0].levels[1].value.s, "/b/qemu");
	assert_int_equal(m->factors[1].levels[1].value.nlist, 2);
	assert_int_equal(m->baseline.refs[0].level, 0);
}

static void a_level_is_found_by_an_equal_value(void **state)
{
	CLEANUP(matrix_freep)
	struct matrix *m = parsed(
		"name: x\n" WORKLOADS "factors: {memory: [1G, 2G]}\n", NULL, 0);

	(void)state;
	assert_int_equal(matrix_find_level(&m->factors[0], "2048M"), 1);
	assert_true(matrix_find_level(&m->factors[0], "3G") == SIZE_MAX);
	assert_true(matrix_find_level(&m->factors[0], "x") == SIZE_MAX);
}

static void overrides_win_over_the_file(void **state)
{
	static const char *const set[] = {
		"design.rounds=3",	     "memory=1G",
		"block.iodepth=64",	     "retries=0",
		"factors.backing=[thp, 4k]", "hosts=[a,b]"
	};
	CLEANUP(matrix_freep)
	struct matrix *m =
		parsed("name: x\n" WORKLOADS "factors: {backing: [4k]}\n"
		       "fixed: {memory: 2G}\n",
		       set, ARRAY_LEN(set));

	(void)state;
	assert_int_equal(m->rounds, 3);
	assert_int_equal(m->retries, 0);
	assert_int_equal(value_of(m, MATRIX_VM, "memory")->i, 1 << 30);
	assert_int_equal(value_of(m, 1, "iodepth")->i, 64);
	assert_int_equal(m->factors[0].nlevels, 2);
	assert_int_equal(m->nhosts, 2);
}

static void an_override_does_not_change_what_an_alias_shares(void **state)
{
	static const char *const set[] = { "fixed.cpus=4" };
	CLEANUP(matrix_freep)
	struct matrix *m = parsed("name: x\nx-base: &b {cpus: 2}\n" WORKLOADS
				  "fixed: *b\n",
				  set, 1);

	(void)state;
	assert_int_equal(value_of(m, MATRIX_VM, "cpus")->i, 4);
}

static void bad_overrides_are_told_by_their_name(void **state)
{
	static const char *const cases[][2] = {
		{ "memory", "--set: \"memory\": must be KEY=VALUE" },
		{ "=3", "--set: \"=3\": must be KEY=VALUE" },
		{ "require.nosuch=warn",
		  "--set require.nosuch: require: unknown key \"nosuch\"" },
		{ "design.rounds=0", "--set design.rounds: rounds: \"0\" is" },
		{ "memroy=1G", "did you mean \"memory\"?" },
		{ "memory=3", "--set memory: value: \"3\" is out of range" },
		{ "backing=thp",
		  "--set backing: is a factor here: --set factors.backing=" },
		{ "design.x=1", "design: unknown key \"x\"" },
		{ "factors.backing=[4k",
		  "--set factors.backing:2:1: bad YAML" },
		{ "name=", "has no value" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(cleanup_free)
		char *got = errors_of("name: x\n" WORKLOADS
				      "factors: {backing: [4k]}\n",
				      cases[i], 1);

		if (strstr(got, cases[i][1]) == NULL)
			fail_msg("%s: %s", cases[i][0], got);
	}
}

static void names_fit_a_directory(void **state)
{
	static const char *const bad[] = { "../x", "a/b", ".x", "a b", "-x" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		CLEANUP(cleanup_free)
		char *text = xasprintf("name: %s\n" WORKLOADS, bad[i]);
		CLEANUP(cleanup_free) char *got = errors_of(text, NULL, 0);

		if (strncmp(got, "m:1:7: name", 11) != 0)
			fail_msg("%s: \"%s\"", bad[i], got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_factors_and_fixed_have_place_and_remedy),
		cmocka_unit_test(bad_comparisons_have_place_and_remedy),
		cmocka_unit_test(bad_designs_have_place_and_remedy),
		cmocka_unit_test(bad_variables_have_place_and_remedy),
		cmocka_unit_test(bad_workloads_have_place_and_remedy),
		cmocka_unit_test(all_errors_come_at_once_in_order),
		cmocka_unit_test(thousands_of_errors_fit_the_message),
		cmocka_unit_test(what_the_file_leaves_out_has_its_default),
		cmocka_unit_test(
			a_bare_name_reaches_every_workload_that_has_it),
		cmocka_unit_test(levels_may_have_labels),
		cmocka_unit_test(a_level_is_found_by_an_equal_value),
		cmocka_unit_test(overrides_win_over_the_file),
		cmocka_unit_test(
			an_override_does_not_change_what_an_alias_shares),
		cmocka_unit_test(bad_overrides_are_told_by_their_name),
		cmocka_unit_test(names_fit_a_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
