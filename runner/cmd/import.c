// vrun import FILE...: what fio and hyperfine wrote, as a table for vrun
// analyze.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/csv.h"
#include "runner/base/alloc.h"
#include "runner/base/arena.h"
#include "runner/base/fd.h"
#include "runner/base/js.h"
#include "runner/base/strv.h"
#include "runner/cmd/cmd.h"
#include "runner/record/record.h"
#include "runner/record/result.h"
#include "runner/tool/fio_json.h"
#include "runner/tool/hyperfine_json.h"

enum {
	IMPORT_FILE_MAX = 256 << 20,
};

static const struct cmd_option options[] = {
	{ "factors", 'F', "NAME,...",
	  "what the levels before each file are levels of" },
	{ "keep-failed", 0, NULL,
	  "a file of fio without a result is a failed trial, no error" },
	{ "output", 'o', "FILE", "write to FILE instead of standard output" },
	{ NULL, 0, NULL, NULL },
};

// One row for each of its figures.
struct trial {
	const struct level *levels;
	size_t nlevels;
	const char *file;
	size_t run;	    // in its file, from 1
	int64_t order;	    // ascends as the trials ran; < 0: unknown
	const char *status; // "ok", or why not
	const struct metric *figures;
	size_t nfigures;
};

struct import {
	struct arena *arena;
	struct strv factors; // of the option
	bool keep_failed;
	struct trial *trials;
	size_t n, cap;
	const char **columns; // factors of all trials
	size_t ncolumns, columns_cap;
	size_t files_of_hyperfine;
	bool has_order;
};

// Borrowed by everything that is read from it.
struct input {
	const char *file;
	const struct level *levels; // as given before the file
	struct buf text;
};

static void import_deinit(struct import *im)
{
	strv_deinit(&im->factors);
	arena_free(im->arena);
}

static void input_deinit(struct input *in)
{
	buf_deinit(&in->text);
}

// --- columns ---

// Other columns of the table; no factor can have their names.
static const char *const fixed[] = { "file",   "run",	"order", "status",
				     "metric", "value", "unit",	 "better" };

static bool is_fixed(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(fixed); i++) {
		if (strcmp(fixed[i], name) == 0)
			return true;
	}
	return false;
}

static int add_column(struct import *im, const char *name, struct err *e)
{
	const char **slot;

	for (size_t i = 0; i < im->ncolumns; i++) {
		if (strcmp(im->columns[i], name) == 0)
			return 0;
	}
	if (is_fixed(name) || name[0] == '\0')
		return err_set(e, ERR_USAGE,
			       "\"%s\" cannot be a factor: the table has a "
			       "column of that name",
			       name);
	slot = arena_push(im->arena, &im->columns, &im->ncolumns,
			  &im->columns_cap, sizeof(*slot));
	*slot = arena_strdup(im->arena, name);
	return 0;
}

static struct trial *add_trial(struct import *im, const struct input *in)
{
	struct trial *t = arena_push(im->arena, &im->trials, &im->n, &im->cap,
				     sizeof(*t));

	*t = (struct trial){ .levels = in->levels,
			     .nlevels = im->factors.n,
			     .file = in->file,
			     .run = 1,
			     .order = -1,
			     .status = "ok" };
	return t;
}

// --- fio ---

static void add_figure(struct import *im, struct trial *t,
		       const struct metric *m)
{
	struct metric *all =
		arena_array(im->arena, t->nfigures + 1, sizeof(*all));

	if (t->nfigures > 0)
		memcpy(all, t->figures, t->nfigures * sizeof(*all));
	all[t->nfigures] = *m;
	t->figures = all;
	t->nfigures++;
}

// Named as the workload `block` names its own.
static void add_latencies(struct import *im, const struct fio_figures *f,
			  struct trial *t)
{
	static const char *const lat[FIO_PERCENTILES] = { "block.lat_p50",
							  "block.lat_p90",
							  "block.lat_p99",
							  "block.lat_p999" };
	static const char *const clat[FIO_PERCENTILES] = { "block.clat_p50",
							   "block.clat_p90",
							   "block.clat_p99",
							   "block.clat_p999" };

	for (size_t i = 0; i < FIO_PERCENTILES; i++) {
		bool own = f->has_hist || !f->percentiles_of_clat;
		struct metric m = { own ? lat[i] : clat[i], f->percentile[i],
				    "ns", BETTER_LOWER };

		if (f->has_hist)
			m.value = hist_percentile(&f->lat, fio_percentiles[i]);
		if (isfinite(m.value))
			add_figure(im, t, &m);
	}
}

static void add_fio_figures(struct import *im, const struct fio_figures *f,
			    struct trial *t)
{
	const struct metric all[] = {
		{ "block.iops", f->iops, "IOPS", BETTER_HIGHER },
		{ "block.bw", f->bytes_per_s / 1e6, "MB/s", BETTER_HIGHER },
		{ "block.lat_mean", f->lat_mean_ns, "ns", BETTER_LOWER },
		{ "block.cpu_per_io", f->cpu_ns / (double)f->ios, "ns",
		  BETTER_LOWER },
	};

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		if (isfinite(all[i].value))
			add_figure(im, t, &all[i]);
	}
	add_latencies(im, f, t);
}

// It lacks the figure that everything else of fio's has.
static void fail_fio(struct import *im, struct trial *t, const char *why)
{
	struct metric none = { "block.iops", (double)NAN, "IOPS",
			       BETTER_HIGHER };

	t->status = arena_strdup(im->arena, why);
	t->nfigures = 0;
	add_figure(im, t, &none);
}

static int read_fio(struct import *im, const struct input *in, struct err *e)
{
	CLEANUP(cleanup_free) struct fio_figures *f = xcalloc(1, sizeof(*f));
	struct trial *t;

	if (fio_json_parse(buf_str(&in->text), in->text.len, f, e) < 0) {
		e->kind = ERR_USAGE;
		if (!im->keep_failed)
			return err_wrap(e, "%s", in->file);
		fail_fio(im, add_trial(im, in), e->msg);
		return 0;
	}
	t = add_trial(im, in);
	t->order = f->written_ms > 0 ? f->written_ms : -1;
	if (f->error != 0 || f->ios == 0)
		fail_fio(im, t,
			 f->error != 0 ? strerror(f->error)
				       : "no I/O was done");
	else
		add_fio_figures(im, f, t);
	return 0;
}

// --- hyperfine ---

static int add_own_column(struct import *im, const char *name, struct err *e)
{
	for (size_t i = 0; i < im->factors.n; i++) {
		if (strcmp(im->factors.v[i], name) == 0)
			return err_set(e, ERR_USAGE,
				       "\"%s\" comes from the file: --factors "
				       "needs another name",
				       name);
	}
	return add_column(im, name, e);
}

static int hyperfine_levels(struct import *im, const struct input *in,
			    const struct hyperfine_result *r,
			    const struct level **out, struct err *e)
{
	size_t n = im->factors.n;
	struct level *l =
		arena_array(im->arena, n + 1 + r->nparameters, sizeof(*l));

	for (size_t i = 0; i < n; i++)
		l[i] = in->levels[i];
	l[n] = (struct level){ "command", r->command };
	for (size_t i = 0; i < r->nparameters; i++)
		l[n + 1 + i] = (struct level){ r->parameters[i].name,
					       r->parameters[i].value };
	for (size_t i = n; i < n + 1 + r->nparameters; i++) {
		if (add_own_column(im, l[i].factor, e) < 0)
			return -1;
	}
	*out = l;
	return 0;
}

// hyperfine runs one command after the other: the order is that of the file.
static int add_hyperfine(struct import *im, const struct input *in,
			 const struct hyperfine_result *r, struct err *e)
{
	const struct level *levels;

	if (hyperfine_levels(im, in, r, &levels, e) < 0)
		return -1;
	for (size_t i = 0; i < r->nruns; i++) {
		struct trial *t = add_trial(im, in);
		struct metric m = { "time", r->runs[i].seconds, "s",
				    BETTER_LOWER };

		t->levels = levels;
		t->nlevels = im->factors.n + 1 + r->nparameters;
		t->run = i + 1;
		t->order = (int64_t)im->n;
		if (r->runs[i].failed)
			t->status = "failed";
		add_figure(im, t, &m);
	}
	return 0;
}

static int read_hyperfine(struct import *im, const struct input *in,
			  const struct js *root, struct err *e)
{
	struct hyperfine h;

	im->files_of_hyperfine++;
	if (hyperfine_json_read(root, im->arena, &h, e) < 0)
		return err_wrap(e, "%s", in->file);
	for (size_t i = 0; i < h.n; i++) {
		if (add_hyperfine(im, in, &h.results[i], e) < 0)
			return err_wrap(e, "%s", in->file);
	}
	return 0;
}

// --- arguments ---

static int bad_levels(const struct import *im, const char *operand,
		      struct err *e)
{
	CLEANUP(buf_deinit) struct buf names = BUF_INIT;

	for (size_t i = 0; i < im->factors.n; i++)
		buf_printf(&names, "%s%s", i > 0 ? "," : "", im->factors.v[i]);
	return err_set(e, ERR_USAGE,
		       "import: \"%s\": write one level for each of %s, then = "
		       "and the file, as in 4k=run1.json",
		       operand, buf_str(&names));
}

// "4k,1G=run.json" with as many levels as there are factors; without factors
// the file alone.
static int read_operand(struct import *im, const char *operand,
			struct input *in, struct err *e)
{
	size_t n = im->factors.n;
	struct level *l = arena_array(im->arena, n, sizeof(*l));
	const char *at = operand;

	for (size_t i = 0; i < n; i++) {
		char end = i + 1 < n ? ',' : '=';
		size_t len = strcspn(at, ",=");

		if (at[len] != end || len == 0)
			return bad_levels(im, operand, e);
		l[i] = (struct level){ im->factors.v[i],
				       arena_strndup(im->arena, at, len) };
		at += len + 1;
	}
	in->levels = l;
	in->file = at;
	return 0;
}

static int read_factors(struct import *im, const char *list, struct err *e)
{
	while (list != NULL) {
		size_t len = strcspn(list, ",");
		CLEANUP(cleanup_free)
		char *name = xasprintf("%.*s", (int)len, list);
		size_t before = im->ncolumns;

		if (add_column(im, name, e) < 0)
			return err_wrap(e, "--factors");
		if (im->ncolumns == before)
			return err_set(e, ERR_USAGE, "--factors: \"%s\" twice",
				       name);
		strv_add(&im->factors, name);
		list = list[len] == ',' ? list + len + 1 : NULL;
	}
	return 0;
}

// What is no JSON, or another program's, is for fio's reader to say.
static int read_input(struct import *im, const char *operand, struct err *e)
{
	CLEANUP(input_deinit) struct input in = { 0 };
	CLEANUP(js_unrefp) struct js *root = NULL;
	struct err ignored = { 0 };

	if (read_operand(im, operand, &in, e) < 0 ||
	    file_read(in.file, IMPORT_FILE_MAX, &in.text, ERR_USAGE, e) < 0)
		return -1;
	root = js_parse_foreign(buf_str(&in.text), in.text.len, in.file,
				&ignored);
	if (root != NULL && hyperfine_json_is(root))
		return read_hyperfine(im, &in, root, e);
	return read_fio(im, &in, e);
}

// --- the table ---

// When files of hyperfine were written, none of them says: only within one
// file the order is known.
static bool knows_order(const struct import *im)
{
	for (size_t i = 0; i < im->n; i++) {
		const struct trial *t = &im->trials[i];

		if (t->order < 0 || (im->files_of_hyperfine > 0 &&
				     strcmp(t->file, im->trials[0].file) != 0))
			return false;
	}
	return true;
}

static const char *level_of(const struct trial *t, const char *factor)
{
	for (size_t i = 0; i < t->nlevels; i++) {
		if (strcmp(t->levels[i].factor, factor) == 0)
			return t->levels[i].text;
	}
	return "";
}

static void put_figure(const struct import *im, const struct trial *t,
		       const struct metric *m, struct buf *out)
{
	for (size_t i = 0; i < im->ncolumns; i++) {
		csv_put_text(out, level_of(t, im->columns[i]));
		buf_putc(out, ',');
	}
	csv_put_text(out, t->file);
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
	for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
		buf_printf(out, "%s%s", i > 0 ? "," : "", fixed[i]);
	buf_putc(out, '\n');
	for (size_t i = 0; i < im->n; i++) {
		const struct trial *t = &im->trials[i];

		for (size_t k = 0; k < t->nfigures; k++)
			put_figure(im, t, &t->figures[k], out);
	}
}

static int run(const struct cmd_args *args, int *status, struct err *e)
{
	CLEANUP(import_deinit)
	struct import im = { .arena = arena_new(),
			     .keep_failed = cmd_has(args, "keep-failed") };
	CLEANUP(buf_deinit) struct buf out = BUF_INIT;
	const char *path = cmd_value(args, "output");

	if (read_factors(&im, cmd_value(args, "factors"), e) < 0)
		return -1;
	for (size_t i = 0; i < args->noperands; i++) {
		if (read_input(&im, args->operands[i], e) < 0)
			return -1;
	}
	im.has_order = knows_order(&im);
	put_table(&im, &out);
	*status = CMD_OK;
	if (path != NULL)
		return file_replace(path, buf_str(&out), out.len, e);
	fwrite(out.data, 1, out.len, stdout); // main checks the stream
	return 0;
}

const struct cmd cmd_import = {
	.name = "import",
	.operands = "[LEVEL,...=]FILE...",
	.summary = "make a table of fio's or hyperfine's JSON, for analyze",
	.details =
		"Each FILE is what fio --output-format=json (or json+) or "
		"hyperfine --export-json wrote; before it stand its levels, "
		"one for each of --factors. A file of fio is one trial, its "
		"figures named as those of the workload block; in one of "
		"hyperfine each run is a trial, and the command and its "
		"parameters are factors, too.\n\n"
		"The table has the factors and the columns file, run, order, "
		"status, metric, value, unit and better. The order is known "
		"from fio's time stamps, or within one file of hyperfine, "
		"which runs one command after the other: give it to analyze, "
		"so that the verdict can say what drift may have done.\n\n"
		"Example: vrun import --factors backing 4k=a.json 4k=b.json "
		"2M=c.json 2M=d.json -o runs.csv; vrun analyze runs.csv "
		"--value value --metric metric --status status --order order "
		"--factors backing",
	.min_operands = 1,
	.max_operands = 100000,
	.options = options,
	.run = run,
};
