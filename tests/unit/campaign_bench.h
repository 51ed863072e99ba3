// One campaign with fake agents, for the tests of campaigns.
#pragma once

#include "tests/unit/unit.h"

#include <string.h>

#include "runner/campaign/campaign.h"
#include "tests/fake/dir.h"
#include "tests/fake/plan.h"
#include "tests/fake/transport.h"

// One campaign in a directory of its own, with fake agents.
struct bench {
	struct fake_plan fake;
	struct plan *plan;
	char *root;
	struct store *store;
	struct progress *progress;
	struct findings findings;
	const struct transport_ops *ops;
	const struct transport_target *targets; // NULL: by name
};

static inline void bench_init(struct bench *b, uint32_t rounds, size_t nhosts)
{
	struct err e = { 0 };

	*b = (struct bench){ .ops = &fake_ops };
	b->plan = fake_plan_init(&b->fake, rounds, nhosts, false);
	b->root = fake_dir_new();
	b->progress = progress_new(STDERR_FILENO, PROGRESS_QUIET);
	findings_init(&b->findings);
	if (store_create(b->root, b->plan, &b->store, &e) < 0)
		fail_msg("%s", e.msg);
	fake_started = 0;
}

static inline void bench_deinit(struct bench *b)
{
	store_close(b->store);
	progress_free(b->progress);
	findings_deinit(&b->findings);
	fake_plan_deinit(&b->fake);
	fake_dir_freep(&b->root);
}

static inline struct journal_log *load(const struct bench *b)
{
	CLEANUP(cleanup_free) char *path = store_path(b->store, STORE_TRIALS);
	struct journal_log *log = NULL;
	struct err e = { 0 };

	if (journal_load(path, &log, &e) < 0)
		fail_msg("%s", e.msg);
	return log;
}

// Prepares, attaches and runs as `vrun run` and `vrun resume` do.
static inline int run(struct bench *b, const char *script, struct err *e)
{
	CLEANUP(cleanup_free) char *path = store_path(b->store, STORE_TRIALS);
	CLEANUP(journal_log_freep) struct journal_log *log = load(b);
	CLEANUP(journal_closep) struct journal *j = NULL;
	CLEANUP(campaign_freep) struct campaign *c = NULL;

	fake_script = script;
	c = campaign_new(b->plan, b->targets, b->ops, b->progress);
	if (campaign_prepare(c, &b->findings, e) < 0 ||
	    journal_open(path, log, &j, e) < 0 ||
	    campaign_attach(c, b->store, j, log, e) < 0)
		return -1;
	return campaign_run(c, e);
}

// Every trial of the plan has exactly one finished record that is ok, and no
// trial starts after it.
static inline void assert_all_ok_once(const struct bench *b)
{
	CLEANUP(journal_log_freep) struct journal_log *log = load(b);
	CLEANUP(cleanup_free)
	unsigned *oks = xcalloc(b->plan->ntrials, sizeof(*oks));

	for (size_t i = 0; i < log->n; i++) {
		const struct record *r = &log->records[i];

		if (oks[r->trial] > 0)
			fail_msg("trial %u goes on after it was ok", r->trial);
		if (r->event == RECORD_FINISHED)
			oks[r->trial] += r->result->outcome == OUTCOME_OK;
	}
	for (size_t i = 0; i < b->plan->ntrials; i++) {
		if (oks[i] != 1)
			fail_msg("trial %zu was ok %u times", i, oks[i]);
	}
}

static inline size_t count_outcome(const struct bench *b, enum outcome o)
{
	CLEANUP(journal_log_freep) struct journal_log *log = load(b);
	size_t n = 0;

	for (size_t i = 0; i < log->n; i++) {
		const struct record *r = &log->records[i];

		n += r->event == RECORD_FINISHED && r->result->outcome == o;
	}
	return n;
}
