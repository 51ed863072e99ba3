#include "analysis/multiplicity.h"

#include <math.h>

#include <gsl/gsl_sort.h>

#include "analysis/sample.h"
#include "runner/base/alloc.h"

// The family in ascending order: rank i holds the index into p.
static size_t *ranked(const double *p, size_t n, size_t *m)
{
	CLEANUP(cleanup_free) double *key = xcalloc(n + 1, sizeof *key);
	size_t *order = xcalloc(n + 1, sizeof *order);

	*m = 0;
	for (size_t i = 0; i < n; i++) {
		// NaN sorts last: GSL compares with <.
		key[i] = isnan(p[i]) ? HUGE_VAL : p[i];
		*m += !isnan(p[i]);
	}
	gsl_sort_index(order, key, 1, n);
	return order;
}

size_t multiplicity_holm(const double *p, size_t n, double *adj)
{
	CLEANUP(cleanup_free) size_t *order = NULL;
	double worst = 0;
	size_t m;

	order = ranked(p, n, &m);
	for (size_t i = 0; i < n; i++) {
		size_t k = order[i];

		if (i < m)
			worst = fmax(worst, (double)(m - i) * p[k]);
		adj[k] = i < m ? fmin(1, worst) : NO_FIGURE;
	}
	return m;
}

size_t multiplicity_bh(const double *p, size_t n, double *adj)
{
	CLEANUP(cleanup_free) size_t *order = NULL;
	double best = 1;
	size_t m;

	order = ranked(p, n, &m);
	for (size_t i = n; i-- > 0;) {
		size_t k = order[i];

		if (i < m)
			best = fmin(best, (double)m / (double)(i + 1) * p[k]);
		adj[k] = i < m ? best : NO_FIGURE;
	}
	return m;
}

size_t multiplicity_bonferroni(const double *p, size_t n, double *adj)
{
	size_t m = 0;

	for (size_t i = 0; i < n; i++)
		m += !isnan(p[i]);
	for (size_t i = 0; i < n; i++)
		adj[i] = isnan(p[i]) ? NO_FIGURE : fmin(1, (double)m * p[i]);
	return m;
}
