#include "analysis/latency.h"

#include <math.h>

#include <gsl/gsl_rng.h>

#include "analysis/sample.h"
#include "runner/base/alloc.h"

enum {
	LATENCY_FIO_BITS = 6,
	LATENCY_FIO_SUB = 1 << LATENCY_FIO_BITS,
	LATENCY_TAIL = 10, // completions beyond a percentile worth printing
	LATENCY_SEED = 20240229,
};

static int compare_bins(const void *a, const void *b)
{
	const struct latency_bin *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static double total(const struct latency_bin *bins, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += bins[i].count;
	return sum;
}

// Of bins in ascending order.
static double percentile(const struct latency_bin *bins, size_t n, double p)
{
	double need = p / 100 * total(bins, n), seen = 0;

	if (!(need > 0))
		return NO_FIGURE;
	for (size_t i = 0; i < n; i++) {
		seen += bins[i].count;
		if (seen >= need)
			return bins[i].value;
	}
	// p/100 was rounded up past the whole.
	return bins[n - 1].value;
}

void latency_percentiles(const struct latency_bin *bins, size_t n,
			 const double *p, size_t np, double *out)
{
	CLEANUP(cleanup_free)
	struct latency_bin *sorted = xcalloc(n + 1, sizeof *sorted);

	for (size_t i = 0; i < n; i++)
		sorted[i] = bins[i];
	qsort(sorted, n, sizeof *sorted, compare_bins);
	for (size_t i = 0; i < np; i++)
		out[i] = percentile(sorted, n, p[i]);
}

bool latency_supported(double n, double p)
{
	// 1 - 0.9 is a little less than 0.1.
	return n * (1 - p / 100) >= LATENCY_TAIL * (1 - 1e-9);
}

double latency_fio_value(size_t index)
{
	size_t error_bits;
	double base, step;

	if (index >= LATENCY_FIO_BUCKETS)
		return NO_FIGURE;
	if (index < 2UL * LATENCY_FIO_SUB)
		return (double)index;
	error_bits = (index >> LATENCY_FIO_BITS) - 1;
	base = ldexp(1, (int)(error_bits + LATENCY_FIO_BITS));
	step = ldexp(1, (int)error_bits);
	return base + ((double)(index % LATENCY_FIO_SUB) + 0.5) * step;
}

// --- pooled -------------------------------------------------------------

// A bin that remembers its round, so that a resample is a change of weights.
struct pooled_bin {
	struct latency_bin bin; // first: compare_bins sorts these, too
	size_t round;
};

static struct pooled_bin *pool(const struct latency_round *round, size_t rounds,
			       size_t *n)
{
	struct pooled_bin *all;
	size_t k = 0;

	*n = 0;
	for (size_t i = 0; i < rounds; i++)
		*n += round[i].n;
	all = xcalloc(*n + 1, sizeof *all);
	for (size_t i = 0; i < rounds; i++)
		for (size_t j = 0; j < round[i].n; j++)
			all[k++] = (struct pooled_bin){ round[i].bins[j], i };
	qsort(all, *n, sizeof *all, compare_bins);
	return all;
}

// The percentile with round r counted weight[r] times.
static double weighted(const struct pooled_bin *all, size_t n,
		       const double *weight, struct latency_bin *scratch,
		       double p)
{
	for (size_t i = 0; i < n; i++)
		scratch[i] =
			(struct latency_bin){ all[i].bin.value,
					      all[i].bin.count *
						      weight[all[i].round] };
	return percentile(scratch, n, p);
}

static void draw_weights(gsl_rng *rng, double *weight, size_t rounds)
{
	for (size_t i = 0; i < rounds; i++)
		weight[i] = 0;
	for (size_t i = 0; i < rounds; i++)
		weight[gsl_rng_uniform_int(rng, rounds)]++;
}

struct latency_pooled latency_pooled(const struct latency_round *round,
				     size_t rounds, double p, double conf,
				     size_t draws)
{
	CLEANUP(cleanup_free) struct pooled_bin *all = NULL;
	CLEANUP(cleanup_free) struct latency_bin *scratch = NULL;
	CLEANUP(cleanup_free) double *weight = NULL;
	CLEANUP(cleanup_free) double *value = NULL;
	CLEANUP(cleanup_free) double *sorted = NULL;
	struct latency_pooled r = { NAN, NAN, NAN };
	gsl_rng *rng = NULL;
	size_t n, kept;

	all = pool(round, rounds, &n);
	scratch = xcalloc(n + 1, sizeof *scratch);
	weight = xcalloc(rounds + 1, sizeof *weight);
	value = xcalloc(draws + 1, sizeof *value);
	for (size_t i = 0; i < rounds; i++)
		weight[i] = 1;
	r.value = weighted(all, n, weight, scratch, p);
	if (rounds >= 2)
		rng = gsl_rng_alloc(gsl_rng_mt19937);
	if (rng == NULL)
		return r;
	gsl_rng_set(rng, LATENCY_SEED);
	for (size_t i = 0; i < draws; i++) {
		draw_weights(rng, weight, rounds);
		value[i] = weighted(all, n, weight, scratch, p);
	}
	gsl_rng_free(rng);
	sorted = sample_sorted((struct sample){ value, draws }, &kept);
	r.lo = sample_quantile(sorted, kept, (1 - conf) / 2);
	r.hi = sample_quantile(sorted, kept, 1 - (1 - conf) / 2);
	return r;
}
