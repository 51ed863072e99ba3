// vrun compare DIR DIR...: the same cells in several campaigns.
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/strv.h"
#include "runner/campaign/across.h"
#include "runner/campaign/index.h"
#include "runner/campaign/results.h"
#include "runner/campaign/store.h"
#include "runner/cmd/cmd.h"
#include "runner/cmd/show.h"

static const struct cmd_option options[] = {
	SHOW_OPTIONS,
	{ "no-anchor", 0, NULL,
	  "compare the figures themselves, confounded with time" },
	{ "accept-confounded", 0, NULL,
	  "let time pass as no reason for doubt; the report says so" },
	{ NULL, 0, NULL, NULL },
};

struct comparison {
	struct strv names, notes;
	struct across_part *parts;
	struct results **loaded; // owns what the parts point to
	size_t n;
	const struct plan_cell *anchor;
	struct dataset *ds;
	struct analysis *an;
};

static void comparison_deinit(struct comparison *c)
{
	analysis_free(c->an);
	dataset_free(c->ds);
	for (size_t i = 0; i < c->n; i++)
		results_free(c->loaded[i]);
	free(c->loaded);
	free(c->parts);
	strv_deinit(&c->names);
	strv_deinit(&c->notes);
}

static bool is_named(const struct strv *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++) {
		if (strcmp(names->v[i], name) == 0)
			return true;
	}
	return false;
}

// By the last part of its path, if that tells it apart.
static int add_name(struct comparison *c, const char *dir, struct err *e)
{
	CLEANUP(cleanup_free) char *path = xstrdup(dir);
	const char *name = basename(path);

	if (is_named(&c->names, name))
		name = dir;
	if (is_named(&c->names, name))
		return err_set(e, ERR_USAGE, "compare: \"%s\" twice", dir);
	strv_add(&c->names, name);
	return 0;
}

// `results/*` has the list of the campaigns, too.
static bool is_index(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strcmp(slash != NULL ? slash + 1 : path, INDEX_FILE) == 0;
}

static int load_one(const char *dir, struct comparison *c, struct err *e)
{
	if (store_check(dir, e) < 0 || add_name(c, dir, e) < 0 ||
	    results_load(dir, 0, &c->loaded[c->n], e) < 0)
		return -1;
	c->parts[c->n] = (struct across_part){
		.name = c->names.v[c->n],
		.results = c->loaded[c->n],
	};
	c->n++;
	return 0;
}

static int load(const char *const *dirs, size_t n, struct comparison *c,
		struct err *e)
{
	c->parts = xcalloc(n, sizeof(*c->parts));
	c->loaded = xcalloc(n, sizeof(*c->loaded));
	for (size_t i = 0; i < n; i++) {
		if (!is_index(dirs[i]) && load_one(dirs[i], c, e) < 0)
			return -1;
	}
	return c->n >= 2 ? 0
			 : err_set(e, ERR_USAGE,
				   "compare: a single campaign has nothing to "
				   "be compared with; give two or more");
}

static void note_origin(struct comparison *c)
{
	if (c->anchor == NULL)
		strv_add(&c->notes,
			 "The campaigns ran at different times and no anchor "
			 "ties them together: whatever changed between them "
			 "may be the effect. A cell that all of them run with "
			 "the same settings would tell.");
	else
		strv_addf(&c->notes,
			  "Figures are ratios to the anchor cell (%s), which "
			  "all campaigns ran with the same settings, in the "
			  "same round on the same host; effects are ratios of "
			  "such ratios.",
			  c->anchor->label);
}

static void note_campaigns(struct comparison *c)
{
	note_origin(c);
	across_confounds(c->parts, c->n, &c->notes);
	for (size_t i = 0; i < c->n; i++) {
		const struct results *r = c->loaded[i];

		if (r->stopping != NULL && r->stopping->stopped)
			strv_addf(&c->notes,
				  "%s ended when its stopping rule said so: "
				  "its effects are biased outwards.",
				  c->names.v[i]);
		if (!results_is_whole(r))
			strv_addf(&c->notes,
				  "%s is not whole: trials are missing, failed "
				  "or invalid.",
				  c->names.v[i]);
	}
}

// A margin that all plans agree on.
static double common_margin(const struct comparison *c)
{
	const struct plan *first = c->loaded[0]->plan;

	for (size_t i = 0; i < c->n; i++) {
		const struct plan *p = c->loaded[i]->plan;

		if (!p->has_margin || p->margin != first->margin)
			return (double)NAN;
	}
	return first->margin;
}

// Whoever looks at a campaign before its end may wait for better figures.
static bool is_in_mid_run(const struct results *r)
{
	return r->an->interim ||
	       (r->stopping != NULL && !r->stopping->stopped &&
		r->counts.over < r->counts.trials);
}

static bool some_in_mid_run(const struct comparison *c)
{
	size_t i = 0;

	while (i < c->n && !is_in_mid_run(c->loaded[i]))
		i++;
	return i < c->n;
}

static int analyse(struct comparison *c, const struct cmd_args *args,
		   struct err *e)
{
	struct level baseline = { ACROSS_FACTOR, c->parts[0].name };
	struct compare_spec spec = results_spec(c->loaded[0]->plan);

	spec.baseline = &baseline;
	spec.nbaseline = 1;
	spec.margin = common_margin(c);
	spec.sequential = false; // rounds are not shared as it is
	spec.accept_confounded = cmd_has(args, "accept-confounded");
	spec.interim = some_in_mid_run(c);
	c->ds = dataset_new();
	if (!cmd_has(args, "no-anchor"))
		c->anchor = across_anchor(c->parts, c->n);
	if (across_check(c->parts, c->n, e) < 0 ||
	    across_fill(c->parts, c->n, c->anchor, c->ds, e) < 0 ||
	    compare_run(c->ds, &spec, &c->an, e) < 0)
		return err_wrap(e, "compare");
	return 0;
}

static bool are_whole(const struct comparison *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if (!results_is_whole(c->loaded[i]))
			return false;
	}
	return true;
}

static int run(const struct cmd_args *args, int *status, struct err *e)
{
	CLEANUP(comparison_deinit) struct comparison c = { 0 };
	CLEANUP(buf_deinit) struct buf source = BUF_INIT;
	struct report r;

	if (show_check(args, e) < 0 ||
	    load(args->operands, args->noperands, &c, e) < 0 ||
	    analyse(&c, args, e) < 0)
		return -1;
	note_campaigns(&c);
	strv_quote(&c.names, &source);
	r = (struct report){
		.ds = c.ds,
		.an = c.an,
		.source = buf_str(&source),
		.notes = (const char *const *)c.notes.v,
		.nnotes = c.notes.n,
	};
	*status = are_whole(&c) ? CMD_OK : CMD_INCOMPLETE;
	return show_report(args, &r, e);
}

const struct cmd cmd_compare = {
	.name = "compare",
	.operands = "DIR DIR...",
	.summary = "compare the same cells in several campaigns",
	.details =
		"Each cell of the later campaigns is compared with the cell of "
		"the same levels in the first. Campaigns are confounded with "
		"time, and the verdict says so; unless they share an anchor: a "
		"cell of the same levels and the same settings of VM and "
		"workload, the baseline if possible. Then the figures are "
		"ratios to the anchor in the same round, and an effect is a "
		"ratio of such ratios: what changed for the anchor, too, is "
		"not in it. --no-anchor compares the figures themselves. "
		"Facts of the hosts that differ between the campaigns (kernel, "
		"microcode, CPU and the like) are named. The exit status is 1 "
		"when a campaign is not whole.\n\n"
		"Example: vrun compare results/qemu-7.2 results/qemu-8.0",
	.min_operands = 2,
	.max_operands = ACROSS_MAX,
	.options = options,
	.run = run,
};
