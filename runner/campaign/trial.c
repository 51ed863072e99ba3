// One trial on one host: begun, followed, recorded.
#include "runner/campaign/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/clock.h"
#include "runner/proto/artifact.h"
#include "runner/proto/message.h"

// An attempt that is repeated draws anew in workloads that draw.
#define ATTEMPT_SEED_STEP 0x9e3779b97f4a7c15ULL

static struct record record_of(const struct host *h, enum record_event event,
			       struct result *result)
{
	const struct plan_trial *t = h->step.trial;
	const struct plan_cell *cell = &h->c->plan->cells[t->cell];

	return (struct record){
		.event = event,
		.trial = t->id,
		.attempt = h->step.attempt,
		.host = h->name,
		.block = t->block,
		.boot = t->boot,
		.position = t->position,
		.cell = t->cell,
		.boot_attempt = h->step.boot_attempt,
		.levels = cell->levels,
		.nlevels = cell->nlevels,
		.wall_ns = clock_wall_ns(),
		.result = result,
	};
}

// Journal first: what is not on the disk did not happen.
static int keep(struct host *h, const struct record *r, struct err *e)
{
	if (journal_append(h->c->journal, r, e) < 0 ||
	    schedule_note(h->c->schedule, r, e) < 0)
		return -1;
	live_add(h->c->live, r);
	return 0;
}

// One guest image for all cells, or two would differ in it, too, and could not
// share a boot.
static bool some_cell_runs_fio(const struct plan *p)
{
	for (size_t i = 0; i < p->ncells; i++) {
		if (message_wants_fio(p->cells[i].workloads))
			return true;
	}
	return false;
}

static struct js *levels_of(const struct plan_cell *c)
{
	struct js *levels = js_object();

	for (size_t i = 0; i < c->nlevels; i++)
		js_set_str(levels, c->levels[i].factor, c->levels[i].text);
	return levels;
}

static struct js *trial_fields(const struct host *h)
{
	const struct plan *p = h->c->plan;
	const struct plan_trial *t = h->step.trial;
	const struct plan_cell *cell = &p->cells[t->cell];
	uint64_t seed = p->seed + (h->step.attempt - 1) * ATTEMPT_SEED_STEP;
	struct js *f = js_object();

	js_set_int(f, "trial", t->id);
	js_set_int(f, "attempt", h->step.attempt);
	js_set_int(f, "boot", h->step.wire_boot);
	js_set_int(f, "block", t->block);
	js_set_str(f, "label", cell->label);
	js_set(f, "levels", levels_of(cell));
	js_set_bool(f, "last", h->step.last);
	js_set_bool(f, "fio", some_cell_runs_fio(p));
	js_set(f, "host", js_ref(cell->host));
	js_set(f, "vars", js_ref(cell->vars));
	js_set(f, "vm", plan_cell_vm(cell, h->qemu));
	js_set(f, "workloads", js_ref(cell->workloads));
	js_set_int(f, "timeout_ns", (int64_t)p->timeout_ns);
	js_set_int(f, "seq", t->id - h->first_trial);
	js_set_int(f, "seed", (int64_t)seed);
	return f;
}

// The agent ends a trial that takes too long; this is for one that does not.
int64_t trial_patience_ns(const struct plan *p)
{
	return (int64_t)(p->timeout_ns + p->timeout_ns / 2) +
	       HOST_TRIAL_GRACE_S * NS_PER_S;
}

static void ask(struct host *h)
{
	h->artifacts = h->artifact_bytes = 0;
	session_ask(h->session, MESSAGE_TRIAL, trial_fields(h));
	host_enter(h, HOST_TRIAL, trial_patience_ns(h->c->plan));
}

static int start(struct host *h, struct err *e)
{
	struct record r = record_of(h, RECORD_STARTED, NULL);

	if (keep(h, &r, e) < 0)
		return -1;
	snprintf(h->stage, sizeof(h->stage), "starting");
	h->started_ns = clock_mono_ns();
	ask(h);
	return 0;
}

int trial_rejoin(struct host *h, struct err *e)
{
	h->pending = false;
	// An agent of the same life that does not hold it was never asked.
	if (host_holds(h, &h->step) || h->prepared) {
		ask(h);
		return 0;
	}
	h->losses++;
	if (trial_end(h, OUTCOME_LOST,
		      "its agent ended in it: it has no trial in hand, and no "
		      "result of this one",
		      e) < 0)
		return -1;
	if (h->losses < CAMPAIGN_LOSSES_MAX)
		return host_begin(h, e);
	return host_break(h, OUTCOME_LOST,
			  "its agent ended in too many trials in a row", e);
}

// Looks at the rounds that are complete by now.
static bool is_decided(struct campaign *c)
{
	uint32_t rounds = schedule_rounds(c->schedule);
	size_t at = 0;

	rounds -= MIN(rounds, c->plan->warmup_rounds);
	if (c->decided || !live_is_decided(c->live, rounds, &at))
		return c->decided;
	c->decided = true;
	progress_say(c->progress, false,
		     "vrun: stopping rule: every comparison is decided after "
		     "round %zu of at most %u",
		     at, c->plan->rounds);
	return true;
}

int trial_next(struct host *h, struct err *e)
{
	if (h->c->stop == CAMPAIGN_GO_ON && !is_decided(h->c) &&
	    schedule_next(h->c->schedule, h->index, &h->step))
		return start(h, e);
	host_leave(h);
	return 0;
}

// The host says when the trial began and how long it took; 0: it does not.
static int64_t end_on_host_ns(const struct js *times)
{
	int64_t begin = js_get_int(times, "begin_mono_ns", 0);

	return begin == 0 ? 0 : begin + js_get_int(times, "trial_ns", 0);
}

// The stamps in the journal are of this machine's wall clock; nothing goes by
// them, but their reader must know.
static void note_clock_set(struct campaign *c, struct arena *a,
			   struct result *r)
{
	int64_t now = clock_apart_ns(clock_wall_ns, clock_boot_ns);
	int64_t by = now - c->set_ns;

	c->set_ns = now;
	if (llabs(by) > HOST_CLOCK_SET_MS * NS_PER_MS)
		result_note(a, r,
			    "vrun's own clock was set %s by %.1f s before this "
			    "record: stamps jump there; order and durations "
			    "are not by it",
			    by > 0 ? "forward" : "back",
			    (double)llabs(by) / (double)NS_PER_S);
}

static int record_end(struct host *h, struct arena *a, struct result *result,
		      struct err *e)
{
	struct record r = record_of(h, RECORD_FINISHED, result);
	int64_t took = clock_mono_ns() - h->started_ns;

	r.mono_ns = end_on_host_ns(result->times);
	note_clock_set(h->c, a, result);
	if (keep(h, &r, e) < 0)
		return -1;
	h->measured++;
	h->spent_ns += took + (int64_t)h->c->plan->cooldown_ns;
	show_finished(h, &r, took);
	return 0;
}

int trial_end(struct host *h, enum outcome o, const char *why, struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct result *r = result_new(a);

	result_fail(a, r, o, "%s", why);
	r->stage = h->stage;
	return record_end(h, a, r, e);
}

static int take_result(struct host *h, const struct message *m, struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct result *r = result_new(a);

	if (result_from_js(js_get(m->body, "result"), a, r, e) < 0)
		return -1;
	if (r->outcome == OUTCOME_LOST)
		return err_set(
			e, ERR_HOST,
			"result: only vrun can say that a trial is lost");
	if (record_end(h, a, r, e) < 0)
		return -1;
	h->losses = 0;
	js_del(h->agent, "holds");
	if (h->c->plan->cooldown_ns == 0)
		return host_begin(h, e);
	host_enter(h, HOST_RESTING, (int64_t)h->c->plan->cooldown_ns);
	return 0;
}

static int take_artifact(struct host *h, const struct message *m, struct err *e)
{
	CLEANUP(buf_deinit) struct buf data = BUF_INIT;
	const char *name;

	if (artifact_read(m->body, &name, &data, e) < 0)
		return -1;
	h->artifact_bytes += data.len;
	if (++h->artifacts > ARTIFACT_COUNT_MAX ||
	    h->artifact_bytes > ARTIFACT_TOTAL_MAX)
		return err_set(e, ERR_HOST,
			       "its agent sent more than %d artifacts, or more "
			       "than %d bytes of them",
			       ARTIFACT_COUNT_MAX, ARTIFACT_TOTAL_MAX);
	return store_artifact(
		h->c->store,
		(struct store_attempt){ h->step.trial->id, h->step.attempt },
		name, &data, e);
}

int trial_message(struct host *h, const struct message *m, struct err *e)
{
	host_heard(h);
	if (m->type == MESSAGE_STAGE) {
		snprintf(h->stage, sizeof(h->stage), "%s",
			 js_get_str(m->body, "stage", ""));
		show_change(h);
		return 0;
	}
	if (m->type == MESSAGE_ARTIFACT)
		return take_artifact(h, m, e);
	if (m->type == MESSAGE_RESULT)
		return take_result(h, m, e);
	if (m->type == MESSAGE_ERROR)
		return err_set(e, ERR_HOST, "%s",
			       js_get_str(m->body, "message", ""));
	return err_set(e, ERR_HOST, "its agent sent \"%s\" for a result",
		       message_type_name(m->type));
}

static int lose(struct host *h, struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct result *lost = result_new(a);
	struct record r;

	result_fail(a, lost, OUTCOME_LOST, "vrun ended while it was under way");
	r = record_of(h, RECORD_FINISHED, lost);
	return keep(h, &r, e);
}

// A host that is out of reach may hold it, too: it stays open in the journal,
// for a vrun that reaches it.
static int take_unfinished(struct host *h, uint32_t trial, struct err *e)
{
	h->step = schedule_current(h->c->schedule, trial);
	if (h->state == HOST_AWAY && host_lasts(h))
		return 0;
	if (h->state == HOST_AWAY || !host_holds(h, &h->step))
		return lose(h, e);
	progress_say(h->c->progress, false,
		     "vrun: host %s has the trial that was under way", h->name);
	h->pending = true;
	h->started_ns = clock_mono_ns();
	return 0;
}

int trial_take_unfinished(struct campaign *c, struct err *e)
{
	const struct plan_trial *t;

	for (uint32_t from = 0; (t = schedule_unfinished(c->schedule, from));
	     from = t->id + 1) {
		if (take_unfinished(&c->hosts[t->host], t->id, e) < 0)
			return -1;
	}
	return 0;
}
