#include "runner/campaign/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/campaign/boundaries.h"
#include "runner/campaign/environment.h"
#include "runner/campaign/journal.h"
#include "runner/campaign/store.h"

static const char *const order_names[] = {
	[PLAN_BLOCKS] = "blocks",	  [PLAN_WILLIAMS] = "williams",
	[PLAN_SEQUENTIAL] = "sequential", [PLAN_RECORDED] = "recorded",
	[PLAN_UNKNOWN] = "unknown",
};

struct compare_spec results_spec(const struct plan *plan)
{
	return (struct compare_spec){
		.metrics = plan->metrics,
		.nmetrics = plan->nmetrics,
		.baseline = plan->baseline,
		.nbaseline = plan->nbaseline,
		.margin = plan->has_margin ? plan->margin : (double)NAN,
		.alpha = COMPARE_ALPHA,
		.sequential = plan->order == PLAN_SEQUENTIAL,
	};
}

void results_free(struct results *r)
{
	if (r == NULL)
		return;
	stopping_free(r->stopping);
	analysis_free(r->an);
	dataset_free(r->ds);
	free(r->trials);
	plan_free(r->plan);
	js_unref(r->environment);
	arena_free(r->arena);
	free(r);
}

void results_freep(struct results **r)
{
	results_free(*r);
	*r = NULL;
}

static int load_plan(struct results *r, const char *dir, struct err *e)
{
	CLEANUP(js_unrefp) struct js *j = store_read_js(dir, STORE_PLAN, e);

	if (j == NULL)
		return -1;
	if (plan_from_js(j, &r->plan, e) < 0)
		return err_wrap(e, "%s/" STORE_PLAN, dir);
	return 0;
}

static int add_cells(struct dataset *ds, const struct plan *plan, struct err *e)
{
	uint32_t ignored;

	for (size_t i = 0; i < plan->ncells; i++) {
		const struct plan_cell *c = &plan->cells[i];

		if (dataset_add_cell(ds, c->levels, c->nlevels, &ignored, e) <
		    0)
			return -1;
	}
	return 0;
}

int results_declare(struct dataset *ds, const struct plan *plan, struct err *e)
{
	ds->warmup_rounds = plan->warmup_rounds;
	if (add_cells(ds, plan, e) < 0)
		return -1;
	for (size_t i = 0; i < plan->nmetrics; i++) {
		if (dataset_declare_metric(ds, plan->metrics[i], e) < 0)
			return -1;
	}
	for (size_t i = 0; i < plan->nexact; i++) {
		if (dataset_declare_exact(ds, plan->exact[i], e) < 0)
			return -1;
	}
	return 0;
}

int results_family(const struct plan *plan, size_t *n, struct err *e)
{
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	CLEANUP(analysis_freep) struct analysis *pairs = NULL;
	struct compare_spec spec = results_spec(plan);

	if (results_declare(ds, plan, e) < 0 ||
	    compare_pairs(ds, &spec, &pairs, e) < 0)
		return -1;
	*n = pairs->ncomparisons;
	return 0;
}

// What the journal is read into, in one go.
struct reading {
	struct results *results;
	struct schedule *schedule;
	struct environment environment;
};

static void reading_deinit(struct reading *in)
{
	schedule_free(in->schedule);
	environment_deinit(&in->environment);
}

static int add_record(void *arg, const struct record *record, struct err *e)
{
	struct reading *in = arg;
	struct results *r = in->results;

	if (r->first_wall_ns == 0)
		r->first_wall_ns = record->wall_ns;
	r->back_ns = MAX(r->back_ns, r->last_wall_ns - record->wall_ns);
	r->last_wall_ns = record->wall_ns;
	if (schedule_note(in->schedule, record, e) < 0 ||
	    dataset_add_record(r->ds, record, e) < 0)
		return -1;
	if (record->result != NULL)
		environment_add(&in->environment, record->result->facts);
	return 0;
}

// The plan's cells and metrics first, so that the report has them in the
// plan's order, those without a trial or figure included.
static int read_trials(struct results *r, const char *dir,
		       const struct js *hosts, struct err *e)
{
	CLEANUP(reading_deinit)
	struct reading in = { .results = r, .schedule = schedule_new(r->plan) };

	environment_init(&in.environment, hosts);
	r->ds = dataset_new();
	if (results_declare(r->ds, r->plan, e) < 0)
		return err_wrap(e, "%s/" STORE_PLAN, dir);
	dataset_expect(r->ds, r->plan->ntrials);
	if (journal_each(r->trials, add_record, &in, e) < 0)
		return -1;
	r->counts = schedule_count(in.schedule);
	r->rounds = schedule_rounds(in.schedule);
	r->environment = environment_take(&in.environment);
	if (r->plan->order == PLAN_UNKNOWN)
		dataset_forget_order(r->ds);
	if (plan_is_imported(r->plan))
		dataset_forget_boots(r->ds);
	return 0;
}

static const char *stamp(struct results *r, int64_t wall_ns)
{
	char text[CLOCK_STAMP_MAX];

	if (wall_ns == 0)
		return NULL;
	clock_format_utc(wall_ns, text);
	return arena_strdup(r->arena, text);
}

static const char *why_stopped(struct results *r)
{
	if (r->counts.over == r->counts.trials ||
	    (r->stopping != NULL && r->stopping->stopped))
		return NULL;
	return arena_printf(r->arena, "%zu of %zu trials are over so far",
			    r->counts.over, r->counts.trials);
}

// "block.lat_p99" of the workload "block"
static bool is_latency_of(const char *metric, const char *workload)
{
	size_t len = strlen(workload);

	return strncmp(metric, workload, len) == 0 &&
	       strncmp(metric + len, ".lat_", 5) == 0;
}

static bool compares_latency_of(const struct plan *p, const char *workload)
{
	for (size_t i = 0; i < p->nmetrics; i++)
		if (is_latency_of(p->metrics[i], workload))
			return true;
	return false;
}

static bool is_closed_loop(const struct plan *p, const struct js *workload)
{
	return strcmp(js_get_str(workload, "kind", ""), "block") == 0 &&
	       js_get_int(workload, "rate", 0) == 0 &&
	       compares_latency_of(p, js_get_str(workload, "name", ""));
}

// A load that waits for its answers sends nothing while one is late, so that
// what would have been late with it is missing: "coordinated omission" (Tene
// 2013).
static void note_closed_loop(struct results *r, struct environment_notes *notes)
{
	const struct plan *p = r->plan;

	for (size_t c = 0; c < p->ncells; c++) {
		const struct js *list = p->cells[c].workloads;

		for (size_t i = 0; i < js_len(list); i++) {
			if (!is_closed_loop(p, js_at(list, i)))
				continue;
			environment_note(
				notes,
				"latencies are of a closed loop: while an I/O "
				"is late none is sent that would be late with "
				"it (coordinated omission); for latencies under "
				"a load that does not wait, set `rate`");
			return;
		}
	}
}

// Records stand in the order in which they were made. Imported ones have the
// stamps of other programs.
static void note_stamps(struct results *r, struct environment_notes *notes)
{
	if (r->back_ns < NS_PER_S || plan_is_imported(r->plan))
		return;
	environment_note(notes,
			 arena_printf(r->arena,
				      "stamps go back by up to %lld s in the "
				      "campaign: a clock was set. The order is "
				      "the journal's all the same",
				      (long long)(r->back_ns / NS_PER_S)));
}

// The plan's own notes, and what preflight warned of. The figures stand without
// the facts of the hosts (`hosts` is NULL, and why is in `no_hosts`), but their
// reader must know.
static void collect_notes(struct results *r, const struct js *hosts,
			  const struct err *no_hosts)
{
	struct environment_notes notes = { .arena = r->arena };

	for (size_t i = 0; i < r->plan->nnotes; i++)
		environment_note(&notes, r->plan->notes[i]);
	if (hosts == NULL)
		environment_note(&notes,
				 arena_printf(r->arena,
					      "%s: what the hosts were, and "
					      "what preflight found there, is "
					      "not known",
					      no_hosts->msg));
	note_stamps(r, &notes);
	note_closed_loop(r, &notes);
	environment_warnings(hosts, r->ds, &notes);
	environment_changes(r->environment, r->plan->hosts, r->plan->nhosts,
			    &notes);
	r->report.notes = notes.text;
	r->report.nnotes = notes.n;
}

static void fill_report(struct results *r, const char *dir)
{
	const struct plan *p = r->plan;

	r->report = (struct report){
		.ds = r->ds,
		.an = r->an,
		.name = p->name,
		.question = p->question,
		.source = arena_strdup(r->arena, dir),
		.plan_id = p->id,
		.rng = p->rng,
		.order = order_names[p->order],
		.has_seed = !plan_is_imported(p),
		.seed = p->seed,
		.started = stamp(r, r->first_wall_ns),
		.finished = stamp(r, r->last_wall_ns),
		.planned = p->ntrials,
		.stopped = why_stopped(r),
		.environment = r->environment,
		.stopping = r->stopping,
		.aa = p->aa,
	};
}

// NULL where it is missing, or something else.
static struct js *read_hosts(const char *dir, struct err *e)
{
	CLEANUP(js_unrefp) struct js *j = store_read_js(dir, STORE_HOSTS, e);

	if (j == NULL || js_kind(js_get(j, "sessions")) == JS_ARRAY)
		return TAKE_PTR(j);
	err_set(e, ERR_STORE, "%s/" STORE_HOSTS ": has no list of sessions",
		dir);
	return NULL;
}

// A campaign that ended with trials left lost them to its hosts, not to
// somebody who had seen enough. A stopping rule has looks of its own.
static bool is_interim(const struct results *r, const char *dir, unsigned flags)
{
	return r->counts.over < r->counts.trials && !r->plan->has_stop &&
	       !(flags & RESULTS_ENDED) && !store_has(dir, STORE_MANIFEST);
}

static int analyse(struct results *r, const char *dir, unsigned flags,
		   struct err *e)
{
	struct compare_spec spec = results_spec(r->plan);

	spec.accept_confounded = flags & RESULTS_ACCEPT_CONFOUNDED;
	spec.interim = is_interim(r, dir, flags);
	return compare_run(r->ds, &spec, &r->an, e);
}

// The rule's own looks take the place of tests of fixed size.
static int apply_stop(struct results *r, const char *dir, struct err *e)
{
	CLEANUP(boundaries_deinit) struct stopping_test b = { 0 };
	struct compare_spec spec = results_spec(r->plan);
	uint32_t warmup = r->plan->warmup_rounds;

	if (!r->plan->has_stop)
		return 0;
	if (boundaries_load(dir, r->plan, &b, e) < 0)
		return -1;
	r->stopping = stopping_look(r->ds, &spec, &b,
				    r->rounds - MIN(r->rounds, warmup), e);
	if (r->stopping == NULL)
		return -1;
	stopping_apply(r->stopping, r->an);
	return 0;
}

bool results_is_whole(const struct results *r)
{
	const struct schedule_counts *n = &r->counts;

	if (r->stopping != NULL && r->stopping->stopped)
		return n->failed + n->invalid + n->timeout + n->lost == 0;
	return n->ok == n->trials;
}

int results_load(const char *dir, unsigned flags, struct results **out,
		 struct err *e)
{
	CLEANUP(results_freep) struct results *r = xcalloc(1, sizeof(*r));
	CLEANUP(js_unrefp) struct js *hosts = NULL;
	struct err no_hosts = { 0 };

	r->arena = arena_new();
	r->trials = xasprintf("%s/" STORE_TRIALS, dir);
	if (load_plan(r, dir, e) < 0)
		return -1;
	hosts = read_hosts(dir, &no_hosts);
	if (read_trials(r, dir, hosts, e) < 0)
		return -1;
	if (r->ds->ntrials == 0)
		return err_set(e, ERR_HOST,
			       "%s: no trial has ended yet: `vrun watch` shows "
			       "one that runs, `vrun resume` goes on with one "
			       "that was stopped",
			       dir);
	if (analyse(r, dir, flags, e) < 0)
		return err_wrap(e, "%s", dir);
	if (apply_stop(r, dir, e) < 0)
		return -1;
	fill_report(r, dir);
	collect_notes(r, hosts, &no_hosts);
	*out = TAKE_PTR(r);
	return 0;
}
