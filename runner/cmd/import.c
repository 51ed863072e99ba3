// vrun import FILE...: what fio and hyperfine wrote, as a table for vrun
// analyze or as a campaign.
#include "runner/cmd/import.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/csv.h"
#include "runner/base/alloc.h"
#include "runner/base/fd.h"
#include "runner/base/units.h"
#include "runner/campaign/environment.h"
#include "runner/cmd/cmd.h"
#include "runner/cmd/measure.h"

static const struct cmd_option options[] = {
	{ "factors", 'F', "NAME,...",
	  "what the levels before each file are levels of" },
	{ "pattern", 'p', "TEXT",
	  "the levels are in the files' names: run-{backing}-{}.json" },
	{ "keep-failed", 0, NULL,
	  "a file of fio without a result is a failed trial, no error" },
	{ "results", 0, "DIR", "make a campaign in DIR, and report it" },
	{ "name", 'n', "NAME", "of the campaign (default: imported)" },
	{ "baseline", 'b', "FACTOR=LEVEL,...",
	  "what is compared with (default: the first cell)" },
	{ "metric", 0, "NAME,...",
	  "what is compared (default: block.iops, or time)" },
	{ "margin", 'm', "RATIO", "equivalence margin, as 2%" },
	{ "rounds", 0, NULL,
	  "the n-th trials of all cells ran side by side: they are paired" },
	{ "host", 0, "NAME", "where the trials ran (default: unknown)" },
	{ "question", 0, "TEXT", "what the report answers" },
	MEASURE_OPTIONS,
	{ NULL, 0, NULL, NULL },
};

// --- the table ---

static void put_figure(const struct import *im, const struct import_trial *t,
		       const struct metric *m, struct buf *out)
{
	for (size_t i = 0; i < im->ncolumns; i++) {
		csv_put_text(out, import_level(t, im->columns[i], ""));
		buf_putc(out, ',');
	}
	csv_put_text(out, im->inputs[t->input].path);
	buf_printf(out, ",%zu,", t->run);
	if (im->has_order)
		buf_printf(out, "%" PRId64, t->order);
	buf_putc(out, ',');
	csv_put_text(out, t->status);
	buf_printf(out, ",%s,", m->name);
	if (isfinite(m->value))
		buf_printf(out, "%.17g", m->value);
	buf_printf(out, ",%s,%s\n", m->unit, better_name(m->better));
}

static void put_table(const struct import *im, struct buf *out)
{
	for (size_t i = 0; i < im->ncolumns; i++) {
		csv_put_text(out, im->columns[i]);
		buf_putc(out, ',');
	}
	for (size_t i = 0; i < IMPORT_FIXED; i++)
		buf_printf(out, "%s%s", i > 0 ? "," : "", import_fixed[i]);
	buf_putc(out, '\n');
	for (size_t i = 0; i < im->n; i++) {
		const struct import_trial *t = &im->trials[i];

		for (size_t k = 0; k < t->nfigures; k++)
			put_figure(im, t, &t->figures[k], out);
	}
}

static int write_table(const struct import *im, const struct cmd_args *args,
		       int *status, struct err *e)
{
	CLEANUP(buf_deinit) struct buf out = BUF_INIT;
	const char *path = cmd_value(args, "output");

	put_table(im, &out);
	*status = CMD_OK;
	if (path != NULL)
		return file_replace(path, buf_str(&out), out.len, e);
	fwrite(out.data, 1, out.len, stdout); // main checks the stream
	return 0;
}

// --- the campaign ---

// An import_spec and what it borrows.
struct request {
	struct import_spec spec;
	struct arena *arena;
};

static void request_deinit(struct request *q)
{
	arena_free(q->arena);
}

struct items {
	const char **v;
	size_t n, cap;
};

// Of "a,b"; none of them is empty.
static int split(struct request *q, const char *option, const char *text,
		 struct items *out, struct err *e)
{
	while (text != NULL) {
		size_t len = strcspn(text, ",");
		const char **slot;

		if (len == 0)
			return err_set(e, ERR_USAGE,
				       "--%s: an empty name between commas",
				       option);
		slot = arena_push(q->arena, &out->v, &out->n, &out->cap,
				  sizeof(*slot));
		*slot = arena_strndup(q->arena, text, len);
		text = text[len] == ',' ? text + len + 1 : NULL;
	}
	return 0;
}

static int read_baseline(struct request *q, const char *text, struct err *e)
{
	struct items items = { 0 };
	struct level *l;

	if (split(q, "baseline", text, &items, e) < 0)
		return -1;
	l = arena_array(q->arena, items.n, sizeof(*l));
	for (size_t i = 0; i < items.n; i++) {
		const char *item = items.v[i];
		size_t len = strcspn(item, "=");

		if (len == 0 || item[len] == '\0')
			return err_set(e, ERR_USAGE,
				       "--baseline: \"%s\" is no FACTOR=LEVEL, "
				       "as in backing=4k",
				       item);
		l[i].factor = arena_strndup(q->arena, item, len);
		l[i].text = item + len + 1;
	}
	q->spec.baseline = l;
	q->spec.nbaseline = items.n;
	return 0;
}

static int read_margin(struct request *q, const char *text, struct err *e)
{
	double margin;

	if (text == NULL)
		return 0;
	if (units_parse_ratio(text, &margin) != UNITS_OK || !(margin > 0) ||
	    margin >= 1)
		return err_set(e, ERR_USAGE,
			       "--margin: \"%s\" is no ratio between 0 and "
			       "100 %%, as 2%%",
			       text);
	q->spec.has_margin = true;
	q->spec.margin = margin;
	return 0;
}

static int read_request(const struct cmd_args *args, struct request *q,
			struct err *e)
{
	const char *name = cmd_value(args, "name");
	const char *host = cmd_value(args, "host");
	struct items metrics = { 0 };

	q->spec = (struct import_spec){
		.name = name != NULL ? name : "imported",
		.host = host != NULL ? host : "unknown",
		.question = cmd_value(args, "question"),
		.rounds = cmd_has(args, "rounds"),
	};
	if (split(q, "metric", cmd_value(args, "metric"), &metrics, e) < 0 ||
	    read_baseline(q, cmd_value(args, "baseline"), e) < 0 ||
	    read_margin(q, cmd_value(args, "margin"), e) < 0)
		return -1;
	q->spec.metrics = metrics.v;
	q->spec.nmetrics = metrics.n;
	return 0;
}

// What is known of where the trials ran: nothing but the files.
static struct js *hosts_of(const struct import *im,
			   const struct import_spec *spec)
{
	struct js *list = js_array(), *host = js_object();
	struct js *facts = js_object(), *files = js_array();

	for (size_t i = 0; i < im->ninputs; i++)
		js_append(files, js_string(im->inputs[i].path));
	js_set(facts, "imported_from", files);
	js_set_str(host, "host", spec->host);
	js_set(host, "facts", facts);
	js_set(host, "findings", js_array());
	js_append(list, host);
	return list;
}

// The file itself, beside the first trial that was read from it.
static int keep_input(const struct store *s, const struct import *im,
		      const struct import_input *in, uint32_t trial,
		      struct err *e)
{
	const char *name = im->nfio > 0 ? "fio.json" : "hyperfine.json";
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	if (file_read(in->path, IMPORT_FILE_MAX, &text, ERR_USAGE, e) < 0)
		return -1;
	return store_artifact(s, (struct store_attempt){ trial, 1 }, name,
			      &text, e);
}

static int keep_inputs(const struct store *s, const struct import *im,
		       struct err *e)
{
	for (uint32_t i = 0; i < im->n; i++) {
		const struct import_trial *t = import_nth(im, i);
		const struct import_input *in = &im->inputs[t->input];

		if (t->run == 1 && t == &im->trials[in->first_trial] &&
		    keep_input(s, im, in, i, e) < 0)
			return -1;
	}
	return 0;
}

static int write_campaign(struct measure *m, const struct import *im,
			  const struct import_spec *spec, const char *root,
			  struct err *e)
{
	CLEANUP(plan_freep) struct plan *plan = NULL;
	CLEANUP(js_unrefp) struct js *tree = NULL;
	CLEANUP(js_unrefp) struct js *hosts = NULL;
	CLEANUP(buf_deinit) struct buf journal = BUF_INIT;

	if (import_plan(im, spec, &plan, e) < 0)
		return -1;
	tree = plan_to_js(plan);
	hosts = environment_add_session(NULL, hosts_of(im, spec), VRUN_VERSION);
	import_journal(im, plan, &journal);
	if (store_create(root, plan, &m->store, e) < 0 ||
	    store_write_js(m->store, STORE_PLAN, tree, e) < 0 ||
	    store_write_js(m->store, STORE_HOSTS, hosts, e) < 0 ||
	    store_write(m->store, STORE_TRIALS, journal.data, journal.len, e) <
		    0)
		return -1;
	return keep_inputs(m->store, im, e);
}

static int make_campaign(const struct import *im, const struct cmd_args *args,
			 int *status, struct err *e)
{
	CLEANUP(request_deinit) struct request q = { .arena = arena_new() };
	CLEANUP(measure_deinit) struct measure m = { 0 };

	if (measure_init(&m, args, NULL, e) < 0 ||
	    read_request(args, &q, e) < 0 ||
	    write_campaign(&m, im, &q.spec, cmd_value(args, "results"), e) < 0)
		return -1;
	return measure_report(&m, status, e);
}

// Options that say nothing of a table.
static int refuse_without_results(const struct cmd_args *args, struct err *e)
{
	static const char *const of_campaign[] = {
		"name", "baseline", "metric", "margin", "rounds",
		"host", "question", "format", "json",
	};

	for (size_t i = 0; i < ARRAY_LEN(of_campaign); i++)
		if (cmd_has(args, of_campaign[i]))
			return err_set(e, ERR_USAGE,
				       "import: --%s is for a campaign: give "
				       "--results DIR, too, or say it to vrun "
				       "analyze",
				       of_campaign[i]);
	return 0;
}

static int run(const struct cmd_args *args, int *status, struct err *e)
{
	CLEANUP(import_deinit)
	struct import im = { .arena = arena_new(),
			     .keep_failed = cmd_has(args, "keep-failed") };
	bool campaign = cmd_has(args, "results");

	if ((!campaign && refuse_without_results(args, e) < 0) ||
	    import_factors(&im, cmd_value(args, "factors"), e) < 0 ||
	    import_pattern(&im, cmd_value(args, "pattern"), e) < 0)
		return -1;
	for (size_t i = 0; i < args->noperands; i++) {
		if (import_read(&im, args->operands[i], e) < 0)
			return -1;
	}
	import_finish(&im);
	return campaign ? make_campaign(&im, args, status, e)
			: write_table(&im, args, status, e);
}

const struct cmd cmd_import = {
	.name = "import",
	.operands = "[LEVEL,...=]FILE...",
	.summary = "read fio's or hyperfine's JSON: a table, or a campaign",
	.details =
		"Each FILE is what fio --output-format=json (or json+) or "
		"hyperfine --export-json\n"
		"wrote; before it stand its levels, one for each of --factors. "
		"A file of fio is one\n"
		"trial, its figures named as those of the workload block; in "
		"one of hyperfine each\n"
		"run is a trial, and the command and its parameters are "
		"factors, too. A run that\n"
		"ended with another status than 0 is a failed trial.\n\n"
		"With --results a campaign is made, for vrun report and "
		"compare like any other. It\n"
		"says that it was imported, and that the order is unknown "
		"unless fio's time stamps,\n"
		"or the one file of hyperfine, tell it. --rounds pairs the "
		"n-th trials of all cells.\n\n"
		"  vrun import --results results --factors backing --rounds "
		"\\\n"
		"      4k=a.json 2M=b.json 4k=c.json 2M=d.json\n"
		"  vrun import --results results --pattern "
		"'{backing}-{}.json' *.json\n\n"
		"Otherwise a table for vrun analyze is printed: the factors, "
		"and the columns file,\n"
		"run, order, status, metric, value, unit and better.\n\n"
		"  vrun import --factors backing 4k=a.json 2M=b.json 4k=c.json "
		"2M=d.json -o runs.csv\n"
		"  vrun analyze runs.csv --value value --metric metric "
		"--status status \\\n"
		"      --order order --factors backing",
	.min_operands = 1,
	.max_operands = IMPORT_FILES_MAX,
	.options = options,
	.run = run,
};
