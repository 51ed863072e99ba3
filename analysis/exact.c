#include "analysis/exact.h"

#include <math.h>
#include <stdint.h>

#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>

#include "analysis/dist.h"
#include "runner/base/alloc.h"

enum {
	EXACT_SEED = 20240229
};

// Sums that differ by less than this share are ties: rounding, not data.
#define EXACT_TIE 1e-12

enum {
	FLIP_GROUP = 4,
	FLIP_SIGNS = 1 << FLIP_GROUP,
};

// --- sign flips ---------------------------------------------------------

// All 2^n sums of +-d, in the order of the sign bits.
static double *signed_sums(const double *d, size_t n)
{
	double *sum = xcalloc((size_t)1 << n, sizeof *sum);

	for (size_t i = 0; i < n; i++)
		sum[0] -= d[i];
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < (size_t)1 << i; k++)
			sum[((size_t)1 << i) + k] = sum[k] + 2 * d[i];
	return sum;
}

// In two halves, so that memory is 2^(n/2) and not 2^n.
static double flip_enumerate(const double *d, size_t n, double bound)
{
	CLEANUP(cleanup_free) double *lo = NULL;
	CLEANUP(cleanup_free) double *hi = NULL;
	size_t half = n / 2, extreme = 0;

	lo = signed_sums(d, half);
	hi = signed_sums(d + half, n - half);
	for (size_t i = 0; i < (size_t)1 << half; i++)
		for (size_t k = 0; k < (size_t)1 << (n - half); k++)
			extreme += fabs(lo[i] + hi[k]) >= bound;
	return (double)extreme / ldexp(1, (int)n);
}

// Each group of figures with all its signs, so that a draw adds one sum for a
// group; bits beyond the last figure change nothing.
static double *group_sums(const double *d, size_t n)
{
	size_t groups = n / FLIP_GROUP + 1;
	double *sums = xcalloc(groups * FLIP_SIGNS, sizeof *sums);

	for (size_t i = 0; i < n; i++)
		for (size_t signs = 0; signs < FLIP_SIGNS; signs++)
			sums[i / FLIP_GROUP * FLIP_SIGNS + signs] +=
				signs >> i % FLIP_GROUP & 1 ? d[i] : -d[i];
	return sums;
}

static double draw_sum(const double *sums, size_t n, gsl_rng *rng)
{
	unsigned long bits = 0; // mt19937 gives 32
	double sum = 0;

	for (size_t i = 0; i < n; i += FLIP_GROUP) {
		if (i % 32 == 0)
			bits = gsl_rng_get(rng);
		sum += sums[i / FLIP_GROUP * FLIP_SIGNS + bits % FLIP_SIGNS];
		bits /= FLIP_SIGNS;
	}
	return sum;
}

static double flip_draw(const double *d, size_t n, double bound)
{
	CLEANUP(cleanup_free) double *sums = group_sums(d, n);
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	size_t draws = MIN((size_t)EXACT_FLIP_DRAWS, EXACT_FLIP_WORK / n + 1);
	size_t extreme = 1;

	if (rng == NULL)
		return NO_FIGURE;
	gsl_rng_set(rng, EXACT_SEED);
	for (size_t i = 0; i < draws; i++)
		extreme += fabs(draw_sum(sums, n, rng)) >= bound;
	gsl_rng_free(rng);
	return (double)extreme / (double)(draws + 1);
}

struct exact_flip exact_sign_flip(struct sample d)
{
	CLEANUP(cleanup_free) double *v = NULL;
	struct exact_flip r = { .p = NAN, .p_min = NAN };
	double sum = 0, size = 0, bound;

	v = sample_finite(d, &r.n);
	if (r.n == 0)
		return r;
	for (size_t i = 0; i < r.n; i++) {
		sum += v[i];
		size += fabs(v[i]);
	}
	bound = fabs(sum) - EXACT_TIE * size;
	r.p = r.n <= EXACT_FLIP_MAX ? flip_enumerate(v, r.n, bound)
				    : flip_draw(v, r.n, bound);
	r.p_min = ldexp(1, 1 - (int)MIN(r.n, (size_t)1000));
	return r;
}

// --- ranks --------------------------------------------------------------

// Twice the midranks of v, whole numbers; `ties` gets the sum of t^3 - t.
static size_t *double_ranks(const double *v, size_t n, double *ties)
{
	CLEANUP(cleanup_free) size_t *order = xcalloc(n + 1, sizeof *order);
	size_t *rank = xcalloc(n + 1, sizeof *rank);

	gsl_sort_index(order, v, 1, n);
	*ties = 0;
	for (size_t i = 0, j; i < n; i = j) {
		double t;

		for (j = i; j < n && v[order[j]] == v[order[i]]; j++)
			;
		t = (double)(j - i);
		*ties += t * t * t - t;
		for (size_t k = i; k < j; k++)
			rank[order[k]] = i + j + 1;
	}
	return rank;
}

// The share of all ways to choose that lie as far from the middle as `seen`;
// ways[s] counts those with the doubled rank sum s.
static double share_extreme(const double *ways, size_t max, double middle,
			    double seen)
{
	double extreme = 0, all = 0, distance = fabs(seen - middle);

	for (size_t s = 0; s <= max; s++) {
		all += ways[s];
		if (fabs((double)s - middle) >= distance)
			extreme += ways[s];
	}
	return extreme / all;
}

static double signed_rank_p(const size_t *rank, size_t n, size_t seen)
{
	CLEANUP(cleanup_free) double *ways = NULL;
	size_t max = n * (n + 1); // doubled ranks of all

	ways = xcalloc(max + 1, sizeof *ways);
	ways[0] = 1;
	for (size_t i = 0; i < n; i++)
		for (size_t s = max + 1; s-- > rank[i];)
			ways[s] += ways[s - rank[i]];
	return share_extreme(ways, max, (double)max / 2, (double)seen);
}

struct exact_signed_rank exact_signed_rank(struct sample d)
{
	CLEANUP(cleanup_free) double *v = NULL;
	CLEANUP(cleanup_free) double *size = NULL;
	CLEANUP(cleanup_free) size_t *rank = NULL;
	struct exact_signed_rank r = { .v = NAN, .p = NAN };
	size_t all, sum = 0;
	double ties;

	v = sample_finite(d, &all);
	size = xcalloc(all + 1, sizeof *size);
	for (size_t i = 0; i < all; i++) {
		if (v[i] == 0)
			continue;
		v[r.n] = v[i];
		size[r.n++] = fabs(v[i]);
	}
	if (r.n == 0)
		return r;
	rank = double_ranks(size, r.n, &ties);
	for (size_t i = 0; i < r.n; i++)
		sum += v[i] > 0 ? rank[i] : 0;
	r.v = (double)sum / 2;
	if (r.n <= EXACT_RANK_MAX)
		r.p = signed_rank_p(rank, r.n, sum);
	return r;
}

// Ways to choose `pick` of n values by their doubled rank sum: the table
// ways[k][s] of subsets, filled value by value.
static double rank_sum_p(const size_t *rank, size_t n, size_t pick, size_t seen)
{
	CLEANUP(cleanup_free) double *ways = NULL;
	size_t max = n * (n + 1), row = max + 1;

	ways = xcalloc((pick + 1) * row, sizeof *ways);
	ways[0] = 1;
	for (size_t i = 0; i < n; i++)
		for (size_t k = MIN(i + 1, pick); k >= 1; k--)
			for (size_t s = rank[i]; s <= max; s++)
				ways[k * row + s] +=
					ways[(k - 1) * row + s - rank[i]];
	return share_extreme(ways + pick * row, max,
			     (double)pick * (double)(n + 1), (double)seen);
}

// Normal approximation with Lehmann's correction for ties.
static double rank_sum_asymptotic(double u, double na, double nb, double ties)
{
	double n = na + nb, d = fabs(u - na * nb / 2);
	double var = na * nb / 12 * (n + 1 - ties / (n * (n - 1)));

	if (!(var > 0))
		return NO_FIGURE;
	return fmin(1, 2 * dist_normal_upper((d - 0.5) / sqrt(var)));
}

struct exact_mann_whitney exact_mann_whitney(struct sample a, struct sample b)
{
	CLEANUP(cleanup_free) double *va = NULL;
	CLEANUP(cleanup_free) double *vb = NULL;
	CLEANUP(cleanup_free) size_t *rank = NULL;
	struct exact_mann_whitney r = { NAN, NAN, NAN };
	size_t na, nb, sum = 0;
	double ties;

	va = sample_finite(a, &na);
	vb = sample_finite(b, &nb);
	if (na == 0 || nb == 0)
		return r;
	va = xrealloc(va, (na + nb) * sizeof *va);
	for (size_t i = 0; i < nb; i++)
		va[na + i] = vb[i];
	rank = double_ranks(va, na + nb, &ties);
	for (size_t i = 0; i < na; i++)
		sum += rank[i];
	r.u_a = ((double)sum - (double)(na * (na + 1))) / 2;
	r.p_asym = rank_sum_asymptotic(r.u_a, (double)na, (double)nb, ties);
	if (na + nb <= EXACT_RANK_MAX)
		r.p_exact = rank_sum_p(rank, na + nb, na, sum);
	return r;
}
