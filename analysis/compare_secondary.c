// What was measured besides: the same comparisons on the other metrics.
#include "analysis/compare_parts.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/multiplicity.h"
#include "runner/base/alloc.h"

static bool is_primary(const struct analysis *an, uint32_t metric)
{
	for (size_t i = 0; i < an->nmetrics; i++)
		if (an->metrics[i] == metric)
			return true;
	return false;
}

// Every trial that is ok has it, and it is not 0 throughout, as errors are.
static bool is_complete(const struct dataset *ds, uint32_t metric)
{
	const double *values = ds->values[metric];
	bool any = false;

	for (size_t t = 0; t < ds->ntrials; t++) {
		if (ds->outcome[t] != OUTCOME_OK)
			continue;
		if (!isfinite(values[t]))
			return false;
		any |= values[t] != 0;
	}
	return any;
}

static bool is_secondary(const struct compare_ctx *cx, uint32_t metric)
{
	return cx->ds->metrics[metric].better != BETTER_NEITHER &&
	       !is_primary(cx->an, metric) && is_complete(cx->ds, metric);
}

// The pairs are the same for every metric of the family: those of its first.
static void add_pairs(const struct compare_ctx *cx, uint32_t metric)
{
	struct analysis *an = cx->an;
	size_t npairs = an->ncomparisons / an->nmetrics;

	for (size_t i = 0; i < npairs; i++) {
		struct analysis_comparison *c = &an->secondary[an->nsecondary];

		c->cell = an->comparisons[i].cell;
		c->baseline = an->comparisons[i].baseline;
		c->metric = metric;
		compare_pair(cx, c);
		an->nsecondary++;
	}
}

static void adjust(struct analysis *an)
{
	size_t n = an->nsecondary;
	CLEANUP(cleanup_free) double *q = xcalloc(n, sizeof *q);

	for (size_t i = 0; i < n; i++)
		q[i] = an->secondary[i].effect.p;
	multiplicity_bh(q, n, q);
	for (size_t i = 0; i < n; i++)
		an->secondary[i].q = q[i];
}

void compare_secondary(const struct compare_ctx *cx)
{
	struct analysis *an = cx->an;
	size_t most = cx->ds->nmetrics * an->ncomparisons;

	if (an->ncomparisons == 0)
		return;
	an->secondary = arena_array(an->arena, most, sizeof *an->secondary);
	for (uint32_t m = 0; m < cx->ds->nmetrics; m++)
		if (is_secondary(cx, m))
			add_pairs(cx, m);
	adjust(an);
}
