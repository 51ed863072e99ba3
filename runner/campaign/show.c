// What is shown of a campaign while it runs.
#include "runner/campaign/host.h"

#include <stdlib.h>

#include "runner/base/alloc.h"
#include "runner/base/clock.h"

// Time left, from the trials of this run; by the slowest host.
static int64_t time_left_ns(const struct campaign *c)
{
	int64_t left = -1;

	for (size_t i = 0; i < c->plan->nhosts; i++) {
		const struct host *h = &c->hosts[i];
		size_t rest = schedule_left(c->schedule, h->index);

		if (h->measured > 0 && h->state != HOST_AWAY)
			left = MAX(left, h->spent_ns / (int64_t)h->measured *
						 (int64_t)rest);
	}
	return left;
}

// What a host does while no trial is in hand.
static const char *const stages[] = {
	[HOST_GREETING] = "connecting",
	[HOST_FACTS] = "being asked",
	[HOST_PREFLIGHT] = "being looked at",
	[HOST_READY] = "ready",
	[HOST_STOPPING] = "stopping an old trial",
	[HOST_SETTINGS] = "being set",
	[HOST_TRIAL] = NULL, // the agent tells
	[HOST_RESTING] = "cooling down",
	[HOST_BACKOFF] = "lost: connecting again",
	[HOST_LEAVING] = "being put back",
	[HOST_AWAY] = "done",
};

static enum view_state state_of(const struct host *h)
{
	if (h->missing != NULL || h->state == HOST_BACKOFF)
		return VIEW_TROUBLED;
	return h->state == HOST_AWAY ? VIEW_DONE : VIEW_WORKS;
}

static void fill_row(const struct host *h, struct view_row *row)
{
	const struct campaign *c = h->c;

	*row = (struct view_row){
		.host = h->name,
		.state = state_of(h),
		.trials = schedule_trials(c->schedule, h->index),
		.stage = h->missing != NULL ? "given up" : stages[h->state],
		.error = h->missing != NULL ? h->missing : h->error,
	};
	row->over = row->trials - schedule_left(c->schedule, h->index);
	if (h->state != HOST_TRIAL)
		return;
	row->round = h->step.trial->block + 1;
	row->cell = c->plan->cells[h->step.trial->cell].label;
	row->stage = h->stage;
}

void show_fill(void *campaign, struct arena *a, struct view *v)
{
	struct campaign *c = campaign;
	struct schedule_counts n = schedule_count(c->schedule);
	size_t nhosts = c->plan->nhosts;
	struct view_row *rows = arena_array(a, nhosts, sizeof(*rows));

	for (size_t i = 0; i < nhosts; i++)
		fill_row(&c->hosts[i], &rows[i]);
	*v = (struct view){
		.rows = rows,
		.nrows = nhosts,
		.over = n.over,
		.trials = n.trials,
		.failed = n.failed + n.invalid + n.timeout + n.lost,
		.left_ns = time_left_ns(c),
		.estimate = live_estimate(c->live),
	};
}

void show_change(const struct host *h)
{
	progress_show(h->c->progress, clock_mono_ns());
}

void show_finished(struct host *h, const struct record *r, int64_t took_ns)
{
	CLEANUP(buf_deinit) struct buf line = BUF_INIT;
	const struct campaign *c = h->c;
	const struct result *res = r->result;
	bool wrong = res->outcome != OUTCOME_OK;

	if (wrong) {
		free(h->error);
		h->error = xasprintf("%s: %s", outcome_name(res->outcome),
				     res->reason != NULL ? res->reason : "?");
	}
	view_finished(c->plan, r, schedule_count(c->schedule).over, took_ns,
		      &line);
	progress_finished(c->progress, wrong, buf_str(&line));
}
