#include "analysis/compare_parts.h"

#include <math.h>
#include <stdlib.h>

#include "runner/base/alloc.h"

// The least distance between two different figures: the resolution, as far
// as the figures show it. NaN when all are equal.
static double resolution(struct sample sorted)
{
	double least = NO_FIGURE;

	for (size_t i = 1; i < sorted.n; i++) {
		double step = sorted.x[i] - sorted.x[i - 1];

		if (step > 0 && !(step >= least))
			least = step;
	}
	return least;
}

// A single series that is autocorrelated is worth n_eff figures.
static void discount_autocorrelation(struct sample x, double conf,
				     struct analysis_cell *c)
{
	struct serial_vn vn = serial_von_neumann(x);

	if (!(vn.p_pos < 0.05))
		return;
	c->mean = interval_mean_neff(x, vn.n_eff, conf);
	c->autocorrelated = true;
}

// What does not depend on the order is asked of the sorted figures, so that
// they are sorted once.
static void describe_sample(const struct compare_ctx *cx, struct sample x,
			    struct analysis_cell *c)
{
	CLEANUP(cleanup_free) double *v = NULL;
	struct sample sorted;

	v = sample_sorted(x, &sorted.n);
	sorted.x = v;
	c->d = describe_sorted(x, sorted);
	c->units = c->d.n;
	c->mean = interval_mean(x, cx->conf);
	c->median = interval_median(sorted, cx->conf);
	c->outliers = diagnose_outliers(sorted, NULL);
	c->clusters = diagnose_clusters(sorted, DIAGNOSE_CLUSTER_FRAC);
	c->quantised = diagnose_quantised(sorted, resolution(sorted));
	c->trend.p = c->trend.slope_p = NO_FIGURE;
	if (!cx->ds->has_order)
		return;
	c->trend = serial_trend(x);
	discount_autocorrelation(x, cx->conf, c);
}

static void count_arm(const struct arm *a, struct analysis_cell *c)
{
	c->n += a->ok;
	c->failed += a->failed;
	c->invalid += a->invalid;
}

static void describe_arm(const struct compare_ctx *cx, const struct arm *a,
			 struct analysis_cell *c)
{
	count_arm(a, c);
	describe_sample(cx, arm_sample(a), c);
}

// Hosts differ: an interval over their pooled figures would mean nothing, and
// neither would a trend, outliers or clusters.
static void describe_only(struct sample x, struct analysis_cell *c)
{
	double nan = NO_FIGURE;

	c->d = describe(x);
	c->units = c->d.n;
	c->mean = (struct interval_mean){ .n = c->d.n,
					  .mean = c->d.mean,
					  .lo = nan,
					  .hi = nan,
					  .half = nan,
					  .half_rel = nan,
					  .df = nan };
	c->median = (struct interval_quantile){ .n = c->d.n,
						.value = c->d.median,
						.lo = nan,
						.hi = nan,
						.conf_exact = nan };
	c->outliers = (struct diagnose_outliers){ nan, nan, 0, 0, nan };
	c->clusters.r2 = c->clusters.apart = nan;
	c->trend.p = c->trend.slope_p = nan;
}

static void describe_pooled(const struct arm *arms, size_t narms,
			    struct analysis_cell *c)
{
	double *all = NULL;
	size_t n = 0, cap = 0;

	for (size_t h = 0; h < narms; h++) {
		count_arm(&arms[h], c);
		all = xgrow(all, &cap, n + arms[h].nunits, sizeof *all);
		for (size_t i = 0; i < arms[h].nunits; i++)
			all[n++] = arms[h].values[i];
	}
	describe_only((struct sample){ all, n }, c);
	free(all);
}

static void describe_cell(const struct compare_ctx *cx, const struct arm *arms,
			  struct analysis_cell *c)
{
	c->host = DATASET_NONE;
	if (cx->ix.nhosts == 1)
		describe_arm(cx, &arms[0], c);
	else
		describe_pooled(arms, cx->ix.nhosts, c);
}

// One for each host.
static struct arm *load_arms(const struct compare_ctx *cx, uint32_t metric,
			     uint32_t cell)
{
	struct arm *arms = xcalloc(cx->ix.nhosts, sizeof *arms);

	for (uint32_t h = 0; h < cx->ix.nhosts; h++)
		arm_load(&cx->ix, cell, h, metric, &arms[h]);
	return arms;
}

static void free_arms(const struct compare_ctx *cx, struct arm *arms)
{
	for (uint32_t h = 0; h < cx->ix.nhosts; h++)
		arm_deinit(&arms[h]);
	free(arms);
}

struct analysis_cell compare_describe_cell(const struct compare_ctx *cx,
					   uint32_t metric, uint32_t cell)
{
	struct analysis_cell c = { .cell = cell, .metric = metric };
	struct arm *arms = load_arms(cx, metric, cell);

	describe_cell(cx, arms, &c);
	free_arms(cx, arms);
	return c;
}

static void one_cell(const struct compare_ctx *cx, uint32_t metric,
		     uint32_t cell)
{
	const struct analysis_cell of = { .cell = cell, .metric = metric };
	struct arm *arms = load_arms(cx, metric, cell);
	struct analysis *an = cx->an;
	struct analysis_cell *c = &an->cells[an->ncells++];

	*c = of;
	describe_cell(cx, arms, c);
	for (uint32_t h = 0; h < cx->ix.nhosts && cx->ix.nhosts > 1; h++) {
		c = &an->host_cells[an->nhost_cells++];
		*c = of;
		c->host = h;
		describe_arm(cx, &arms[h], c);
	}
	free_arms(cx, arms);
}

void compare_describe_cells(const struct compare_ctx *cx)
{
	struct analysis *an = cx->an;
	size_t n = an->nmetrics * cx->ds->ncells;

	an->cells = arena_array(an->arena, n, sizeof *an->cells);
	if (cx->ix.nhosts > 1)
		an->host_cells = arena_array(an->arena, n * cx->ix.nhosts,
					     sizeof *an->host_cells);
	for (size_t m = 0; m < an->nmetrics; m++)
		for (uint32_t c = 0; c < cx->ds->ncells; c++)
			one_cell(cx, an->metrics[m], c);
}
