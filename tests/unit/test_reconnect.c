// Hosts whose agents outlive the connection: what becomes of a trial when it
// is lost, and who comes back.
#include "tests/unit/campaign_bench.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

static struct transport_target target = {
	.name = "local",
	.campaign = "night",
	.lease_ns = 20 * NS_PER_S,
};

static void stand_init(struct bench *b, uint32_t rounds)
{
	static struct transport_ops lasting;

	bench_init(b, rounds, 1);
	lasting = fake_ops;
	lasting.lasts = true;
	b->ops = &lasting;
	b->targets = &target;
	*fake_memory = (struct fake_memory){ .life = 1 };
}

// The first attempt of trial 2, as it ended.
static void assert_attempt(const struct bench *b, const char *script,
			   enum outcome outcome, const char *reason)
{
	CLEANUP(journal_log_freep) struct journal_log *log = load(b);

	for (size_t i = 0; i < log->n; i++) {
		const struct record *r = &log->records[i];

		if (r->trial != 2 || r->event != RECORD_FINISHED)
			continue;
		if (r->result->outcome != outcome ||
		    (reason != NULL &&
		     strstr(r->result->reason, reason) == NULL))
			fail_msg("%s: %s: %s", script,
				 outcome_name(r->result->outcome),
				 r->result->reason);
		return;
	}
	fail_msg("%s: no trial 2", script);
}

static void a_lost_connection_costs_only_what_the_agent_forgot(void **state)
{
	static const struct {
		const char *script;
		enum outcome outcome;
		unsigned runs; // of the four trials, on the host
		unsigned agents, stops;
		const char *reason;
	} cases[] = {
		{ "cut@2!", OUTCOME_OK, 4, 2, 0, NULL },
		{ "cut-late@2!", OUTCOME_OK, 4, 2, 0, NULL },
		{ "unasked@2!", OUTCOME_OK, 4, 2, 0, NULL },
		{ "spooled@2!", OUTCOME_OK, 4, 2, 0, NULL },
		{ "deaf@2!", OUTCOME_OK, 4, 2, 0, NULL },
		{ "flapping@2!", OUTCOME_OK, 4, 5, 0, NULL },
		{ "truncated@2!", OUTCOME_OK, 4, 2, 0, NULL },
		{ "reborn@2!", OUTCOME_LOST, 5, 2, 0, "its agent ended in it" },
		{ "elsewhere@2!", OUTCOME_LOST, 5, 2, 0, "its agent ended" },
		{ "busy@2!", OUTCOME_LOST, 5, 2, 1, "its agent ended" },
		{ "liar@2!", OUTCOME_FAILED, 5, 3, 0, "the script says no" },
		{ "garbage@2!", OUTCOME_FAILED, 5, 2, 0, "not the protocol" },
		{ "failed@2!", OUTCOME_FAILED, 5, 1, 0, "the script says so" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *script = cases[i].script;
		struct err e = { 0 };
		struct bench b;

		stand_init(&b, 2);
		if (run(&b, script, &e) < 0)
			fail_msg("%s: %s", script, e.msg);
		assert_all_ok_once(&b);
		assert_attempt(&b, script, cases[i].outcome, cases[i].reason);
		if (fake_memory->runs != cases[i].runs ||
		    fake_memory->stops != cases[i].stops ||
		    fake_started != cases[i].agents)
			fail_msg("%s: %u trials ran, %u stops, %u agents",
				 script, fake_memory->runs, fake_memory->stops,
				 fake_started);
		bench_deinit(&b);
	}
}

static void a_host_that_stays_away_is_given_up_and_its_trial_left_open(
	void **state)
{
	struct err e = { 0 };
	struct bench b;

	(void)state;
	target.lease_ns = 400 * NS_PER_MS;
	stand_init(&b, 2);
	assert_int_equal(run(&b, "gone@2!", &e), 0);
	assert_int_equal(count_outcome(&b, OUTCOME_OK), 2);
	assert_int_equal(count_outcome(&b, OUTCOME_LOST), 0);
	target.lease_ns = 20 * NS_PER_S;
	// Still away when resumed: nothing is made of it.
	assert_int_equal(run(&b, "good", &e), -1);
	assert_int_equal(count_outcome(&b, OUTCOME_LOST), 0);
	// Back with the result: it is collected, not repeated.
	fake_memory->deaf = 0;
	e = (struct err){ 0 };
	if (run(&b, "good", &e) < 0)
		fail_msg("%s", e.msg);
	assert_all_ok_once(&b);
	assert_int_equal(fake_memory->runs, 4);
	assert_int_equal(count_outcome(&b, OUTCOME_LOST), 0);
	bench_deinit(&b);
}

// As above, but the agent has forgotten it by then.
static void what_nobody_holds_when_resumed_is_lost(void **state)
{
	struct err e = { 0 };
	struct bench b;

	(void)state;
	target.lease_ns = 100 * NS_PER_MS;
	stand_init(&b, 2);
	assert_int_equal(run(&b, "gone@2!", &e), 0);
	target.lease_ns = 20 * NS_PER_S;
	fake_memory->deaf = 0;
	fake_memory->holds = false;
	fake_memory->life++;
	assert_int_equal(run(&b, "good", &e), 0);
	assert_all_ok_once(&b);
	assert_int_equal(count_outcome(&b, OUTCOME_LOST), 1);
	bench_deinit(&b);
}

static void an_agent_that_dies_in_every_trial_is_given_up(void **state)
{
	struct err e = { 0 };
	struct bench b;

	(void)state;
	stand_init(&b, 2);
	assert_int_equal(run(&b, "reborn@1", &e), 0);
	assert_int_equal(count_outcome(&b, OUTCOME_LOST), CAMPAIGN_LOSSES_MAX);
	assert_int_equal(count_outcome(&b, OUTCOME_OK), 1);
	bench_deinit(&b);
}

// The result is there at the second look.
static void silence_is_looked_into_before_it_is_a_timeout(void **state)
{
	struct err e = { 0 };
	struct bench b;

	(void)state;
	stand_init(&b, 2);
	b.plan->timeout_ns = 1000000;
	if (run(&b, "mute@1!", &e) < 0)
		fail_msg("%s", e.msg);
	assert_all_ok_once(&b);
	assert_int_equal(count_outcome(&b, OUTCOME_TIMEOUT), 0);
	assert_int_equal(fake_memory->runs, 4);
	bench_deinit(&b);
}

// The journal of a whole run without its last line: vrun died before it had
// the result, which the agent holds.
static void a_resumed_campaign_collects_what_is_held(void **state)
{
	CLEANUP(buf_deinit) struct buf whole = BUF_INIT;
	CLEANUP(cleanup_free) char *path = NULL;
	struct err e = { 0 };
	struct bench b;
	size_t len;

	(void)state;
	stand_init(&b, 2);
	path = store_path(b.store, STORE_TRIALS);
	assert_int_equal(run(&b, "good", &e), 0);
	assert_int_equal(fake_memory->runs, 4);
	assert_int_equal(file_read(path, 1 << 20, &whole, ERR_STORE, &e), 0);
	for (len = whole.len - 1; whole.data[len - 1] != '\n';)
		len--;
	assert_int_equal(file_replace(path, whole.data, len, &e), 0);
	if (run(&b, "good", &e) < 0)
		fail_msg("%s", e.msg);
	assert_all_ok_once(&b);
	assert_int_equal(fake_memory->runs, 4);
	assert_int_equal(count_outcome(&b, OUTCOME_LOST), 0);
	bench_deinit(&b);
}

// What could not be recorded for want of room stays with the agent.
static void a_full_disk_costs_no_trial(void **state)
{
	struct rlimit former, tight;
	struct err e = { 0 };
	struct bench b;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &former);
	tight = former;
	for (rlim_t limit = 1300; limit < 2100; limit += 200) {
		stand_init(&b, 3);
		tight.rlim_cur = limit;
		setrlimit(RLIMIT_FSIZE, &tight);
		assert_int_equal(run(&b, "good", &e), -1);
		setrlimit(RLIMIT_FSIZE, &former);
		assert_int_equal(e.kind, ERR_STORE);
		assert_int_equal(run(&b, "good", &e), 0);
		assert_all_ok_once(&b);
		if (fake_memory->runs != 6)
			fail_msg("full at %zu: %u trials ran", (size_t)limit,
				 fake_memory->runs);
		bench_deinit(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_lost_connection_costs_only_what_the_agent_forgot),
		cmocka_unit_test(
			a_host_that_stays_away_is_given_up_and_its_trial_left_open),
		cmocka_unit_test(what_nobody_holds_when_resumed_is_lost),
		cmocka_unit_test(an_agent_that_dies_in_every_trial_is_given_up),
		cmocka_unit_test(silence_is_looked_into_before_it_is_a_timeout),
		cmocka_unit_test(a_resumed_campaign_collects_what_is_held),
		cmocka_unit_test(a_full_disk_costs_no_trial),
	};

	fake_memory = mmap(NULL, sizeof(*fake_memory), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
