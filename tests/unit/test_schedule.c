#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "runner/campaign/schedule.h"
#include "tests/fake/plan.h"

struct fixture {
	struct fake_plan fake;
	struct plan *plan;
	struct schedule *schedule;
};

static void setup(struct fixture *f, uint32_t rounds, size_t hosts, bool share)
{
	f->plan = fake_plan_init(&f->fake, rounds, hosts, share);
	f->schedule = schedule_new(f->plan);
}

static void teardown(struct fixture *f)
{
	schedule_free(f->schedule);
	fake_plan_deinit(&f->fake);
}

static struct record record_of(const struct fixture *f,
			       const struct schedule_step *s,
			       enum record_event event, struct result *r)
{
	return (struct record){
		.event = event,
		.trial = s->trial->id,
		.attempt = s->attempt,
		.host = f->plan->hosts[s->trial->host],
		.block = s->trial->block,
		.boot = s->trial->boot,
		.position = s->trial->position,
		.cell = s->trial->cell,
		.levels = f->plan->cells[s->trial->cell].levels,
		.nlevels = f->plan->cells[s->trial->cell].nlevels,
		.boot_attempt = s->boot_attempt,
		.result = r,
	};
}

static void note(struct fixture *f, const struct schedule_step *s,
		 enum record_event event, enum outcome o)
{
	struct result r = { .outcome = o };
	struct record rec = record_of(f, s, event, &r);
	struct err e = { 0 };

	if (schedule_note(f->schedule, &rec, &e) < 0)
		fail_msg("trial %u: %s", s->trial->id, e.msg);
}

// Runs the next trial of a host to an outcome; checks which one it was.
static struct schedule_step run(struct fixture *f, uint32_t host, uint32_t want,
				enum outcome o)
{
	struct schedule_step s;

	if (!schedule_next(f->schedule, host, &s))
		fail_msg("nothing to do, want trial %u", want);
	assert_int_equal(s.trial->id, want);
	note(f, &s, RECORD_STARTED, o);
	note(f, &s, RECORD_FINISHED, o);
	return s;
}

static void trials_run_in_the_order_of_the_plan(void **state)
{
	struct fixture f;
	struct schedule_step s;

	(void)state;
	setup(&f, 3, 2, false);
	for (uint32_t i = 0; i < 6; i++) {
		run(&f, 0, i, OUTCOME_OK);
		run(&f, 1, 6 + i, OUTCOME_OK);
	}
	assert_false(schedule_next(f.schedule, 0, &s));
	assert_false(schedule_next(f.schedule, 1, &s));
	assert_int_equal(schedule_count(f.schedule).ok, 12);
	assert_int_equal(schedule_count(f.schedule).over, 12);
	teardown(&f);
}

static void a_round_is_complete_when_every_host_has_ended_it(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, 2, 2, false);
	assert_int_equal(schedule_rounds(f.schedule), 0);
	run(&f, 0, 0, OUTCOME_OK);
	run(&f, 0, 1, OUTCOME_OK);
	run(&f, 0, 2, OUTCOME_OK);
	run(&f, 1, 4, OUTCOME_OK);
	assert_int_equal(schedule_rounds(f.schedule), 0);
	run(&f, 1, 5, OUTCOME_FAILED);
	assert_int_equal(schedule_rounds(f.schedule), 0);
	run(&f, 1, 5, OUTCOME_FAILED); // no retry is left
	assert_int_equal(schedule_rounds(f.schedule), 1);
	run(&f, 0, 3, OUTCOME_OK);
	run(&f, 1, 6, OUTCOME_OK);
	run(&f, 1, 7, OUTCOME_OK);
	assert_int_equal(schedule_rounds(f.schedule), 2);
	teardown(&f);
}

// Rounds 0 and 2 are the first host's, 1 and 3 the second's.
static void of_shared_rounds_those_before_the_slowest_are_complete(void **state)
{
	struct fixture f;
	size_t per_host = (size_t)2 * FAKE_CELLS;

	(void)state;
	setup(&f, 2, 2, false);
	f.plan->rounds = 4;
	f.plan->share = true;
	for (size_t i = 0; i < f.plan->ntrials; i++) {
		struct plan_trial *t = &f.plan->trials[i];

		t->block = t->block * 2 + t->host;
	}
	for (uint32_t i = 0; i < per_host; i++)
		run(&f, 1, (uint32_t)per_host + i, OUTCOME_OK);
	assert_int_equal(schedule_rounds(f.schedule), 0);
	for (uint32_t i = 0; i < FAKE_CELLS; i++)
		run(&f, 0, i, OUTCOME_OK);
	assert_int_equal(schedule_rounds(f.schedule), 2);
	for (uint32_t i = FAKE_CELLS; i < per_host; i++)
		run(&f, 0, i, OUTCOME_OK);
	assert_int_equal(schedule_rounds(f.schedule), 4);
	teardown(&f);
}

static void what_counts_against_the_retries(void **state)
{
	static const struct {
		enum outcome outcome;
		unsigned runs; // before the trial is given up, retries 1
	} cases[] = {
		{ OUTCOME_FAILED, 2 },
		{ OUTCOME_INVALID, 2 },
		{ OUTCOME_TIMEOUT, 2 },
		{ OUTCOME_LOST, 5 }, // never given up
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture f;
		struct schedule_step s;

		setup(&f, 2, 1, false);
		for (unsigned k = 0; k < cases[i].runs; k++) {
			s = run(&f, 0, 0, cases[i].outcome);
			assert_int_equal(s.attempt, k + 1);
			assert_int_equal(s.boot_attempt, k + 1);
		}
		assert_true(schedule_next(f.schedule, 0, &s));
		if (s.trial->id != (cases[i].outcome != OUTCOME_LOST))
			fail_msg("%s: next is trial %u",
				 outcome_name(cases[i].outcome), s.trial->id);
		teardown(&f);
	}
}

static void what_would_end_the_same_way_is_not_tried_again(void **state)
{
	static const struct {
		enum outcome outcome;
		uint32_t next;
	} cases[] = {
		{ OUTCOME_FAILED, 1 },
		{ OUTCOME_INVALID, 1 },
		{ OUTCOME_LOST, 0 }, // nobody knows how it would have ended
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct result r = { .outcome = cases[i].outcome,
				    .final = true };
		struct schedule_step s;
		struct fixture f;
		struct record rec;
		struct err e;

		setup(&f, 2, 1, false);
		assert_true(schedule_next(f.schedule, 0, &s));
		note(&f, &s, RECORD_STARTED, cases[i].outcome);
		rec = record_of(&f, &s, RECORD_FINISHED, &r);
		assert_int_equal(schedule_note(f.schedule, &rec, &e), 0);
		assert_true(schedule_next(f.schedule, 0, &s));
		if (s.trial->id != cases[i].next)
			fail_msg("%s: next is trial %u",
				 outcome_name(cases[i].outcome), s.trial->id);
		teardown(&f);
	}
}

static void a_retry_that_is_ok_ends_the_trial(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, 2, 1, false);
	run(&f, 0, 0, OUTCOME_FAILED);
	run(&f, 0, 0, OUTCOME_OK);
	run(&f, 0, 1, OUTCOME_OK);
	assert_int_equal(schedule_count(f.schedule).failed, 0);
	assert_int_equal(schedule_count(f.schedule).ok, 2);
	teardown(&f);
}

static void a_failure_ends_the_life_of_a_shared_boot(void **state)
{
	struct fixture f;
	struct schedule_step a, b, c;

	(void)state;
	setup(&f, 2, 1, true);
	a = run(&f, 0, 0, OUTCOME_OK);
	b = run(&f, 0, 1, OUTCOME_INVALID);
	c = run(&f, 0, 1, OUTCOME_OK);
	assert_int_equal(a.boot_attempt, 1);
	assert_int_equal(b.boot_attempt, 1);
	assert_int_equal(c.boot_attempt, 2);
	assert_int_equal(a.wire_boot, b.wire_boot);
	assert_int_not_equal(b.wire_boot, c.wire_boot);
	assert_false(a.last);
	assert_true(c.last);
	assert_int_equal(run(&f, 0, 2, OUTCOME_OK).boot_attempt, 1);
	teardown(&f);
}

static void boots_begin_anew_when_the_agent_went_away(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, 2, 1, true);
	run(&f, 0, 0, OUTCOME_OK);
	schedule_forget_boots(f.schedule, 0);
	assert_int_equal(run(&f, 0, 1, OUTCOME_OK).boot_attempt, 2);
	assert_int_equal(run(&f, 0, 2, OUTCOME_OK).boot_attempt, 1);
	teardown(&f);
}

static void no_two_boots_have_one_number_on_the_wire(void **state)
{
	struct fixture f;
	uint32_t seen[8];

	(void)state;
	setup(&f, 2, 1, false);
	for (uint32_t i = 0; i < 8; i++) {
		enum outcome o = i % 2 == 0 ? OUTCOME_FAILED : OUTCOME_OK;

		seen[i] = run(&f, 0, i / 2, o).wire_boot;
		for (uint32_t k = 0; k < i; k++)
			assert_int_not_equal(seen[i], seen[k]);
	}
	teardown(&f);
}

static void an_unfinished_trial_is_found(void **state)
{
	struct fixture f;
	struct schedule_step s;

	(void)state;
	setup(&f, 2, 1, false);
	run(&f, 0, 0, OUTCOME_OK);
	assert_null(schedule_unfinished(f.schedule, 0));
	assert_true(schedule_next(f.schedule, 0, &s));
	note(&f, &s, RECORD_STARTED, OUTCOME_OK);
	assert_int_equal(schedule_unfinished(f.schedule, 0)->id, 1);
	assert_null(schedule_unfinished(f.schedule, 2));
	s = schedule_current(f.schedule, 1);
	assert_int_equal(s.attempt, 1);
	note(&f, &s, RECORD_FINISHED, OUTCOME_LOST);
	assert_int_equal(run(&f, 0, 1, OUTCOME_OK).attempt, 2);
	teardown(&f);
}

static void break_trial(struct record *r)
{
	r->trial = 99;
}

static void break_cell(struct record *r)
{
	r->cell = 1 - r->cell;
}

static void break_level(struct record *r)
{
	static struct level other[] = { { "effect", "another" } };

	r->levels = other;
	r->nlevels = 1;
}

static void forget_levels(struct record *r)
{
	r->nlevels = 0;
}

static void break_host(struct record *r)
{
	r->host = "elsewhere";
}

static void break_attempt(struct record *r)
{
	r->attempt = 3;
}

static void break_event(struct record *r)
{
	r->event = RECORD_FINISHED;
}

static void records_that_the_plan_cannot_have_made_are_refused(void **state)
{
	static const struct {
		void (*spoil)(struct record *r);
		const char *says;
	} cases[] = {
		{ break_trial, "not in the plan of 4 trials" },
		{ break_cell, "stands elsewhere" },
		{ break_level, "its levels are not those of its cell" },
		{ forget_levels, "its levels are not those of its cell" },
		{ break_host, "stands elsewhere" },
		{ break_attempt, "attempt 3 starts after 0" },
		{ break_event, "ends but was not started" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct result ok = { .outcome = OUTCOME_OK };
		struct fixture f;
		struct schedule_step s;
		struct record r;
		struct err e = { 0 };

		setup(&f, 2, 1, false);
		assert_true(schedule_next(f.schedule, 0, &s));
		r = record_of(&f, &s, RECORD_STARTED, &ok);
		cases[i].spoil(&r);
		if (schedule_note(f.schedule, &r, &e) == 0)
			fail_msg("accepted; want \"%s\"", cases[i].says);
		assert_int_equal(e.kind, ERR_STORE);
		if (strstr(e.msg, cases[i].says) == NULL)
			fail_msg("%s; want \"%s\"", e.msg, cases[i].says);
		teardown(&f);
	}
}

static void a_finished_trial_never_starts_again(void **state)
{
	struct fixture f;
	struct schedule_step s;
	struct record r;
	struct err e = { 0 };

	(void)state;
	setup(&f, 2, 1, false);
	s = run(&f, 0, 0, OUTCOME_OK);
	s.attempt = 2;
	r = record_of(&f, &s, RECORD_STARTED, NULL);
	assert_int_equal(schedule_note(f.schedule, &r, &e), -1);
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trials_run_in_the_order_of_the_plan),
		cmocka_unit_test(
			a_round_is_complete_when_every_host_has_ended_it),
		cmocka_unit_test(
			of_shared_rounds_those_before_the_slowest_are_complete),
		cmocka_unit_test(what_counts_against_the_retries),
		cmocka_unit_test(
			what_would_end_the_same_way_is_not_tried_again),
		cmocka_unit_test(a_retry_that_is_ok_ends_the_trial),
		cmocka_unit_test(a_failure_ends_the_life_of_a_shared_boot),
		cmocka_unit_test(boots_begin_anew_when_the_agent_went_away),
		cmocka_unit_test(no_two_boots_have_one_number_on_the_wire),
		cmocka_unit_test(an_unfinished_trial_is_found),
		cmocka_unit_test(
			records_that_the_plan_cannot_have_made_are_refused),
		cmocka_unit_test(a_finished_trial_never_starts_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
