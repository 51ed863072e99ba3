#include "runner/plan/aa.h"

#include <assert.h>

enum {
	ARMS = 2
};

static const char *const arm_names[ARMS] = { "A1", "A2" };

static const struct plan_cell *find_baseline(const struct plan *p)
{
	size_t i = 0;

	while (i < p->ncells && !plan_is_baseline(p, &p->cells[i]))
		i++;
	assert(i < p->ncells); // expand_cells saw to it
	return &p->cells[i];
}

static struct plan_cell arm_of(const struct plan *p,
			       const struct plan_cell *base, uint32_t arm)
{
	struct plan_cell c = *base;

	c.id = arm;
	c.nlevels = base->nlevels + 1;
	c.levels = arena_array(p->arena, c.nlevels, sizeof(*c.levels));
	for (size_t i = 0; i < base->nlevels; i++)
		c.levels[i] = base->levels[i];
	c.levels[base->nlevels] =
		(struct level){ .factor = AA_FACTOR, .text = arm_names[arm] };
	c.label = arena_printf(p->arena, AA_FACTOR "=%s", arm_names[arm]);
	if (base->nlevels > 0)
		c.label =
			arena_printf(p->arena, "%s, %s", base->label, c.label);
	c.host = js_ref(base->host);
	c.vars = js_ref(base->vars);
	c.vm = js_ref(base->vm);
	c.workloads = js_ref(base->workloads);
	return c;
}

static void set_baseline(struct plan *p)
{
	p->nbaseline = 1;
	p->baseline = arena_array(p->arena, 1, sizeof(*p->baseline));
	p->baseline[0] =
		(struct level){ .factor = AA_FACTOR, .text = arm_names[0] };
}

void aa_cells(struct plan *p, struct expansion *x)
{
	const struct plan_cell *base = find_baseline(p);
	bool share = x->ngroups == 1 && p->ncells > 1;
	struct plan_cell *arms = arena_array(p->arena, ARMS, sizeof(*arms));

	for (uint32_t i = 0; i < ARMS; i++) {
		arms[i] = arm_of(p, base, i);
		arms[i].boot_group = share ? 0 : i;
	}
	x->ngroups = share ? 1 : ARMS;
	x->work_ns = expand_work_ns(base->workloads);
	p->question = arena_printf(
		p->arena,
		"How far does the baseline (%s) differ from itself, and can "
		"the setup be trusted?",
		base->label);
	for (size_t i = 0; i < p->ncells; i++) {
		js_unref(p->cells[i].host);
		js_unref(p->cells[i].vars);
		js_unref(p->cells[i].vm);
		js_unref(p->cells[i].workloads);
	}
	p->cells = arms;
	p->ncells = ARMS;
	p->name = arena_printf(p->arena, "%s-aa", p->name);
	p->nnotes = 0; // they are of the cells that went
	p->aa = true;
	p->has_stop = false;
	set_baseline(p);
}
