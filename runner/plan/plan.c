#include "runner/plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/base/units.h"
#include "runner/plan/aa.h"
#include "runner/plan/cell_check.h"
#include "runner/plan/expand.h"
#include "runner/plan/hash.h"
#include "runner/plan/order.h"

enum {
	DURATION_CHARS = 64,
};

#define BOOT_ALLOWANCE_NS (120 * NS_PER_S)

static const char **copy_names(struct arena *a, const char *const *names,
			       size_t n)
{
	const char **out =
		arena_array(a, n + 1, sizeof(*out)); // room for one more

	for (size_t i = 0; i < n; i++)
		out[i] = arena_strdup(a, names[i]);
	return out;
}

static enum plan_order order_of(enum matrix_order o)
{
	switch (o) {
	case MATRIX_BLOCKS:
		return PLAN_BLOCKS;
	case MATRIX_WILLIAMS:
		return PLAN_WILLIAMS;
	case MATRIX_SEQUENTIAL:
		return PLAN_SEQUENTIAL;
	}
	abort();
}

static struct js *hook_to_js(const struct matrix_hook *h)
{
	struct js *j = js_object(), *args = js_array(), *env = js_object();

	js_set_str(j, "stage", h->stage->name);
	js_set_str(j, h->shell ? "shell" : "run", h->run);
	js_set_str(j, "on", matrix_on_name(h->on));
	for (size_t i = 0; i < h->nargs; i++)
		js_append(args, js_string(h->args[i]));
	js_set(j, "args", args);
	for (size_t i = 0; i < h->nenv; i++)
		js_set_str(env, h->env[i].key, h->env[i].value);
	js_set(j, "env", env);
	js_set_int(j, "timeout_ns", (int64_t)h->timeout_ns);
	return j;
}

static struct js *hooks_to_js(const struct matrix *m)
{
	struct js *list = m->nhooks > 0 ? js_array() : NULL;

	for (size_t i = 0; i < m->nhooks; i++)
		js_append(list, hook_to_js(&m->hooks[i]));
	return list;
}

static void copy_design(const struct matrix *m, struct plan *p)
{
	struct arena *a = p->arena;

	p->name = arena_strdup(a, m->name);
	p->question = arena_strdup(a, m->question);
	p->rng = ORDER_RNG;
	p->order = order_of(m->order);
	p->hosts = copy_names(a, m->hosts, m->nhosts);
	p->nhosts = m->nhosts;
	p->share = m->spread == MATRIX_SHARE;
	p->rounds = m->rounds;
	p->warmup_rounds = m->warmup_rounds;
	p->repeat = m->repeat;
	p->retries = m->retries;
	p->cooldown_ns = m->cooldown_ns;
	p->metrics = copy_names(a, m->metrics, m->nmetrics);
	p->nmetrics = m->nmetrics;
	p->exact = copy_names(a, m->exact, m->nexact);
	p->nexact = m->nexact;
	p->has_margin = m->has_margin;
	p->margin = m->margin;
	p->hooks = hooks_to_js(m);
	p->has_stop = m->has_stop;
	p->stop = (struct plan_stop){ .margin = m->stop.margin,
				      .precision = m->stop.precision,
				      .min_rounds = m->stop.min_rounds };
}

static void set_timeout(const struct matrix *m, struct plan *p,
			uint64_t work_ns, struct diags *d)
{
	char have[DURATION_CHARS], need[DURATION_CHARS];

	p->timeout_ns = m->timeout_ns;
	if (p->timeout_ns == 0)
		p->timeout_ns = BOOT_ALLOWANCE_NS + 3 * work_ns;
	if (p->timeout_ns > work_ns)
		return;
	units_format_duration(p->timeout_ns, have, sizeof(have));
	units_format_duration(work_ns, need, sizeof(need));
	diag_add(d, m->timeout_at,
		 "timeout: %s is no longer than the workloads themselves (%s)",
		 have, need);
}

static bool trials_fit(const struct matrix *m, struct plan *p, struct diags *d)
{
	uint64_t n = p->rounds * (uint64_t)plan_hosts_per_round(p) +
		     p->warmup_rounds * (uint64_t)p->nhosts;

	// At most 2 * 10^5 * 10^3 * 1024 * 10^4: below 2^63.
	n *= (uint64_t)p->repeat * p->ncells;
	p->ntrials = (size_t)n;
	if (n <= PLAN_TRIALS_MAX)
		return true;
	diag_add(d, (struct place){ m->file, 0, 0 },
		 "%zu cells in %u rounds on %zu hosts make %llu trials: more "
		 "than %d",
		 p->ncells, p->rounds, p->nhosts, (unsigned long long)n,
		 PLAN_TRIALS_MAX);
	return false;
}

static void make_trials(struct plan *p, uint32_t ngroups)
{
	CLEANUP(cleanup_free)
	uint32_t *group = xcalloc(p->ncells, sizeof(*group));
	struct order_spec spec = {
		.order = p->order,
		.nhosts = (uint32_t)p->nhosts,
		.ncells = (uint32_t)p->ncells,
		.group = group,
		.ngroups = ngroups,
		.warmup = p->warmup_rounds,
		.blocks = p->rounds + p->warmup_rounds,
		.share = p->share,
		.repeat = p->repeat,
		.seed = (uint32_t)p->seed,
	};

	for (size_t i = 0; i < p->ncells; i++)
		group[i] = p->cells[i].boot_group;
	p->trials = arena_array(p->arena, p->ntrials, sizeof(*p->trials));
	order_trials(&spec, p->trials);
}

static void add_note(struct plan *p, const char *text)
{
	const char **notes = copy_names(p->arena, p->notes, p->nnotes);

	notes[p->nnotes++] = text;
	p->notes = notes;
}

// What a reader of the order must know.
static void note_order(struct plan *p, uint32_t ngroups)
{
	uint32_t boots = order_williams_rows(ngroups);

	if (p->order == PLAN_SEQUENTIAL && p->ncells > 1)
		add_note(p, "order: sequential runs one cell after the other: "
			    "a drift of the host looks like an effect");
	if (p->order == PLAN_WILLIAMS && p->rounds % boots != 0)
		add_note(p, arena_printf(p->arena,
					 "order: williams balances boots over "
					 "each %u rounds; %u is no multiple",
					 boots, p->rounds));
}

static void check_share(const struct matrix *m, const struct plan *p,
			struct diags *d)
{
	if (p->share && p->nhosts > p->rounds)
		diag_add(d, m->hosts_at[0],
			 "spread: share deals %u rounds to %zu hosts: some "
			 "would have none; name fewer hosts, or more "
			 "design.rounds",
			 p->rounds, p->nhosts);
}

// One round says nothing about the spread within a host.
static void note_share(struct plan *p)
{
	if (p->share && p->nhosts > 1 && p->rounds < 2 * p->nhosts)
		add_note(p, arena_printf(p->arena,
					 "spread: share deals %u rounds to %zu "
					 "hosts: those with one round do not "
					 "tell their own noise",
					 p->rounds, p->nhosts));
}

// p->aa says which kind is wanted.
static int build(const struct matrix *m, struct plan *p, struct diags *d,
		 struct err *e)
{
	struct expansion x;
	bool ok = expand_cells(m, p, &x, d) == 0;

	if (ok && p->aa)
		aa_cells(p, &x);
	if (ok) {
		cell_check(m, p, d);
		set_timeout(m, p, x.work_ns, d);
		check_share(m, p, d);
		trials_fit(m, p, d);
	}
	if (diag_report(d, e) < 0)
		return -1;
	make_trials(p, x.ngroups);
	note_order(p, x.ngroups);
	note_share(p);
	plan_hash(p, p->id);
	return 0;
}

static int make(const struct matrix *m, uint32_t seed, bool aa,
		struct plan **out, struct err *e)
{
	CLEANUP(plan_freep) struct plan *p = xcalloc(1, sizeof(*p));
	struct diags d = { 0 };

	p->arena = d.arena = arena_new();
	p->seed = seed;
	p->aa = aa;
	copy_design(m, p);
	if (build(m, p, &d, e) < 0)
		return -1;
	*out = TAKE_PTR(p);
	return 0;
}

int plan_build(const struct matrix *m, uint32_t seed, struct plan **out,
	       struct err *e)
{
	return make(m, seed, false, out, e);
}

int plan_build_aa(const struct matrix *m, uint32_t seed, struct plan **out,
		  struct err *e)
{
	return make(m, seed, true, out, e);
}

// Of another factor, or the same level of the same one.
static bool level_agrees(const struct level *have, const struct level *want)
{
	return strcmp(have->factor, want->factor) != 0 ||
	       strcmp(have->text, want->text) == 0 ||
	       strcmp(have->text, PLAN_LEVEL_ANY) == 0;
}

bool plan_is_baseline(const struct plan *p, const struct plan_cell *c)
{
	for (size_t i = 0; i < p->nbaseline; i++) {
		for (size_t k = 0; k < c->nlevels; k++) {
			if (!level_agrees(&c->levels[k], &p->baseline[i]))
				return false;
		}
	}
	return true;
}

bool plan_has_vm(const struct plan_cell *c)
{
	return strcmp(js_get_str(c->vm, "accel", ""), "native") != 0;
}

struct js *plan_cell_vm(const struct plan_cell *c, const char *qemu)
{
	struct js *vm;

	if (qemu[0] == '\0' || !plan_has_vm(c) ||
	    js_get_str(c->vm, "qemu", "")[0] != '\0')
		return js_ref(c->vm);
	vm = js_copy(c->vm);
	js_set_str(vm, "qemu", qemu);
	return vm;
}

void plan_free(struct plan *p)
{
	if (p == NULL)
		return;
	for (size_t i = 0; i < p->ncells; i++) {
		js_unref(p->cells[i].host);
		js_unref(p->cells[i].vars);
		js_unref(p->cells[i].vm);
		js_unref(p->cells[i].workloads);
	}
	js_unref(p->hooks);
	arena_free(p->arena);
	free(p);
}

void plan_freep(struct plan **p)
{
	plan_free(*p);
}

static bool boots(const struct plan *p, const struct plan_trial *t)
{
	return t->first_in_boot && plan_has_vm(&p->cells[t->cell]);
}

size_t plan_boots(const struct plan *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->ntrials; i++)
		n += boots(p, &p->trials[i]);
	return n;
}

size_t plan_hosts_per_round(const struct plan *p)
{
	return p->share ? 1 : p->nhosts;
}

void plan_estimate_hosts(const struct plan *p, uint64_t boot_ns, uint64_t *out)
{
	memset(out, 0, p->nhosts * sizeof(*out));
	for (size_t i = 0; i < p->ntrials; i++) {
		const struct plan_trial *t = &p->trials[i];
		const struct plan_cell *c = &p->cells[t->cell];

		out[t->host] += expand_work_ns(c->workloads) + p->cooldown_ns;
		if (boots(p, t))
			out[t->host] += boot_ns;
	}
}

uint64_t plan_estimate_ns(const struct plan *p, uint64_t boot_ns)
{
	CLEANUP(cleanup_free)
	uint64_t *host = xcalloc(p->nhosts, sizeof(*host));
	uint64_t longest = 0;

	plan_estimate_hosts(p, boot_ns, host);
	for (size_t i = 0; i < p->nhosts; i++)
		longest = MAX(longest, host[i]);
	return longest;
}
