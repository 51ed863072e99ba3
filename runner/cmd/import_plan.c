// Imported trials as a campaign: the plan that they would have been run by,
// and the journal that they would have left.
#include "runner/cmd/import.h"

#include <math.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/sha256.h"

#define NO_LEVEL "(none)" // of a factor that a trial does not have

struct build {
	const struct import *im;
	const struct import_spec *spec;
	struct plan *plan;
	uint32_t *filled; // by round: how many trials it has
};

static void build_deinit(struct build *b)
{
	plan_free(b->plan);
	free(b->filled);
}

// --- cells ---

// hyperfine's commands differ whenever their parameters do: these are enough.
static bool is_factor(const struct import *im, const char *column)
{
	if (strcmp(column, "command") != 0 || im->nhyperfine == 0)
		return true;
	for (size_t i = 0; i < im->n; i++)
		if (im->trials[i].nlevels <= im->factors.n + 1)
			return true;
	return false;
}

static struct level *levels_of(const struct build *b,
			       const struct import_trial *t, size_t *n)
{
	const struct import *im = b->im;
	struct arena *a = b->plan->arena;
	struct level *l = arena_array(a, im->ncolumns + 1, sizeof(*l));

	*n = 0;
	for (size_t i = 0; i < im->ncolumns; i++) {
		const char *c = im->columns[i];

		if (is_factor(im, c))
			l[(*n)++] = (struct level){
				.factor = arena_strdup(a, c),
				.text = arena_strdup(
					a, import_level(t, c, NO_LEVEL)),
			};
	}
	return l;
}

static char *label_of(struct arena *a, const struct level *l, size_t n)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	for (size_t i = 0; i < n; i++)
		buf_printf(&text, "%s%s=%s", i > 0 ? ", " : "", l[i].factor,
			   l[i].text);
	return arena_strdup(a, n > 0 ? buf_str(&text) : "all");
}

static bool has_levels(const struct plan_cell *c, const struct level *l,
		       size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(c->levels[i].text, l[i].text) != 0)
			return false;
	return true;
}

static int cell_of(struct build *b, const struct import_trial *t,
		   uint32_t *cell, struct err *e)
{
	struct plan *p = b->plan;
	struct plan_cell *c;
	size_t n;
	struct level *l = levels_of(b, t, &n);

	for (*cell = 0; *cell < p->ncells; (*cell)++)
		if (has_levels(&p->cells[*cell], l, n))
			return 0;
	if (p->ncells == IMPORT_CELLS_MAX)
		return err_set(e, ERR_USAGE,
			       "import: more than %d cells; are the levels "
			       "right?",
			       IMPORT_CELLS_MAX);
	c = &p->cells[p->ncells++];
	*c = (struct plan_cell){ .id = *cell,
				 .label = label_of(p->arena, l, n),
				 .levels = l,
				 .nlevels = n,
				 .host = js_object(),
				 .vm = js_object(),
				 .workloads = js_array() };
	return 0;
}

// --- trials ---

static void add_trial(struct build *b, uint32_t id, uint32_t cell,
		      uint32_t *seen)
{
	struct plan *p = b->plan;
	struct plan_trial *t = &p->trials[id];

	*t = (struct plan_trial){ .id = id,
				  .block = b->spec->rounds ? seen[cell] : id,
				  .boot = id,
				  .cell = cell,
				  .first_in_boot = true,
				  .last_in_boot = true };
	seen[cell]++;
	if (b->spec->rounds)
		t->position = b->filled[t->block]++;
	p->rounds = MAX(p->rounds, t->block + 1);
}

static int add_trials(struct build *b, struct err *e)
{
	const struct import *im = b->im;
	struct plan *p = b->plan;
	CLEANUP(cleanup_free)
	uint32_t *seen = xcalloc(IMPORT_CELLS_MAX, sizeof(*seen));

	p->cells = arena_array(p->arena, IMPORT_CELLS_MAX, sizeof(*p->cells));
	p->trials = arena_array(p->arena, im->n, sizeof(*p->trials));
	b->filled = xcalloc(im->n, sizeof(*b->filled));
	// Cells stand as they were given, trials as they ran.
	for (size_t i = 0; i < im->n; i++) {
		uint32_t ignored;

		if (cell_of(b, &im->trials[i], &ignored, e) < 0)
			return -1;
	}
	for (uint32_t i = 0; i < im->n; i++) {
		uint32_t cell;

		if (cell_of(b, import_nth(im, i), &cell, e) < 0)
			return -1;
		add_trial(b, i, cell, seen);
	}
	p->ntrials = im->n;
	return 0;
}

// --- the comparison ---

static bool has_metric(const struct import *im, const char *name)
{
	for (size_t i = 0; i < im->n; i++)
		for (size_t k = 0; k < im->trials[i].nfigures; k++)
			if (strcmp(im->trials[i].figures[k].name, name) == 0)
				return true;
	return false;
}

static int set_metrics(struct build *b, struct err *e)
{
	static const char *const fio = "block.iops", *const hyperfine = "time";
	const struct import_spec *s = b->spec;
	const char *const *names = b->im->nfio > 0 ? &fio : &hyperfine;
	size_t n = s->nmetrics > 0 ? s->nmetrics : 1;
	struct plan *p = b->plan;

	if (s->nmetrics > 0)
		names = s->metrics;
	p->metrics = arena_array(p->arena, n, sizeof(*p->metrics));
	for (size_t i = 0; i < n; i++) {
		if (!has_metric(b->im, names[i]))
			return err_set(e, ERR_USAGE,
				       "--metric: no file has a figure of "
				       "\"%s\"",
				       names[i]);
		p->metrics[p->nmetrics++] = arena_strdup(p->arena, names[i]);
	}
	return 0;
}

static void set_baseline(struct build *b)
{
	const struct import_spec *s = b->spec;
	struct plan *p = b->plan;

	p->baseline =
		arena_array(p->arena, s->nbaseline + 1, sizeof(*p->baseline));
	for (size_t i = 0; i < s->nbaseline; i++)
		p->baseline[i] = (struct level){
			.factor = arena_strdup(p->arena, s->baseline[i].factor),
			.text = arena_strdup(p->arena, s->baseline[i].text),
		};
	p->nbaseline = s->nbaseline;
	p->has_margin = s->has_margin;
	p->margin = s->has_margin ? s->margin : 0;
}

// What a reader must know, who sees a report like any other.
static void set_notes(struct build *b)
{
	const struct import *im = b->im;
	struct plan *p = b->plan;
	const char **notes = arena_array(p->arena, 2, sizeof(*notes));

	notes[0] = arena_printf(
		p->arena,
		"imported from %zu %s of %s: vrun neither ran these trials nor "
		"read back any setting",
		im->ninputs, im->ninputs == 1 ? "file" : "files",
		im->nfio > 0 ? "fio" : "hyperfine");
	if (!im->has_order)
		notes[1] = "the files do not tell in which order they were "
			   "made";
	else if (im->nfio > 0)
		notes[1] = "the order is that of the files' time stamps";
	else
		notes[1] = "the order is that of the runs in the file";
	p->notes = notes;
	p->nnotes = 2;
}

static int check(const struct import *im, struct err *e)
{
	if (im->nfio > 0 && im->nhyperfine > 0)
		return err_set(e, ERR_USAGE,
			       "import: fio and hyperfine have no figure in "
			       "common: import each on its own");
	if (im->n > PLAN_TRIALS_MAX)
		return err_set(e, ERR_USAGE,
			       "import: %zu trials; a campaign has at most %d",
			       im->n, PLAN_TRIALS_MAX);
	return 0;
}

static void init_plan(struct build *b)
{
	const struct import_spec *s = b->spec;
	struct plan *p = b->plan = xcalloc(1, sizeof(*p));

	p->arena = arena_new();
	p->name = arena_strdup(p->arena, s->name);
	p->question =
		arena_strdup(p->arena, s->question != NULL ? s->question : "");
	p->rng = "none";
	p->order = b->im->has_order ? PLAN_RECORDED : PLAN_UNKNOWN;
	p->hosts = arena_array(p->arena, 1, sizeof(*p->hosts));
	p->hosts[0] = arena_strdup(p->arena, s->host);
	p->nhosts = 1;
	p->repeat = 1;
}

// What was measured is part of the plan's identity: the same plan by name may
// have been measured twice.
static void set_imported(struct build *b)
{
	CLEANUP(buf_deinit) struct buf journal = BUF_INIT;
	char hex[SHA256_HEX_CHARS + 1];

	import_journal(b->im, b->plan, &journal);
	sha256_hex(buf_str(&journal), journal.len, hex);
	for (size_t i = 0; i < b->plan->ncells; i++)
		js_set_str(b->plan->cells[i].vm, PLAN_IMPORTED, hex);
}

int import_plan(const struct import *im, const struct import_spec *spec,
		struct plan **out, struct err *e)
{
	CLEANUP(build_deinit) struct build b = { .im = im, .spec = spec };

	if (check(im, e) < 0)
		return -1;
	init_plan(&b);
	if (add_trials(&b, e) < 0 || set_metrics(&b, e) < 0)
		return -1;
	set_baseline(&b);
	set_notes(&b);
	set_imported(&b);
	plan_seal(b.plan);
	*out = TAKE_PTR(b.plan);
	return 0;
}

// --- the journal ---

static struct result *result_of(const struct import_trial *t, struct arena *a)
{
	struct result *r = result_new(a);
	struct js *tool = js_object();

	if (strcmp(t->status, "ok") != 0)
		result_fail(a, r, OUTCOME_FAILED, "%s", t->status);
	for (size_t i = 0; i < t->nfigures; i++)
		if (isfinite(t->figures[i].value))
			result_metric(a, r, &t->figures[i]);
	js_set_str(tool, "engine", t->tool);
	r->facts = js_object();
	js_set(r->facts, "tool", tool);
	if (t->latency != NULL) {
		r->hists = js_object();
		js_set(r->hists, "block.lat", js_ref(t->latency));
	}
	return r;
}

static void put_record(const struct record *r, struct buf *out)
{
	CLEANUP(js_unrefp) struct js *j = record_to_js(r);

	js_print(j, out);
	buf_putc(out, '\n');
}

static void put_trial(const struct import_trial *t, const struct plan *p,
		      const struct plan_trial *at, struct buf *out)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct result *result = result_of(t, a);
	const struct plan_cell *c = &p->cells[at->cell];
	struct record r = { .event = RECORD_STARTED,
			    .trial = at->id,
			    .attempt = 1,
			    .host = p->hosts[0],
			    .block = at->block,
			    .boot = at->boot,
			    .position = at->position,
			    .cell = at->cell,
			    .boot_attempt = 1,
			    .levels = c->levels,
			    .nlevels = c->nlevels,
			    .wall_ns = t->written_ms * 1000000 };

	put_record(&r, out);
	r.event = RECORD_FINISHED;
	r.result = result;
	put_record(&r, out);
	js_unref(result->facts);
	js_unref(result->hists);
}

void import_journal(const struct import *im, const struct plan *plan,
		    struct buf *out)
{
	for (uint32_t i = 0; i < im->n; i++)
		put_trial(import_nth(im, i), plan, &plan->trials[i], out);
}
