#include "tests/unit/campaign_bench.h"

#include <fcntl.h>
#include <sys/resource.h>

#include "runner/campaign/boundaries.h"

static void a_plan_runs_to_its_end_on_two_hosts(void **state)
{
	struct err e = { 0 };
	struct bench b;

	(void)state;
	bench_init(&b, 3, 2);
	if (run(&b, "good", &e) < 0)
		fail_msg("%s", e.msg);
	assert_all_ok_once(&b);
	assert_int_equal(fake_started, 2);
	assert_int_equal(findings_count(&b.findings, FINDING_OK), 2);
	bench_deinit(&b);
}

// What an agent does once in trial 2, and what becomes of that attempt. The
// repeated attempt is good, so the campaign always ends complete.
static void a_fault_costs_one_attempt(void **state)
{
	static const struct {
		const char *script;
		enum outcome outcome;
		unsigned agents;
		const char *reason;
	} cases[] = {
		{ "late@2!", OUTCOME_OK, 1, NULL },
		{ "failed@2!", OUTCOME_FAILED, 1, "the script says so" },
		{ "invalid@2!", OUTCOME_INVALID, 1, "the script says so" },
		{ "dying@2!", OUTCOME_LOST, 2, "ended" },
		{ "killed@2!", OUTCOME_LOST, 2, "ended" },
		{ "truncated@2!", OUTCOME_LOST, 2, "middle of a message" },
		{ "garbage@2!", OUTCOME_FAILED, 2, "not the protocol" },
		{ "zeros@2!", OUTCOME_FAILED, 2, "not the protocol" },
		{ "endless@2!", OUTCOME_FAILED, 2, "more than 4096 answers" },
		{ "not-json@2!", OUTCOME_FAILED, 2, "bad JSON" },
		{ "wrong-id@2!", OUTCOME_FAILED, 2, "not open" },
		{ "bad-result@2!", OUTCOME_FAILED, 2, "outcome" },
		{ "bad-artifact@2!", OUTCOME_FAILED, 2, "no name for a file" },
		{ "many-artifacts@2!", OUTCOME_FAILED, 2,
		  "more than 32 artifacts" },
		{ "lost@2!", OUTCOME_FAILED, 2, "only vrun" },
		{ "error@2!", OUTCOME_FAILED, 2, "the script says no" },
		{ "hello-again@2!", OUTCOME_FAILED, 2, "out of turn" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(journal_log_freep) struct journal_log *log = NULL;
		const struct record *r = NULL;
		struct err e = { 0 };
		struct bench b;

		bench_init(&b, 2, 1);
		if (run(&b, cases[i].script, &e) < 0)
			fail_msg("%s: %s", cases[i].script, e.msg);
		assert_all_ok_once(&b);
		if (fake_started != cases[i].agents)
			fail_msg("%s: %u agents", cases[i].script,
				 fake_started);
		log = load(&b);
		for (size_t k = 0; k < log->n && r == NULL; k++) {
			if (log->records[k].trial == 2 &&
			    log->records[k].event == RECORD_FINISHED)
				r = &log->records[k];
		}
		assert_non_null(r);
		if (r->result->outcome != cases[i].outcome)
			fail_msg("%s: %s", cases[i].script,
				 outcome_name(r->result->outcome));
		if (cases[i].reason != NULL &&
		    strstr(r->result->reason, cases[i].reason) == NULL)
			fail_msg("%s: %s", cases[i].script, r->result->reason);
		bench_deinit(&b);
	}
}

static void what_a_trial_leaves_is_kept(void **state)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	CLEANUP(cleanup_free) char *path = NULL;
	struct err e = { 0 };
	struct bench b;

	(void)state;
	bench_init(&b, 2, 1);
	assert_int_equal(run(&b, "artifact@2", &e), 0);
	path = store_path(b.store, "artifacts/2/fake.log");
	assert_int_equal(file_read(path, 100, &text, ERR_STORE, &e), 0);
	assert_string_equal(buf_str(&text), "abc");
	assert_false(store_has(b.store->dir, "artifacts/1"));
	assert_all_ok_once(&b);
	bench_deinit(&b);
}

static void an_agent_that_never_answers_is_a_timeout(void **state)
{
	struct err e = { 0 };
	struct bench b;

	(void)state;
	bench_init(&b, 1, 1);
	b.plan->timeout_ns = 1000000;
	assert_int_equal(run(&b, "mute@1!", &e), 0);
	assert_int_equal(count_outcome(&b, OUTCOME_TIMEOUT), 1);
	assert_all_ok_once(&b);
	bench_deinit(&b);
}

static void failures_that_outlast_the_retries_stay(void **state)
{
	struct err e = { 0 };
	struct bench b;

	(void)state;
	bench_init(&b, 2, 1);
	assert_int_equal(run(&b, "invalid@1", &e), 0);
	assert_int_equal(count_outcome(&b, OUTCOME_INVALID), 2);
	assert_int_equal(count_outcome(&b, OUTCOME_OK), 3);
	bench_deinit(&b);
}

static void a_host_that_keeps_losing_agents_is_given_up(void **state)
{
	struct err e = { 0 };
	struct bench b;

	(void)state;
	bench_init(&b, 2, 1);
	assert_int_equal(run(&b, "dying@1", &e), 0);
	assert_int_equal(fake_started, CAMPAIGN_LOSSES_MAX);
	assert_int_equal(count_outcome(&b, OUTCOME_LOST), CAMPAIGN_LOSSES_MAX);
	assert_int_equal(count_outcome(&b, OUTCOME_OK), 1);
	// And the rest can be had later.
	assert_int_equal(run(&b, "good", &e), 0);
	assert_all_ok_once(&b);
	bench_deinit(&b);
}

static void no_host_at_all_is_an_error_that_names_it(void **state)
{
	static const struct {
		const char *script, *says;
	} cases[] = {
		{ "unreachable", "host local: no route to host" },
		{ "stillborn", "host local: the fake agent ended" },
		{ "last-words", "host local: agent: there is no room" },
		{ "old", "speaks version 0" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e = { 0 };
		struct bench b;

		bench_init(&b, 1, 1);
		assert_int_equal(run(&b, cases[i].script, &e), -1);
		assert_int_equal(e.kind, ERR_HOST);
		if (strstr(e.msg, cases[i].says) == NULL)
			fail_msg("%s: %s", cases[i].script, e.msg);
		bench_deinit(&b);
	}
}

static void trials_are_apart_by_the_cooldown(void **state)
{
	int64_t begin = clock_mono_ns();
	struct err e = { 0 };
	struct bench b;

	(void)state;
	bench_init(&b, 2, 1);
	b.plan->cooldown_ns = 20 * NS_PER_MS;
	assert_int_equal(run(&b, "good", &e), 0);
	assert_true(clock_mono_ns() - begin >= 80 * NS_PER_MS);
	assert_all_ok_once(&b);
	bench_deinit(&b);
}

// Two cells in huge pages, which the agent says that it cannot get.
static void settings_that_fail_cost_the_host(void **state)
{
	struct err e = { 0 };
	struct bench b;

	(void)state;
	bench_init(&b, 1, 1);
	for (size_t i = 0; i < b.plan->ncells; i++) {
		struct js *vm = b.plan->cells[i].vm;

		js_set_str(vm, "accel", "tcg");
		js_set_str(vm, "backing", "hugetlb-2M");
		js_set_int(vm, "memory", 4 << 20);
	}
	assert_int_equal(run(&b, "no-settings", &e), 0);
	assert_int_equal(fake_started, CAMPAIGN_LOSSES_MAX);
	assert_int_equal(count_outcome(&b, OUTCOME_OK), 0);
	assert_int_equal(run(&b, "good", &e), 0);
	assert_all_ok_once(&b);
	bench_deinit(&b);
}

static void a_refusal_is_a_finding(void **state)
{
	struct err e = { 0 };
	struct bench b;

	(void)state;
	bench_init(&b, 1, 1);
	assert_int_equal(run(&b, "refusing", &e), 0);
	assert_int_equal(findings_count(&b.findings, FINDING_REFUSE), 1);
	bench_deinit(&b);
}

// The journal of a whole run, cut after every line: whatever was on the disk
// when the controller died, the rest is done and nothing twice.
static void a_campaign_killed_anywhere_can_be_resumed(void **state)
{
	CLEANUP(buf_deinit) struct buf whole = BUF_INIT;
	CLEANUP(cleanup_free) char *path = NULL;
	struct err e = { 0 };
	struct bench b;

	(void)state;
	bench_init(&b, 2, 1);
	path = store_path(b.store, STORE_TRIALS);
	assert_int_equal(run(&b, "good", &e), 0);
	assert_int_equal(file_read(path, 1 << 20, &whole, ERR_STORE, &e), 0);
	for (size_t at = 0; at < whole.len; at += 97) {
		assert_int_equal(file_replace(path, whole.data, at, &e), 0);
		if (run(&b, "good", &e) < 0)
			fail_msg("cut at %zu: %s", at, e.msg);
		assert_all_ok_once(&b);
	}
	bench_deinit(&b);
}

// A campaign that the signal stops: it is there before the first turn of the
// loop. The counts, and the message in `e`.
static struct schedule_counts interrupt(struct bench *b, int sig, struct err *e)
{
	CLEANUP(cleanup_free) char *path = store_path(b->store, STORE_TRIALS);
	CLEANUP(journal_closep) struct journal *j = NULL;
	CLEANUP(campaign_freep) struct campaign *c = NULL;

	fake_script = "late";
	c = campaign_new(b->plan, NULL, &fake_ops, b->progress);
	assert_int_equal(campaign_prepare(c, &b->findings, e), 0);
	assert_int_equal(journal_open(path, NULL, &j, e), 0);
	assert_int_equal(campaign_attach(c, b->store, j, NULL, e), 0);
	raise(sig);
	assert_int_equal(campaign_run(c, e), -1);
	assert_int_equal(e->kind, ERR_INTERRUPTED);
	return campaign_count(c);
}

static void the_first_interrupt_lets_the_trial_end(void **state)
{
	struct err e = { 0 };
	struct bench b;

	(void)state;
	bench_init(&b, 3, 1);
	assert_int_equal(interrupt(&b, SIGINT, &e).ok, 1);
	assert_non_null(strstr(e.msg, "stopped after 1 of 6 trials"));
	bench_deinit(&b);
}

static void sigterm_loses_the_trial_in_hand_and_no_other(void **state)
{
	struct schedule_counts n;
	struct err e = { 0 };
	struct bench b;

	(void)state;
	bench_init(&b, 3, 1);
	n = interrupt(&b, SIGTERM, &e);
	assert_int_equal(n.lost, 1);
	assert_int_equal(n.over, 0);
	assert_int_equal(run(&b, "good", &e), 0);
	assert_all_ok_once(&b);
	bench_deinit(&b);
}

// Boundaries by hand, so that nothing is calibrated; 5 is soon crossed.
static void give_rule(struct bench *b, double crit)
{
	CLEANUP(boundaries_deinit) struct stopping_test t = { 0 };
	CLEANUP(js_unrefp) struct js *j = NULL;
	struct err e = { 0 };

	b->plan->has_stop = true;
	b->plan->stop.min_rounds = 3;
	assert_int_equal(boundaries_rule(b->plan, &t.rule, &e), 0);
	stopping_bounds_init(&t.bounds, b->plan->rounds - 2);
	for (size_t k = 0; k < t.bounds.n; k++)
		t.bounds.crit[k] = t.bounds.crit_eq[k] = crit;
	j = boundaries_to_js(&t);
	assert_int_equal(store_write_js(b->store, STORE_BOUNDARIES, j, &e), 0);
}

// 10 % on both hosts; each ends at once when the slower one has its third
// round, and a resumed campaign has nothing to do.
static void the_stopping_rule_ends_it_on_every_host(void **state)
{
	struct err e = { 0 };
	struct bench b;
	size_t ok;

	(void)state;
	bench_init(&b, 20, 2);
	give_rule(&b, 5);
	assert_int_equal(run(&b, "good", &e), 0);
	ok = count_outcome(&b, OUTCOME_OK);
	assert_in_range(ok, 12, 79);
	assert_int_equal(count_outcome(&b, OUTCOME_LOST), 0);
	assert_int_equal(run(&b, "good", &e), 0);
	assert_int_equal(count_outcome(&b, OUTCOME_OK), ok);
	bench_deinit(&b);
}

static void what_the_rule_cannot_decide_runs_to_its_end(void **state)
{
	struct err e = { 0 };
	struct bench b;

	(void)state;
	bench_init(&b, 4, 2);
	give_rule(&b, 1e9);
	assert_int_equal(run(&b, "good", &e), 0);
	assert_all_ok_once(&b);
	bench_deinit(&b);
}

static void a_full_disk_stops_the_campaign(void **state)
{
	struct rlimit former, tight;
	struct err e = { 0 };
	struct bench b;

	(void)state;
	bench_init(&b, 3, 1);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &former);
	tight = former;
	tight.rlim_cur = 1500;
	setrlimit(RLIMIT_FSIZE, &tight);
	assert_int_equal(run(&b, "good", &e), -1);
	setrlimit(RLIMIT_FSIZE, &former);
	assert_int_equal(e.kind, ERR_STORE);
	assert_true(count_outcome(&b, OUTCOME_OK) > 0);
	e = (struct err){ 0 };
	assert_int_equal(run(&b, "good", &e), 0);
	assert_all_ok_once(&b);
	bench_deinit(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plan_runs_to_its_end_on_two_hosts),
		cmocka_unit_test(a_fault_costs_one_attempt),
		cmocka_unit_test(what_a_trial_leaves_is_kept),
		cmocka_unit_test(an_agent_that_never_answers_is_a_timeout),
		cmocka_unit_test(failures_that_outlast_the_retries_stay),
		cmocka_unit_test(a_host_that_keeps_losing_agents_is_given_up),
		cmocka_unit_test(no_host_at_all_is_an_error_that_names_it),
		cmocka_unit_test(trials_are_apart_by_the_cooldown),
		cmocka_unit_test(settings_that_fail_cost_the_host),
		cmocka_unit_test(a_refusal_is_a_finding),
		cmocka_unit_test(a_campaign_killed_anywhere_can_be_resumed),
		cmocka_unit_test(the_first_interrupt_lets_the_trial_end),
		cmocka_unit_test(sigterm_loses_the_trial_in_hand_and_no_other),
		cmocka_unit_test(the_stopping_rule_ends_it_on_every_host),
		cmocka_unit_test(what_the_rule_cannot_decide_runs_to_its_end),
		cmocka_unit_test(a_full_disk_stops_the_campaign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
