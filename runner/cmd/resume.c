// vrun resume DIR: go on where a campaign stopped, with the same plan.
#include "runner/cmd/cmd.h"

#include <string.h>

#include "runner/base/alloc.h"
#include "runner/campaign/difference.h"
#include "runner/campaign/live.h"
#include "runner/cmd/measure.h"

static const struct cmd_option resume_options[] = {
	MEASURE_OPTIONS,
	{ NULL, 0, NULL, NULL },
};

// plan.json must be what the kept matrix gives: else the records that are
// there and those to come would not belong together.
static int check_plan(const char *dir, const struct source *s, struct err *e)
{
	CLEANUP(js_unrefp) struct js *kept = store_read_js(dir, STORE_PLAN, e);
	CLEANUP(js_unrefp) struct js *now = plan_to_js(s->plan);
	CLEANUP(plan_freep) struct plan *plan = NULL;
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	if (kept == NULL)
		return -1;
	if (plan_from_js(kept, &plan, e) < 0)
		return err_wrap(e, "%s/" STORE_PLAN, dir);
	if (strcmp(plan->id, s->plan->id) == 0)
		return 0;
	js_del(kept, "id");
	js_del(now, "id");
	difference_print(kept, STORE_PLAN, now, STORE_MATRIX, &text);
	text.data[text.len - 1] = '\0'; // the last newline
	return err_set(e, ERR_USAGE,
		       "%s: " STORE_MATRIX " no longer gives " STORE_PLAN
		       "; put it back, or start anew with `vrun run`\n%s",
		       dir, buf_str(&text));
}

// Whether the stopping rule ended the campaign.
static int is_decided(const char *dir, const struct plan *plan,
		      const struct journal_log *log, uint32_t rounds,
		      struct err *e)
{
	CLEANUP(boundaries_deinit) struct stopping_test b = { 0 };
	struct live *live;
	bool decided;

	if (!plan->has_stop)
		return 0;
	if (boundaries_load(dir, plan, &b, e) < 0)
		return -1;
	live = live_new(plan);
	live_watch(live, &b);
	for (size_t i = 0; i < log->n; i++)
		live_add(live, &log->records[i]);
	decided = live_is_decided(live, rounds - plan->warmup_rounds, NULL);
	live_free(live);
	return decided;
}

enum state {
	NOT_DONE,
	DONE_ALL,
	DONE_BY_RULE,
};

static const char *const done[] = {
	[DONE_ALL] = "every trial is over already",
	[DONE_BY_RULE] = "its stopping rule ended it already",
};

// Whether anything is left to be done.
static int find_state(const char *dir, const struct plan *plan,
		      const struct journal_log *log, enum state *state,
		      struct err *e)
{
	CLEANUP(schedule_freep) struct schedule *s = schedule_new(plan);
	struct schedule_counts n;
	uint32_t rounds;
	int decided;

	for (size_t i = 0; i < log->n; i++) {
		if (schedule_note(s, &log->records[i], e) < 0)
			return err_wrap(e, "%s/" STORE_TRIALS ":%zu", dir,
					i + 1);
	}
	n = schedule_count(s);
	rounds = schedule_rounds(s);
	decided =
		is_decided(dir, plan, log, MAX(rounds, plan->warmup_rounds), e);
	if (decided < 0)
		return -1;
	*state = decided > 0	      ? DONE_BY_RULE
		 : n.over == n.trials ? DONE_ALL
				      : NOT_DONE;
	return 0;
}

static int go_on(struct measure *m, const char *dir, struct err *e)
{
	CLEANUP(cleanup_free) char *path = store_path(m->store, STORE_TRIALS);
	CLEANUP(journal_log_freep) struct journal_log *log = NULL;
	const struct plan *plan = m->source->plan;
	enum state state = NOT_DONE;

	if (check_plan(dir, m->source, e) < 0 ||
	    journal_load(path, &log, e) < 0 ||
	    find_state(dir, plan, log, &state, e) < 0)
		return -1;
	if (state != NOT_DONE) {
		progress_say(m->progress, false, "vrun: %s: %s", dir,
			     done[state]);
		return 0;
	}
	if (preflight_store(plan, dir, &m->findings, e) < 0 ||
	    measure_name(m, e) < 0 || measure_preflight(m, e) < 0 ||
	    measure_judge(m, e) < 0)
		return -1;
	return measure_run(m, log, e);
}

// Without a matrix.yaml: was there ever one?
static int refuse_imported(const char *dir, struct err *e)
{
	CLEANUP(js_unrefp) struct js *kept = store_read_js(dir, STORE_PLAN, e);
	CLEANUP(plan_freep) struct plan *plan = NULL;

	if (kept == NULL)
		return -1;
	if (plan_from_js(kept, &plan, e) < 0)
		return err_wrap(e, "%s/" STORE_PLAN, dir);
	if (!plan_is_imported(plan))
		return 0;
	return err_set(e, ERR_USAGE,
		       "%s: a campaign that was imported has nothing to resume",
		       dir);
}

static int resume(const struct cmd_args *args, int *status, struct err *e)
{
	const char *dir = args->operands[0];
	CLEANUP(cleanup_free)
	char *matrix = xasprintf("%s/" STORE_MATRIX, dir);
	CLEANUP(source_deinit) struct source source = { 0 };
	CLEANUP(store_closep) struct store *store = NULL;
	CLEANUP(measure_deinit) struct measure m = { 0 };

	if (store_open(dir, &store, e) < 0)
		return -1;
	if (!store_has(dir, STORE_MATRIX) && refuse_imported(dir, e) < 0)
		return -1;
	if (source_reload(dir, matrix, &source, e) < 0 ||
	    measure_init(&m, args, &source, e) < 0)
		return -1;
	m.store = TAKE_PTR(store);
	if (measure_reload_hooks(&m, dir, e) < 0)
		return -1;
	if (go_on(&m, dir, e) < 0)
		return -1;
	return measure_report(&m, status, e);
}

const struct cmd cmd_resume = {
	.name = "resume",
	.operands = "DIR",
	.summary = "finish a campaign that was interrupted",
	.details =
		"Goes on with the same plan: trials that ended are kept. A\n"
		"trial that was under way is collected from the host whose\n"
		"agent still holds it (a remote one does, until its lease is\n"
		"over); else it is recorded as lost and repeated.\n"
		"Refuses a directory whose matrix.yaml gives another plan\n"
		"and says in what they differ.",
	.min_operands = 1,
	.max_operands = 1,
	.options = resume_options,
	.run = resume,
};
