// What a host does next: a pure function of the plan and of what happened so
// far. A trial is over when an attempt was ok, or final, or its retries are
// used up; attempts that were lost (the host or the controller went away) do
// not count against them. An attempt that did not end ok ends the life of its
// boot: whatever follows in the same planned boot gets a fresh one.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/plan/plan.h"
#include "runner/record/record.h"

struct schedule;

struct schedule_step {
	const struct plan_trial *trial;
	uint32_t attempt;      // from 1
	uint32_t boot_attempt; // from 1
	uint32_t wire_boot;    // differs for every boot that is ever made
	bool last;	       // the boot ends after this trial
};

struct schedule_counts {
	size_t trials, over; // over: will not be run again
	size_t ok, failed, invalid, timeout, lost; // by last attempt
};

struct schedule *schedule_new(const struct plan *plan); // borrows plan
void schedule_free(struct schedule *s);
void schedule_freep(struct schedule **s);

// Takes in one record of the journal, in its order. Returns -1 (ERR_STORE)
// for a record that the plan cannot have made.
int schedule_note(struct schedule *s, const struct record *r,
		  struct err *e) MUST_CHECK;
// The next step of `host`; false when all its trials are over.
bool schedule_next(const struct schedule *s, uint32_t host,
		   struct schedule_step *out);
// A trial that was started and never finished, from trial `from` on; NULL
// when there is none. Only for a journal that nobody writes.
const struct plan_trial *schedule_unfinished(const struct schedule *s,
					     uint32_t from);
// The attempt that is, or was last, under way for a trial.
struct schedule_step schedule_current(const struct schedule *s, uint32_t trial);
// The agent of `host` went away and its VM with it: boots begin anew.
void schedule_forget_boots(struct schedule *s, uint32_t host);
size_t schedule_trials(const struct schedule *s, uint32_t host); // in all
// Trials of `host` that are not over.
size_t schedule_left(const struct schedule *s, uint32_t host);
// Rounds whose trials are over on every host, from the first one on; warm-up
// rounds are rounds, too.
uint32_t schedule_rounds(const struct schedule *s);
struct schedule_counts schedule_count(const struct schedule *s);
