// What fio and hyperfine wrote, to trials.
#include "runner/cmd/import.h"

#include <math.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/fd.h"
#include "runner/tool/fio_json.h"
#include "runner/tool/hyperfine_json.h"

// Until 2100: beyond that it is no time stamp.
static const int64_t written_ms_max = 4102444800000;

// Borrowed by everything that is read from it.
struct input {
	const struct import_input *from;
	size_t index;
	struct buf text;
};

static void input_deinit(struct input *in)
{
	buf_deinit(&in->text);
}

// --- columns ---

const char *const import_fixed[IMPORT_FIXED] = {
	"file", "run", "order", "status", "metric", "value", "unit", "better",
};

static bool is_fixed(const char *name)
{
	for (size_t i = 0; i < IMPORT_FIXED; i++) {
		if (strcmp(import_fixed[i], name) == 0)
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
	if (name[0] == '\0')
		return err_set(e, ERR_USAGE, "a factor without a name");
	if (is_fixed(name))
		return err_set(e, ERR_USAGE,
			       "\"%s\" cannot be a factor: the table has a "
			       "column of that name",
			       name);
	slot = arena_push(im->arena, &im->columns, &im->ncolumns,
			  &im->columns_cap, sizeof(*slot));
	*slot = arena_strdup(im->arena, name);
	return 0;
}

static struct import_trial *add_trial(struct import *im, const struct input *in)
{
	struct import_trial *t = arena_push(im->arena, &im->trials, &im->n,
					    &im->cap, sizeof(*t));

	*t = (struct import_trial){ .levels = in->from->levels,
				    .nlevels = im->factors.n,
				    .input = in->index,
				    .run = 1,
				    .order = -1,
				    .status = "ok" };
	return t;
}

// --- fio ---

static void add_figure(struct import *im, struct import_trial *t,
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
			  struct import_trial *t)
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
			    struct import_trial *t)
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
	if (f->has_hist)
		t->latency = hist_to_js(&f->lat);
}

// It lacks the figure that everything else of fio's has.
static void fail_fio(struct import *im, struct import_trial *t, const char *why)
{
	struct metric none = { "block.iops", (double)NAN, "IOPS",
			       BETTER_HIGHER };

	t->status = arena_strdup(im->arena, why);
	t->tool = t->tool != NULL ? t->tool : "fio";
	t->nfigures = 0;
	add_figure(im, t, &none);
}

static int read_fio(struct import *im, const struct input *in, struct err *e)
{
	CLEANUP(cleanup_free) struct fio_figures *f = xcalloc(1, sizeof(*f));
	struct import_trial *t;

	im->nfio++;
	if (fio_json_parse(buf_str(&in->text), in->text.len, f, e) < 0) {
		e->kind = ERR_USAGE;
		if (!im->keep_failed)
			return err_wrap(e, "%s", in->from->path);
		fail_fio(im, add_trial(im, in), e->msg);
		return 0;
	}
	t = add_trial(im, in);
	t->tool = arena_strdup(im->arena, f->version);
	if (f->written_ms > 0 && f->written_ms < written_ms_max)
		t->order = t->written_ms = f->written_ms;
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
		l[i] = in->from->levels[i];
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
		struct import_trial *t = add_trial(im, in);
		struct metric m = { "time", r->runs[i].seconds, "s",
				    BETTER_LOWER };

		t->tool = "hyperfine";
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

	im->nhyperfine++;
	if (hyperfine_json_read(root, im->arena, &h, e) < 0)
		return err_wrap(e, "%s", in->from->path);
	for (size_t i = 0; i < h.n; i++) {
		if (add_hyperfine(im, in, &h.results[i], e) < 0)
			return err_wrap(e, "%s", in->from->path);
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

static int read_operand(struct import *im, const char *operand,
			struct import_input *in, struct err *e)
{
	size_t n = im->factors.n;
	struct level *l = arena_array(im->arena, n, sizeof(*l));
	const char *at = operand;

	if (im->pattern != NULL && import_levels(im, operand, l, e) < 0)
		return -1;
	for (size_t i = 0; im->pattern == NULL && i < n; i++) {
		char end = i + 1 < n ? ',' : '=';
		size_t len = strcspn(at, ",=");

		if (at[len] != end || len == 0)
			return bad_levels(im, operand, e);
		l[i] = (struct level){ im->factors.v[i],
				       arena_strndup(im->arena, at, len) };
		at += len + 1;
	}
	*in = (struct import_input){ .path = at,
				     .levels = l,
				     .first_trial = im->n };
	return 0;
}

int import_factors(struct import *im, const char *list, struct err *e)
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

// The same output twice would count twice.
static int check_twice(const struct import *im, const struct import_input *in,
		       struct err *e)
{
	for (size_t i = 0; i < im->ninputs; i++)
		if (strcmp(im->inputs[i].path, in->path) == 0)
			return err_set(e, ERR_USAGE, "%s: given twice",
				       in->path);
	return 0;
}

static int read_text(struct import *im, const struct input *in, struct err *e)
{
	CLEANUP(js_unrefp) struct js *root = NULL;
	struct err ignored = { 0 };

	root = js_parse_foreign(buf_str(&in->text), in->text.len,
				in->from->path, &ignored);
	if (root != NULL && hyperfine_json_is(root))
		return read_hyperfine(im, in, root, e);
	return read_fio(im, in, e);
}

int import_read(struct import *im, const char *operand, struct err *e)
{
	CLEANUP(input_deinit) struct input in = { .index = im->ninputs };
	struct import_input from = { .path = "" }, *slot;

	if (read_operand(im, operand, &from, e) < 0 ||
	    check_twice(im, &from, e) < 0 ||
	    file_read(from.path, IMPORT_FILE_MAX, &in.text, ERR_USAGE, e) < 0)
		return -1;
	slot = arena_push(im->arena, &im->inputs, &im->ninputs, &im->inputs_cap,
			  sizeof(*slot));
	*slot = from;
	in.from = slot;
	return read_text(im, &in, e);
}

// When files of hyperfine were written, none of them says: only within one
// file the order is known.
static bool knows_order(const struct import *im)
{
	for (size_t i = 0; i < im->n; i++) {
		const struct import_trial *t = &im->trials[i];

		if (t->order < 0 ||
		    (im->nhyperfine > 0 && t->input != im->trials[0].input))
			return false;
	}
	return true;
}

static int by_order(const void *pa, const void *pb, void *trials)
{
	const uint32_t *a = pa, *b = pb;
	const struct import_trial *x = (struct import_trial *)trials + *a;
	const struct import_trial *y = (struct import_trial *)trials + *b;

	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return (*a > *b) - (*a < *b); // as given
}

void import_finish(struct import *im)
{
	im->has_order = knows_order(im);
	im->as_ran = arena_array(im->arena, im->n, sizeof(*im->as_ran));
	for (uint32_t i = 0; i < im->n; i++)
		im->as_ran[i] = i;
	if (im->has_order)
		qsort_r(im->as_ran, im->n, sizeof(*im->as_ran), by_order,
			im->trials);
}

const struct import_trial *import_nth(const struct import *im, uint32_t n)
{
	return &im->trials[im->as_ran[n]];
}

void import_deinit(struct import *im)
{
	for (size_t i = 0; i < im->n; i++)
		js_unref(im->trials[i].latency);
	strv_deinit(&im->factors);
	arena_free(im->arena);
}

const char *import_level(const struct import_trial *t, const char *factor,
			 const char *none)
{
	for (size_t i = 0; i < t->nlevels; i++) {
		if (strcmp(t->levels[i].factor, factor) == 0)
			return t->levels[i].text;
	}
	return none;
}
