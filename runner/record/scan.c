#include "runner/record/scan.h"

#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/jscan.h"
#include "runner/record/layout.h"

_Static_assert(RECORD_VERSION == 1, "the layout below is version 1's");

// The latest distinct texts of one section of the facts, and their trees.
struct section {
	char *name;
	struct known {
		char *text;
		size_t len;
		struct js *tree;
	} known[RECORD_SCAN_KNOWN];
	size_t next;   // to be replaced
	struct js *is; // of this record; NULL: it has no such section
	struct js *was;
};

// What the trials of one cell have in common.
struct cell {
	char *text; // as the journal has it
	size_t len;
	struct level *levels;
	size_t nlevels;
};

struct record_scan {
	struct record_memory last; // of the last record
	struct record_memory *mem; // where records go
	struct arena *kept;	   // of the cells
	struct cell *cells;
	size_t cells_cap;
	struct js *facts; // of the last record that had some
	struct section sections[RECORD_SCAN_SECTIONS];
	size_t nsections;
};

void record_scan_into(struct record_scan *s, struct record_memory *m)
{
	s->mem = m != NULL ? m : &s->last;
}

struct record_scan *record_scan_new(void)
{
	struct record_scan *s = xcalloc(1, sizeof(*s));

	record_memory_init(&s->last);
	s->mem = &s->last;
	s->kept = arena_new();
	return s;
}

static void section_deinit(struct section *s)
{
	for (size_t i = 0; i < RECORD_SCAN_KNOWN; i++) {
		free(s->known[i].text);
		js_unref(s->known[i].tree);
	}
	free(s->name);
}

void record_scan_free(struct record_scan *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->nsections; i++)
		section_deinit(&s->sections[i]);
	js_unref(s->facts);
	record_memory_deinit(&s->last);
	arena_free(s->kept);
	free(s->cells);
	free(s);
}

void record_scan_freep(struct record_scan **s)
{
	record_scan_free(*s);
	*s = NULL;
}

static const char *take_text(struct jscan *in, size_t most, struct arena *a)
{
	struct jscan_text t = jscan_string(in);

	if (t.len > most)
		in->failed = true;
	return in->failed ? "" : arena_strndup(a, t.p, t.len);
}

#define TAKE_MEMBER(in, key, a) \
	(JSCAN_NEED(in, "\"" key "\":"), take_text(in, RESULT_TEXT_MAX, a))

static void scan_event(struct jscan *in, struct record *r)
{
	JSCAN_NEED(in, "{\"v\":1,\"event\":\"");
	r->event = JSCAN_TRY(in, "started") ? RECORD_STARTED : RECORD_FINISHED;
	if (r->event == RECORD_FINISHED)
		JSCAN_NEED(in, "finished");
	JSCAN_NEED(in, "\"");
}

static void scan_numbers(struct jscan *in, struct record *r)
{
	for (size_t i = 0; i < RECORD_NUMBERS; i++) {
		const struct record_number *n = &record_numbers[i];
		uint64_t wide;
		uint32_t v;

		jscan_need(in, n->written, n->len);
		wide = jscan_uint(in);
		v = (uint32_t)wide;
		if (wide > UINT32_MAX)
			in->failed = true;
		memcpy((char *)r + n->offset, &v, sizeof(v));
	}
}

static bool has_factor(const struct record *r, const char *name)
{
	for (size_t i = 0; i < r->nlevels; i++)
		if (strcmp(r->levels[i].factor, name) == 0)
			return true;
	return false;
}

static void read_levels(struct jscan *in, struct arena *a, struct record *r)
{
	size_t cap = 0;

	JSCAN_NEED(in, ",\"levels\":{");
	if (JSCAN_TRY(in, "}"))
		return;
	do {
		struct level l = { 0 };

		l.factor = take_text(in, RECORD_TEXT_MAX, a);
		JSCAN_NEED(in, ":");
		l.text = take_text(in, RECORD_TEXT_MAX, a);
		if (r->nlevels == RECORD_LEVELS_MAX || has_factor(r, l.factor))
			in->failed = true;
		arena_push(a, &r->levels, &r->nlevels, &cap, sizeof(l));
		r->levels[r->nlevels - 1] = l;
	} while (!in->failed && JSCAN_TRY(in, ","));
	JSCAN_NEED(in, "}");
}

// The levels of a cell are the same in all its records: a text that begins
// with all of them needs no second look.
static void scan_levels(struct record_scan *s, struct jscan *in,
			struct record *r)
{
	const char *from = in->at;
	struct cell *c;

	if (in->failed || r->cell >= RECORD_SCAN_CELLS) {
		in->failed = true;
		return;
	}
	s->cells = xgrow(s->cells, &s->cells_cap, (size_t)r->cell + 1,
			 sizeof(*s->cells));
	c = &s->cells[r->cell];
	if (c->text == NULL || !jscan_try(in, c->text, c->len)) {
		read_levels(in, s->kept, r);
		if (in->failed)
			return;
		c->len = (size_t)(in->at - from);
		c->text = arena_strndup(s->kept, from, c->len);
		c->levels = r->levels;
		c->nlevels = r->nlevels;
	}
	r->levels = c->levels;
	r->nlevels = c->nlevels;
}

// The index of one of `n` names; 0 when it is none of them.
static unsigned take_name(struct jscan *in, const char *const *names,
			  unsigned n)
{
	struct jscan_text t = jscan_string(in);

	for (unsigned i = 0; i < n; i++)
		if (jscan_is(t, names[i]))
			return i;
	in->failed = true;
	return 0;
}

static void scan_outcome(struct jscan *in, struct arena *a, struct result *r)
{
	JSCAN_NEED(in, "\"outcome\":");
	r->outcome = (enum outcome)take_name(in, outcome_names, OUTCOMES);
	if (JSCAN_TRY(in, ",\"reason\":"))
		r->reason = take_text(in, RESULT_TEXT_MAX, a);
	if (JSCAN_TRY(in, ",\"stage\":"))
		r->stage = take_text(in, RESULT_TEXT_MAX, a);
}

static void scan_metric(struct jscan *in, struct arena *a, struct result *r,
			size_t *cap)
{
	struct metric m = { 0 };

	JSCAN_NEED(in, "{");
	m.name = TAKE_MEMBER(in, "name", a);
	JSCAN_NEED(in, ",\"value\":");
	m.value = jscan_real(in);
	JSCAN_NEED(in, ",");
	m.unit = TAKE_MEMBER(in, "unit", a);
	JSCAN_NEED(in, ",\"better\":");
	m.better = (enum better)take_name(in, better_names, BETTERS);
	if (r->nmetrics == RESULT_METRICS_MAX)
		in->failed = true;
	JSCAN_NEED(in, "}");
	arena_push(a, &r->metrics, &r->nmetrics, cap, sizeof(m));
	r->metrics[r->nmetrics - 1] = m;
}

static void scan_check(struct jscan *in, struct arena *a, struct result *r,
		       size_t *cap)
{
	struct check c = { 0 };

	JSCAN_NEED(in, "{");
	c.parameter = TAKE_MEMBER(in, "parameter", a);
	JSCAN_NEED(in, ",");
	c.expected = TAKE_MEMBER(in, "expected", a);
	JSCAN_NEED(in, ",");
	c.seen = TAKE_MEMBER(in, "seen", a);
	JSCAN_NEED(in, ",");
	c.source = TAKE_MEMBER(in, "source", a);
	JSCAN_NEED(in, ",\"status\":");
	c.status =
		(enum check_status)take_name(in, check_names, CHECK_STATUSES);
	if (r->nchecks == RESULT_CHECKS_MAX)
		in->failed = true;
	JSCAN_NEED(in, "}");
	arena_push(a, &r->checks, &r->nchecks, cap, sizeof(c));
	r->checks[r->nchecks - 1] = c;
}

static void scan_note(struct jscan *in, struct arena *a, struct result *r,
		      size_t *cap)
{
	if (r->nnotes == RESULT_NOTES_MAX)
		in->failed = true;
	arena_push(a, &r->notes, &r->nnotes, cap, sizeof(*r->notes));
	r->notes[r->nnotes - 1] = take_text(in, RESULT_TEXT_MAX, a);
}

static const struct list {
	const char *key;
	bool optional;
	void (*scan)(struct jscan *in, struct arena *a, struct result *r,
		     size_t *cap);
} lists[] = {
	{ ",\"metrics\":[", false, scan_metric },
	{ ",\"checks\":[", false, scan_check },
	{ ",\"notes\":[", true, scan_note },
};

static void scan_list(struct jscan *in, const struct list *l, struct arena *a,
		      struct result *r)
{
	size_t cap = 0;

	if (!jscan_try(in, l->key, strlen(l->key))) {
		in->failed |= !l->optional;
		return;
	}
	if (JSCAN_TRY(in, "]"))
		return;
	do {
		l->scan(in, a, r, &cap);
	} while (!in->failed && JSCAN_TRY(in, ","));
	JSCAN_NEED(in, "]");
}

static struct js *parse(struct jscan_text t)
{
	struct err ignored; // record_parse will say it

	return js_parse(t.p, t.len, "record", &ignored);
}

static struct section *find_section(struct record_scan *s, struct jscan_text t)
{
	struct section *new;

	for (size_t i = 0; i < s->nsections; i++)
		if (jscan_is(t, s->sections[i].name))
			return &s->sections[i];
	if (s->nsections == RECORD_SCAN_SECTIONS)
		return NULL;
	new = &s->sections[s->nsections++];
	new->name = xcalloc(t.len + 1, 1);
	memcpy(new->name, t.p, t.len);
	return new;
}

// A text that begins with all of a known object is that object.
static struct js *recognize(struct jscan *in, const struct section *s)
{
	for (size_t i = 0; i < RECORD_SCAN_KNOWN; i++) {
		const struct known *k = &s->known[i];

		if (k->tree != NULL && jscan_try(in, k->text, k->len))
			return k->tree;
	}
	return NULL;
}

static struct js *learn(struct jscan *in, struct section *s)
{
	struct known *k = &s->known[s->next];
	struct jscan_text t = jscan_value(in);
	struct js *tree = in->failed ? NULL : parse(t);

	if (js_kind(tree) != JS_OBJECT) {
		js_unref(tree);
		return NULL;
	}
	free(k->text);
	js_unref(k->tree);
	k->text = xmalloc(t.len);
	memcpy(k->text, t.p, t.len);
	k->len = t.len;
	k->tree = tree;
	s->next = (s->next + 1) % RECORD_SCAN_KNOWN;
	return tree;
}

static void scan_section(struct record_scan *s, struct jscan *in)
{
	struct section *section = find_section(s, jscan_string(in));

	JSCAN_NEED(in, ":");
	if (in->failed || section == NULL || section->is != NULL) {
		in->failed = true;
		return;
	}
	section->is = recognize(in, section);
	if (section->is == NULL)
		section->is = learn(in, section);
	if (section->is == NULL)
		in->failed = true;
}

// The same object as long as its sections are the same.
static struct js *join_sections(struct record_scan *s)
{
	bool same = s->facts != NULL;

	for (size_t i = 0; i < s->nsections; i++)
		same &= s->sections[i].is == s->sections[i].was;
	if (same)
		return s->facts;
	js_unref(s->facts);
	s->facts = js_object();
	for (size_t i = 0; i < s->nsections; i++) {
		struct section *of = &s->sections[i];

		if (of->is != NULL)
			js_set(s->facts, of->name, js_ref(of->is));
		of->was = of->is;
	}
	return s->facts;
}

static void scan_facts(struct record_scan *s, struct jscan *in,
		       struct result *r)
{
	if (!JSCAN_TRY(in, ",\"facts\":{"))
		return;
	for (size_t i = 0; i < s->nsections; i++)
		s->sections[i].is = NULL;
	if (!JSCAN_TRY(in, "}")) {
		do {
			scan_section(s, in);
		} while (JSCAN_TRY(in, ","));
		JSCAN_NEED(in, "}");
	}
	if (in->failed)
		return;
	r->facts = join_sections(s);
	if (s->mem->facts != r->facts)
		record_memory_keep(s->mem, js_ref(r->facts));
	s->mem->facts = r->facts;
}

static void scan_hists(struct record_scan *s, struct jscan *in,
		       struct result *r)
{
	struct jscan_text t;

	if (!JSCAN_TRY(in, ",\"hists\":"))
		return;
	t = jscan_value(in);
	if (!in->failed)
		r->hists = parse(t);
	if (js_kind(r->hists) != JS_OBJECT)
		in->failed = true;
	record_memory_keep(s->mem, r->hists);
}

static void scan_times(struct jscan *in)
{
	if (!JSCAN_TRY(in, ",\"times\":"))
		return;
	if (in->at == in->end || *in->at != '{')
		in->failed = true;
	jscan_value(in);
}

static void scan_result(struct record_scan *s, struct jscan *in,
			struct record *r)
{
	if (r->event != RECORD_FINISHED)
		return;
	JSCAN_NEED(in, ",\"result\":{");
	r->result = result_new(s->mem->arena);
	scan_outcome(in, s->mem->arena, r->result);
	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		scan_list(in, &lists[i], s->mem->arena, r->result);
	scan_hists(s, in, r->result);
	scan_times(in);
	scan_facts(s, in, r->result);
	JSCAN_NEED(in, "}");
}

// False: the line is for record_parse.
static bool scan(struct record_scan *s, const char *line, size_t len,
		 struct record *out)
{
	struct jscan in = { .at = line, .end = line + len };
	struct record r = { 0 };

	scan_event(&in, &r);
	scan_numbers(&in, &r);
	JSCAN_NEED(&in, ",\"host\":");
	r.host = take_text(&in, RECORD_TEXT_MAX, s->mem->arena);
	scan_levels(s, &in, &r);
	JSCAN_NEED(&in, ",\"wall_ns\":");
	r.wall_ns = (int64_t)jscan_uint(&in);
	JSCAN_NEED(&in, ",\"mono_ns\":");
	r.mono_ns = (int64_t)jscan_uint(&in);
	scan_result(s, &in, &r);
	JSCAN_NEED(&in, "}");
	if (in.failed || in.at != in.end)
		return false;
	*out = r;
	return true;
}

int record_scan_line(struct record_scan *s, const char *line, size_t len,
		     struct record *out, struct err *e)
{
	struct record r;

	if (s->mem == &s->last)
		record_memory_reset(s->mem);
	if (len <= RECORD_LINE_MAX && scan(s, line, len, out))
		return 0;
	if (record_parse(line, len, s->mem->arena, &r, e) < 0)
		return -1;
	record_memory_keep(s->mem, TAKE_PTR(r.tree));
	*out = r;
	return 0;
}
