#include "runner/agent/workload.h"

#include <stdio.h>
#include <string.h>

#include "runner/agent/block.h"
#include "runner/agent/synthetic.h"
#include "runner/base/buf.h"

static const struct workload_kind kinds[] = {
	{ "block", block_run },
	{ "synthetic", synthetic_run },
};

static const struct workload_kind *find_kind(const char *name)
{
	for (size_t i = 0; name != NULL && i < ARRAY_LEN(kinds); i++) {
		if (strcmp(kinds[i].kind, name) == 0)
			return &kinds[i];
	}
	return NULL;
}

static int unknown_kind(const char *name, struct err *e)
{
	CLEANUP(buf_deinit) struct buf have = BUF_INIT;

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		buf_printf(&have, "%s%s", i ? ", " : "", kinds[i].kind);
	return err_set(e, ERR_USAGE, "unknown workload \"%.64s\" (have %s)",
		       name == NULL ? "" : name, buf_str(&have));
}

static const char *full_name(struct workload_run *run, const char *figure)
{
	return arena_printf(run->a, "%s.%s", run->name, figure);
}

void workload_metric(struct workload_run *run, const char *figure, double value,
		     const char *unit, enum better better)
{
	result_metric(run->a, run->r,
		      &(struct metric){ full_name(run, figure), value, unit,
					better });
}

void workload_check(struct workload_run *run, const struct check *c)
{
	result_check(run->a, run->r, c);
	if (c->status == CHECK_FAILED)
		result_fail(run->a, run->r, OUTCOME_INVALID,
			    "%s did not take effect: expected %s, seen %s "
			    "(%s)",
			    c->parameter, c->expected, c->seen, c->source);
}

void workload_hist(struct workload_run *run, const char *figure,
		   struct js *hist)
{
	if (run->r->hists == NULL)
		run->r->hists = js_object();
	js_set(run->r->hists, full_name(run, figure), hist);
}

void workload_stage(struct workload_run *run, const char *stage)
{
	run->r->stage = full_name(run, stage);
	if (run->stage != NULL)
		run->stage(run->stage_arg, run->r->stage);
}

// The room is that of one artifact for all of them: they share a frame.
void workload_artifact(struct workload_run *run, const char *name,
		       const struct buf *data)
{
	const char *full = full_name(run, name);

	if (run->artifacts == NULL)
		return;
	if (run->artifacts->bytes + data->len > ARTIFACT_BYTES_MAX ||
	    !artifacts_add(run->artifacts, full, data->data, data->len))
		result_note(run->a, run->r,
			    "%s: %zu bytes, more than there is room for, are "
			    "not kept",
			    full, data->len);
}

static int run_one(const struct js *w, struct workload_run *run, struct err *e)
{
	const char *name = js_get_str(w, "kind", NULL);
	const struct workload_kind *k = find_kind(name);

	if (k == NULL)
		return unknown_kind(name, e);
	run->name = js_get_str(w, "name", name);
	if (strlen(run->name) > WORKLOAD_NAME_MAX || run->name[0] == '\0')
		return err_set(e, ERR_USAGE,
			       "a workload's name has 1 to %d bytes",
			       WORKLOAD_NAME_MAX);
	return k->run(w, run, e);
}

// The figures of one workload are kept apart in the facts by its name.
static void add_facts(struct result *r, const char *name, struct js *facts)
{
	if (r->facts == NULL)
		r->facts = js_object();
	js_set(r->facts, name == NULL ? "workload" : name, facts);
}

// What is asked for is malformed, or must not or cannot be done here.
static bool is_final(const struct err *e)
{
	return e->kind == ERR_USAGE || e->kind == ERR_REFUSED;
}

static bool run_list(const struct js *list, struct workload_run *run)
{
	struct err e = { 0 };

	for (size_t i = 0; i < js_len(list); i++) {
		int rc;

		run->name = NULL;
		run->facts = js_object();
		rc = run_one(js_at(list, i), run, &e);
		add_facts(run->r, run->name, run->facts);
		if (rc < 0) {
			result_fail(run->a, run->r, OUTCOME_FAILED, "%s",
				    e.msg);
			run->r->final = is_final(&e);
			return false;
		}
	}
	return true;
}

struct result *workload_run_all(const struct js *list,
				const struct workload_run *proto,
				struct arena *a)
{
	struct workload_run run = *proto;

	run.a = a;
	run.r = result_new(a);
	if (js_kind(list) != JS_ARRAY || js_len(list) == 0 ||
	    js_len(list) > WORKLOAD_LIST_MAX) {
		result_fail(a, run.r, OUTCOME_FAILED,
			    "workloads: must be a list of 1 to %d",
			    WORKLOAD_LIST_MAX);
		return run.r;
	}
	if (run_list(list, &run) && run.r->outcome == OUTCOME_OK)
		run.r->stage = NULL;
	return run.r;
}
