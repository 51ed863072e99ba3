// A results directory as a report sees it, with records made by hand.
#include "tests/unit/unit.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/campaign/journal.h"
#include "runner/campaign/results.h"
#include "runner/campaign/store.h"
#include "runner/matrix/matrix.h"
#include "tests/fake/dir.h"

static const char text[] = "name: x\n"
			   "factors: {effect: [0, 0.1]}\n"
			   "fixed: {accel: native}\n"
			   "workloads: [synthetic: {cv: 0.1}]\n"
			   "compare: {metric: synthetic.value, margin: 2%,\n"
			   "  baseline: {effect: 0}}\n"
			   "design: {rounds: 3}\n"
			   "hosts: [a]\n";

struct bench {
	char *dir;
	struct plan *plan;
	struct results *results;
};

static void bench_deinit(struct bench *b)
{
	results_free(b->results);
	plan_free(b->plan);
	fake_dir_freep(&b->dir);
}

static void write_text(const struct bench *b, const char *name,
		       const char *what)
{
	CLEANUP(cleanup_free) char *path = xasprintf("%s/%s", b->dir, name);
	struct err e = { 0 };

	if (file_replace(path, what, strlen(what), &e) < 0)
		fail_msg("%s", e.msg);
}

static void bench_init_of(struct bench *b, const char *yaml, const char *hosts)
{
	struct matrix_source from = { "m", yaml, strlen(yaml), NULL, 0, NULL };
	CLEANUP(matrix_freep) struct matrix *m = NULL;
	CLEANUP(buf_deinit) struct buf plan = BUF_INIT;
	CLEANUP(js_unrefp) struct js *j = NULL;
	struct err e = { 0 };

	if (matrix_parse(&from, &m, &e) < 0 ||
	    plan_build(m, 7, &b->plan, &e) < 0)
		fail_msg("%s", e.msg);
	b->dir = fake_dir_new();
	j = plan_to_js(b->plan);
	js_print_canonical(j, &plan);
	write_text(b, STORE_PLAN, buf_str(&plan));
	write_text(b, STORE_HOSTS, hosts);
}

static void bench_init(struct bench *b, const char *hosts)
{
	bench_init_of(b, text, hosts);
}

static void append(struct journal *to, const struct plan *p,
		   const struct plan_trial *t, struct result *result)
{
	const struct plan_cell *c = &p->cells[t->cell];
	struct record r = {
		.event = RECORD_STARTED,
		.trial = t->id,
		.attempt = 1,
		.boot_attempt = 1,
		.host = p->hosts[t->host],
		.block = t->block,
		.boot = t->boot,
		.position = t->position,
		.cell = t->cell,
		.levels = c->levels,
		.nlevels = c->nlevels,
	};
	struct err e = { 0 };

	if (journal_append(to, &r, &e) < 0)
		fail_msg("%s", e.msg);
	r.event = RECORD_FINISHED;
	r.result = result;
	if (journal_append(to, &r, &e) < 0)
		fail_msg("%s", e.msg);
}

typedef struct result *make_result(struct arena *a, const struct plan_trial *t);

// Both events of each of the first `n` trials of the plan; then loads it all.
static void record_some(struct bench *b, make_result *make, size_t n)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(journal_closep) struct journal *j = NULL;
	CLEANUP(cleanup_free)
	char *path = xasprintf("%s/" STORE_TRIALS, b->dir);
	struct err e = { 0 };

	if (journal_open(path, NULL, &j, &e) < 0)
		fail_msg("%s", e.msg);
	for (size_t i = 0; i < n; i++)
		append(j, b->plan, &b->plan->trials[i],
		       make(a, &b->plan->trials[i]));
	if (results_load(b->dir, 0, &b->results, &e) < 0)
		fail_msg("%s", e.msg);
}

static void record(struct bench *b, make_result *make)
{
	record_some(b, make, b->plan->ntrials);
}

static struct result *invalid(struct arena *a, const struct plan_trial *t)
{
	struct result *r = result_new(a);

	(void)t;
	r->outcome = OUTCOME_INVALID;
	r->reason = "backing did not take effect";
	return r;
}

static void a_campaign_without_a_figure_has_a_report(void **state)
{
	static const char *const says[] = {
		"Inconclusive (no-data)",
		"synthetic.value",
		"backing did not take effect",
		"6 invalid",
		"no round has a figure of both arms",
	};
	CLEANUP(bench_deinit) struct bench b = { 0 };
	CLEANUP(buf_deinit) struct buf out = BUF_INIT;

	(void)state;
	bench_init(&b, "{\"v\": 1, \"sessions\": []}");
	record(&b, invalid);
	for (int f = 0; f < REPORT_FORMATS; f++)
		report_write(&b.results->report, (enum report_format)f, &out);
	for (size_t i = 0; i < ARRAY_LEN(says); i++)
		if (strstr(buf_str(&out), says[i]) == NULL)
			fail_msg("\"%s\" is not in\n%s", says[i],
				 buf_str(&out));
	assert_false(results_is_whole(b.results));
}

static struct result *noted(struct arena *a, const struct plan_trial *t)
{
	struct result *r = result_new(a);
	struct metric m = { .name = "synthetic.value",
			    .value = 100 + t->block + 10 * t->cell,
			    .unit = "1",
			    .better = BETTER_HIGHER };

	result_metric(a, r, &m);
	result_note(a, r, "accel best is TCG here");
	return r;
}

// Preflight found out on the host what each trial says again.
static void what_trials_note_is_said_once(void **state)
{
	static const char hosts[] =
		"{\"v\": 1, \"sessions\": [{\"hosts\": [{\"host\": \"a\","
		" \"findings\": [{\"level\": \"warn\", \"check\": \"kvm\","
		" \"what\": \"accel best is TCG here\"}, {\"level\": \"warn\","
		" \"check\": \"load\", \"what\": \"load 3\"}]}]}]}";
	CLEANUP(bench_deinit) struct bench b = { 0 };

	(void)state;
	bench_init(&b, hosts);
	record(&b, noted);
	assert_int_equal(b.results->report.nnotes, 1);
	assert_string_equal(b.results->report.notes[0], "a: load: load 3");
	assert_true(results_is_whole(b.results));
}

static void a_host_that_changes_is_named(void **state)
{
	static const char hosts[] =
		"{\"v\": 1, \"sessions\": [{\"hosts\": [{\"host\": \"a\","
		" \"facts\": {\"kernel\": \"6.1\", \"cpus\": 4}}]},"
		" {\"hosts\": [{\"host\": \"a\","
		" \"facts\": {\"kernel\": \"6.2\", \"cpus\": 4}}]}]}";
	CLEANUP(bench_deinit) struct bench b = { 0 };

	(void)state;
	bench_init(&b, hosts);
	record(&b, noted);
	assert_int_equal(b.results->report.nnotes, 1);
	assert_string_equal(b.results->report.notes[0],
			    "a: kernel changed between sessions: \"6.1\", "
			    "then \"6.2\"");
}

static void facts_that_are_gone_cost_no_figure(void **state)
{
	static const char *const lost[] = { NULL, "{\"v\": 1, \"sess", "{}",
					    "[]" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lost); i++) {
		CLEANUP(bench_deinit) struct bench b = { 0 };
		CLEANUP(cleanup_free) char *path = NULL;

		bench_init(&b, lost[i] != NULL ? lost[i] : "");
		path = xasprintf("%s/" STORE_HOSTS, b.dir);
		if (lost[i] == NULL && unlink(path) < 0)
			fail_msg("%s", path);
		record(&b, noted);
		assert_int_equal(b.results->report.nnotes, 1);
		if (strncmp(b.results->report.notes[0], path, strlen(path)) !=
		    0)
			fail_msg("%s", b.results->report.notes[0]);
		assert_true(results_is_whole(b.results));
	}
}

// Somebody may never write into it.
static void a_pipe_is_no_file_of_a_campaign(void **state)
{
	static const char *const names[] = { STORE_PLAN, STORE_TRIALS,
					     STORE_HOSTS };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		CLEANUP(bench_deinit) struct bench b = { 0 };
		CLEANUP(cleanup_free) char *path = NULL;
		struct results *r = NULL;
		struct err e = { 0 };

		bench_init(&b, "{\"v\": 1, \"sessions\": []}");
		record(&b, noted);
		path = xasprintf("%s/%s", b.dir, names[i]);
		assert_int_equal(unlink(path), 0);
		assert_int_equal(mkfifo(path, 0600), 0);
		if (results_load(b.dir, 0, &r, &e) < 0) {
			assert_int_equal(e.kind, ERR_STORE);
			assert_non_null(strstr(e.msg, "is a pipe or device"));
			assert_string_not_equal(names[i], STORE_HOSTS);
		} else {
			assert_string_equal(names[i], STORE_HOSTS);
			assert_non_null(
				strstr(r->report.notes[0], "is a pipe"));
		}
		results_free(r);
	}
}

#define LATENCIES(metric, load)                                         \
	"name: x\nfactors: {iodepth: [1, 2]}\nfixed: {accel: native}\n" \
	"workloads: [block: {" load "}]\n"                              \
	"compare: {metric: " metric ", baseline: {iodepth: 1}}\n"       \
	"design: {rounds: 3}\nhosts: [a]\n"

static void latencies_of_a_closed_loop_are_doubted(void **state)
{
	static const struct {
		const char *yaml;
		bool doubted;
	} cases[] = {
		{ LATENCIES("block.lat_p99", "bs: 4k"), true },
		{ LATENCIES("block.lat_p99", "rate: 1000"), false },
		{ LATENCIES("block.iops", "bs: 4k"), false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(bench_deinit) struct bench b = { 0 };
		CLEANUP(buf_deinit) struct buf out = BUF_INIT;

		bench_init_of(&b, cases[i].yaml, "{}");
		record(&b, invalid);
		report_write(&b.results->report, REPORT_JSON, &out);
		if ((strstr(buf_str(&out), "coordinated omission") != NULL) !=
		    cases[i].doubted)
			fail_msg("%s", cases[i].yaml);
	}
}

// Two of three rounds: t at 1 degree of freedom would be wide as it is.
static void a_look_in_mid_run_is_anytime_valid_and_says_so(void **state)
{
	static const char says[] = "looked at in mid-run: anytime-valid";
	CLEANUP(bench_deinit) struct bench some = { 0 };
	CLEANUP(bench_deinit) struct bench ended = { 0 };
	CLEANUP(bench_deinit) struct bench all = { 0 };
	CLEANUP(buf_deinit) struct buf out = BUF_INIT;

	(void)state;
	bench_init(&some, "{}");
	record_some(&some, noted, 4);
	assert_true(some.results->an->interim);
	report_write(&some.results->report, REPORT_MD, &out);
	assert_non_null(strstr(buf_str(&out), says));

	bench_init(&ended, "{}");
	write_text(&ended, STORE_MANIFEST, "");
	record_some(&ended, noted, 4);
	assert_false(ended.results->an->interim);
	assert_true(some.results->an->comparisons[0].effect.p >
		    ended.results->an->comparisons[0].effect.p);

	bench_init(&all, "{}");
	record(&all, noted);
	assert_false(all.results->an->interim);
	buf_clear(&out);
	report_write(&all.results->report, REPORT_MD, &out);
	assert_null(strstr(buf_str(&out), says));
}

static void a_look_in_mid_run_at_many_comparisons_says_so(void **state)
{
	static const char three[] =
		"name: x\n"
		"factors: {effect: [0, 0.1, 0.2]}\n"
		"fixed: {accel: native}\n"
		"workloads: [synthetic: {cv: 0.1}]\n"
		"compare: {metric: synthetic.value, baseline: {effect: 0}}\n"
		"design: {rounds: 3}\n"
		"hosts: [a]\n";
	CLEANUP(bench_deinit) struct bench b = { 0 };
	CLEANUP(buf_deinit) struct buf out = BUF_INIT;

	(void)state;
	bench_init_of(&b, three, "{}");
	record_some(&b, noted, 6);
	report_answer(&b.results->report, &out);
	assert_non_null(strstr(buf_str(&out), "looked at in mid-run"));
}

static void a_record_of_another_plan_is_named_with_its_file(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(bench_deinit) struct bench b = { 0 };
	CLEANUP(journal_closep) struct journal *j = NULL;
	CLEANUP(cleanup_free) char *path = NULL;
	CLEANUP(cleanup_free) char *place = NULL;
	struct plan_trial t;
	struct err e = { 0 };

	(void)state;
	bench_init(&b, "{\"v\": 1, \"sessions\": []}");
	path = xasprintf("%s/" STORE_TRIALS, b.dir);
	place = xasprintf("%s:1: ", path);
	if (journal_open(path, NULL, &j, &e) < 0)
		fail_msg("%s", e.msg);
	t = b.plan->trials[0];
	t.block = 77;
	append(j, b.plan, &t, noted(a, &t));
	assert_int_equal(results_load(b.dir, 0, &b.results, &e), -1);
	if (strncmp(e.msg, place, strlen(place)) != 0)
		fail_msg("%s", e.msg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_campaign_without_a_figure_has_a_report),
		cmocka_unit_test(what_trials_note_is_said_once),
		cmocka_unit_test(a_host_that_changes_is_named),
		cmocka_unit_test(facts_that_are_gone_cost_no_figure),
		cmocka_unit_test(a_pipe_is_no_file_of_a_campaign),
		cmocka_unit_test(latencies_of_a_closed_loop_are_doubted),
		cmocka_unit_test(
			a_look_in_mid_run_is_anytime_valid_and_says_so),
		cmocka_unit_test(a_look_in_mid_run_at_many_comparisons_says_so),
		cmocka_unit_test(
			a_record_of_another_plan_is_named_with_its_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
