// A plan made by hand: `rounds` rounds of two cells (mean 100 and 110) on each
// host, in alternating order, one boot a trial; or with `share`, one boot a
// round. Everything but the trials is static.
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/plan/plan.h"

enum {
	FAKE_CELLS = 2
};

struct fake_plan {
	struct plan plan;
	struct plan_cell cells[FAKE_CELLS];
	struct level levels[FAKE_CELLS], baseline;
};

static const char *fake_hosts[] = { "local", "second" };
static const char *fake_metrics[] = { "synthetic.value" };

static void fake_plan_cell(struct fake_plan *f, uint32_t i)
{
	static const char *const labels[] = { "effect=0", "effect=0.1" };
	static const char *const texts[] = { "0", "0.1" };
	struct js *w = js_object();

	js_set_str(w, "kind", "synthetic");
	js_set_str(w, "name", "synthetic");
	js_set_real(w, "mean", 100 + 10.0 * i);
	f->levels[i] = (struct level){ .factor = "effect", .text = texts[i] };
	f->cells[i] = (struct plan_cell){
		.id = i,
		.label = labels[i],
		.levels = &f->levels[i],
		.nlevels = 1,
		.vm = js_object(),
		.workloads = js_array(),
	};
	js_set_str(f->cells[i].vm, "accel", "native");
	js_append(f->cells[i].workloads, w);
}

static void fake_plan_trials(struct plan *p, bool share)
{
	size_t per_host = (size_t)p->rounds * FAKE_CELLS;

	p->ntrials = per_host * p->nhosts;
	p->trials = xcalloc(p->ntrials, sizeof(*p->trials));
	for (uint32_t i = 0; i < p->ntrials; i++) {
		uint32_t n = i % (uint32_t)per_host, pos = n % FAKE_CELLS;

		p->trials[i] = (struct plan_trial){
			.id = i,
			.host = i / (uint32_t)per_host,
			.block = n / FAKE_CELLS,
			.boot = share ? i / FAKE_CELLS : i,
			.position = pos,
			.cell = (pos + n / FAKE_CELLS) % FAKE_CELLS,
			.first_in_boot = !share || pos == 0,
			.last_in_boot = !share || pos == FAKE_CELLS - 1,
		};
	}
}

static struct plan *fake_plan_init(struct fake_plan *f, uint32_t rounds,
				   size_t nhosts, bool share)
{
	*f = (struct fake_plan){ 0 };
	for (uint32_t i = 0; i < FAKE_CELLS; i++)
		fake_plan_cell(f, i);
	f->baseline = f->levels[0];
	f->plan = (struct plan){
		.name = "fake",
		.question = "Does it run?",
		.seed = 7,
		.rng = "none",
		.hosts = fake_hosts,
		.nhosts = nhosts,
		.cells = f->cells,
		.ncells = FAKE_CELLS,
		.rounds = rounds,
		.repeat = 1,
		.retries = 1,
		.timeout_ns = 2000000000,
		.metrics = fake_metrics,
		.nmetrics = 1,
		.baseline = &f->baseline,
		.nbaseline = 1,
	};
	memset(f->plan.id, 'f', PLAN_ID_CHARS);
	fake_plan_trials(&f->plan, share);
	return &f->plan;
}

static void fake_plan_deinit(struct fake_plan *f)
{
	for (size_t i = 0; i < FAKE_CELLS; i++) {
		js_unref(f->cells[i].vm);
		js_unref(f->cells[i].workloads);
	}
	free(f->plan.trials);
}
