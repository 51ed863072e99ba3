// vrun run MATRIX, or vrun MATRIX: measure and report.
#include "runner/cmd/cmd.h"

#include <string.h>

#include "runner/base/strv.h"
#include "runner/campaign/boundaries.h"
#include "runner/cmd/measure.h"
#include "runner/cmd/options.h"

static const struct cmd_option run_options[] = {
	SOURCE_OPTIONS,
	{ "results", 0, "DIR", "where results go (default: results)" },
	{ "dry-run", 'n', NULL, "show the plan and stop, as `vrun plan`" },
	MEASURE_OPTIONS,
	{ NULL, 0, NULL, NULL },
};

// Through the front door of `vrun plan`: the same words on the same matrix.
static int dry_run(const struct cmd_args *args, int *status, struct err *e)
{
	CLEANUP(strv_deinit) struct strv argv = STRV_INIT;
	CLEANUP(options_deinit) struct options o = { 0 };
	static const char *const shared[] = { "rounds", "seed", "set",
					      "hosts",	"aa",	"json" };

	strv_add(&argv, cmd_plan.name);
	for (size_t i = 0; i < args->ngiven; i++) {
		const struct cmd_given *g = &args->given[i];

		for (size_t k = 0; k < ARRAY_LEN(shared); k++) {
			if (strcmp(g->option->name, shared[k]) != 0)
				continue;
			strv_addf(&argv, "--%s%s%s", shared[k],
				  g->value != NULL ? "=" : "",
				  g->value != NULL ? g->value : "");
		}
	}
	strv_add(&argv, "--");
	strv_add(&argv, args->operands[0]);
	if (options_parse(&cmd_plan, (int)argv.n, argv.v, &o, e) < 0)
		return -1;
	return cmd_plan.run(&o.args, status, e);
}

// A rule's boundaries are fixed before anything is measured.
static int make_boundaries(const struct measure *m, struct stopping_test *b,
			   struct err *e)
{
	const struct plan *plan = m->source->plan;

	if (!plan->has_stop)
		return 0;
	if (boundaries_rule(plan, &b->rule, e) < 0)
		return -1;
	progress_say(m->progress, false,
		     "vrun: stopping rule: looks at rounds %zu to %zu; "
		     "boundaries are calibrated unless they were before",
		     b->rule.min_rounds, b->rule.max_rounds);
	return boundaries_obtain(b, e);
}

static int write_boundaries(const struct measure *m,
			    const struct stopping_test *b, struct err *e)
{
	CLEANUP(js_unrefp) struct js *j = NULL;

	if (!m->source->plan->has_stop)
		return 0;
	j = boundaries_to_js(b);
	return store_write_js(m->store, STORE_BOUNDARIES, j, e);
}

static int create(struct measure *m, const char *root,
		  const struct stopping_test *b, struct err *e)
{
	CLEANUP(js_unrefp) struct js *options = source_options(m->source);
	CLEANUP(js_unrefp) struct js *plan = plan_to_js(m->source->plan);
	const struct buf *text = &m->source->text;

	if (store_create(root, m->source->plan, &m->store, e) < 0 ||
	    store_write(m->store, STORE_MATRIX, buf_str(text), text->len, e) <
		    0 ||
	    store_write_js(m->store, STORE_OPTIONS, options, e) < 0 ||
	    store_write_js(m->store, STORE_PLAN, plan, e) < 0 ||
	    (m->hooks != NULL &&
	     store_write_js(m->store, STORE_HOOKS, m->hooks, e) < 0) ||
	    write_boundaries(m, b, e) < 0)
		return -1;
	progress_say(m->progress, false, "vrun: results go to %s",
		     m->store->dir);
	return 0;
}

static int run(const struct cmd_args *args, int *status, struct err *e)
{
	CLEANUP(source_deinit) struct source source = { 0 };
	CLEANUP(measure_deinit) struct measure m = { 0 };
	CLEANUP(boundaries_deinit) struct stopping_test b = { 0 };
	const char *root = cmd_value(args, "results");

	if (root == NULL)
		root = "results";
	if (cmd_has(args, "dry-run"))
		return dry_run(args, status, e);
	if (source_load(args, &source, e) < 0 ||
	    measure_init(&m, args, &source, e) < 0 ||
	    measure_gather_hooks(&m, e) < 0 || make_boundaries(&m, &b, e) < 0 ||
	    preflight_store(source.plan, root, &m.findings, e) < 0 ||
	    measure_name(&m, e) < 0 || measure_preflight(&m, e) < 0 ||
	    measure_judge(&m, e) < 0 || create(&m, root, &b, e) < 0 ||
	    measure_run(&m, NULL, e) < 0)
		return -1;
	return measure_report(&m, status, e);
}

const struct cmd cmd_run = {
	.name = "run",
	.operands = "MATRIX",
	.summary = "measure what a matrix asks for and report",
	.details =
		"Expands the matrix, checks every host, runs the trials in\n"
		"random order in rounds, keeps every record under results/\n"
		"and prints the comparison. `vrun MATRIX` does the same.\n"
		"Ctrl-C ends after the trial in hand, a second one at once;\n"
		"`vrun resume DIR` goes on. --aa runs the baseline against\n"
		"itself instead: the report tells the noise floor and whether\n"
		"the setup can be trusted. Exit status: 0 every trial was\n"
		"ok; 1 some were not; 2 bad usage or matrix; 3 preflight\n"
		"refused; 4 the results directory failed; 130 interrupted.",
	.min_operands = 1,
	.max_operands = 1,
	.options = run_options,
	.run = run,
};
