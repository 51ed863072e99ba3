// Boundaries for Student's t by pivotal simulation: under H0 the t of the
// contrasts does not depend on their SD, so paths of standard normals will do.
#include <math.h>
#include <stdbool.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "analysis/dist.h"
#include "analysis/sequential.h"
#include "runner/base/alloc.h"

// The paths that have not crossed a boundary yet.
struct paths {
	double *sum, *squares;
	double *t;	 // |t| at the look in hand
	double *scratch; // for the selection
	size_t alive;
	size_t rounds; // drawn so far
};

static void paths_deinit(struct paths *p)
{
	free(p->sum);
	free(p->squares);
	free(p->t);
	free(p->scratch);
}

static void paths_init(struct paths *p, size_t m)
{
	*p = (struct paths){ .sum = xcalloc(m, sizeof(double)),
			     .squares = xcalloc(m, sizeof(double)),
			     .t = xcalloc(m, sizeof(double)),
			     .scratch = xcalloc(m, sizeof(double)),
			     .alive = m };
}

static void paths_draw(struct paths *p, size_t rounds, gsl_rng *rng)
{
	double n = (double)rounds;

	for (size_t i = 0; i < p->alive; i++) {
		for (size_t k = p->rounds; k < rounds; k++) {
			double e = gsl_ran_gaussian_ziggurat(rng, 1);

			p->sum[i] += e;
			p->squares[i] += e * e;
		}
	}
	for (size_t i = 0; i < p->alive; i++) {
		double mean = p->sum[i] / n;
		double var = (p->squares[i] - n * mean * mean) / (n - 1);

		p->t[i] = fabs(mean) / sqrt(var / n);
	}
	p->rounds = rounds;
}

// Drops the paths with |t| >= crit; returns how many.
static size_t paths_drop(struct paths *p, double crit)
{
	size_t kept = 0, before = p->alive;

	for (size_t i = 0; i < before; i++) {
		if (p->t[i] >= crit)
			continue;
		p->sum[kept] = p->sum[i];
		p->squares[kept++] = p->squares[i];
	}
	p->alive = kept;
	return before - kept;
}

// The rank-th largest of v (1 <= rank <= n), which is reordered: Hoare's
// quickselect.
static double select_largest(double *v, size_t n, size_t rank)
{
	size_t lo = 0, hi = n - 1, want = rank - 1;

	while (lo < hi) {
		double pivot = v[lo + (hi - lo) / 2];
		size_t i = lo, j = hi;

		for (;;) {
			double swap;

			while (v[i] > pivot)
				i++;
			while (v[j] < pivot)
				j--;
			if (i >= j)
				break;
			swap = v[i];
			v[i++] = v[j];
			v[j--] = swap;
		}
		if (want <= j)
			hi = j;
		else
			lo = j + 1;
	}
	return v[want];
}

static double paths_boundary(struct paths *p, size_t rank)
{
	for (size_t i = 0; i < p->alive; i++)
		p->scratch[i] = p->t[i];
	return select_largest(p->scratch, p->alive, rank);
}

static bool is_valid(const struct sequential_plan *p)
{
	for (size_t k = 0; k < p->n; k++)
		if (p->looks[k] < 2 || p->looks[k] > p->n_max ||
		    (k > 0 && p->looks[k] <= p->looks[k - 1]))
			return false;
	return p->n > 0 && p->n <= SEQUENTIAL_LOOKS_MAX && p->paths > 0 &&
	       p->alpha > 0 && p->alpha < 1;
}

static double spent_at(const struct sequential_plan *p, size_t k)
{
	return sequential_spent(p->spend, p->alpha,
				(double)p->looks[k] / (double)p->n_max);
}

static void calibrate(const struct sequential_plan *p, gsl_rng *rng,
		      double *crit)
{
	CLEANUP(paths_deinit) struct paths paths = { 0 };
	size_t done = 0;

	paths_init(&paths, p->paths);
	for (size_t k = 0; k < p->n; k++) {
		double spent = spent_at(p, k);
		size_t due = (size_t)llround((double)p->paths * spent);

		paths_draw(&paths, p->looks[k], rng);
		if (k == 0)
			crit[k] = dist_t_quantile(1 - spent / 2,
						  (double)p->looks[k] - 1);
		else if (due > done && due - done <= paths.alive)
			crit[k] = paths_boundary(&paths, due - done);
		else
			crit[k] = HUGE_VAL;
		done += paths_drop(&paths, crit[k]);
	}
}

int sequential_t_bounds(const struct sequential_plan *p, double *crit)
{
	gsl_rng *rng;

	if (!is_valid(p))
		return -1;
	rng = gsl_rng_alloc(gsl_rng_mt19937);
	if (rng == NULL)
		return -1;
	gsl_rng_set(rng, p->seed);
	calibrate(p, rng, crit);
	gsl_rng_free(rng);
	return 0;
}
