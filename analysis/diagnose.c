#include "analysis/diagnose.h"

#include <limits.h>
#include <math.h>

#include "analysis/dist.h"
#include "analysis/exact.h"
#include "analysis/paired.h"
#include "analysis/twosample.h"
#include "runner/base/alloc.h"

// More than this share failed in one arm: the survivors are a selection.
#define DIAGNOSE_FAILED_SHARE 0.2
// Probabilities of tables that differ by less are equal (as in R).
#define DIAGNOSE_FISHER_TIE 1e-7

enum {
	// Fewer values than this cannot reach p = .05 by flipping signs in a
	// way that would tell against t.
	DIAGNOSE_METHOD_MIN = 8,
	DIAGNOSE_WARMUP_MIN = 4,
};

struct diagnose_order diagnose_order(const bool *is_b, size_t n,
				     double threshold)
{
	struct diagnose_order r = { .auc = NAN };
	size_t a = 0, b = 0, run = 0;
	double pairs = 0; // in which A ran before B

	for (size_t i = 0; i < n; i++) {
		run = i > 0 && is_b[i] == is_b[i - 1] ? run + 1 : 1;
		r.max_run = MAX(r.max_run, run);
		if (is_b[i]) {
			b++;
			pairs += (double)a;
		} else {
			a++;
		}
	}
	if (a == 0 || b == 0)
		return r;
	r.auc = pairs / ((double)a * (double)b);
	r.confounded = r.auc >= threshold || r.auc <= 1 - threshold;
	return r;
}

double diagnose_fisher(struct diagnose_arm a, struct diagnose_arm b)
{
	size_t failed = a.failed + b.failed, total = a.total + b.total;
	unsigned marked = (unsigned)failed, plain = (unsigned)(total - failed);
	unsigned draws = (unsigned)a.total;
	double seen, p = 0;

	if (a.total == 0 || b.total == 0 || total > UINT_MAX ||
	    a.failed > a.total || b.failed > b.total)
		return NAN;
	seen = dist_hypergeometric((unsigned)a.failed, marked, plain, draws);
	for (unsigned k = 0; k <= MIN(marked, draws); k++) {
		double q = dist_hypergeometric(k, marked, plain, draws);

		if (q <= seen * (1 + DIAGNOSE_FISHER_TIE))
			p += q;
	}
	return fmin(1, p);
}

static double failed_share(struct diagnose_arm a)
{
	return a.total == 0 ? 0 : (double)a.failed / (double)a.total;
}

struct diagnose_failures diagnose_failures(struct diagnose_arm a,
					   struct diagnose_arm b, double alpha)
{
	struct diagnose_failures r = {
		.p = diagnose_fisher(a, b),
		.share_a = failed_share(a),
		.share_b = failed_share(b),
	};

	r.differ = r.p < alpha;
	r.too_many = fmax(r.share_a, r.share_b) > DIAGNOSE_FAILED_SHARE;
	return r;
}

static bool is_significant(const struct diagnose_pair *d, double alpha)
{
	struct effect e = d->paired ? paired_ratio(d->a, d->b, 1 - alpha).effect
				    : twosample_ratio(d->a, d->b, 1 - alpha);

	return e.p <= alpha;
}

// Leaves out one value after another of `x`, which is d->a or d->b: a NaN
// there drops the trial, or the round.
static size_t count_flips(const struct diagnose_pair *d, struct sample *x,
			  double alpha, bool *flip)
{
	CLEANUP(cleanup_free) double *v = xcalloc(x->n + 1, sizeof *v);
	const double *all = x->x;
	bool before = is_significant(d, alpha);
	size_t flips = 0;

	for (size_t i = 0; i < x->n; i++)
		v[i] = all[i];
	x->x = v;
	for (size_t i = 0; i < x->n; i++) {
		bool flipped;

		v[i] = NAN;
		flipped = is_significant(d, alpha) != before;
		v[i] = all[i];
		flips += flipped;
		if (flip != NULL)
			flip[i] = flipped;
	}
	x->x = all;
	return flips;
}

struct diagnose_fragility diagnose_fragility(const struct diagnose_pair *d,
					     double alpha, bool *flip_a,
					     bool *flip_b)
{
	struct diagnose_pair part = *d;
	struct diagnose_fragility r = {
		.significant = is_significant(d, alpha),
	};
	size_t in_b;

	if (d->a.n > DIAGNOSE_FRAGILITY_MAX || d->b.n > DIAGNOSE_FRAGILITY_MAX)
		return r;
	r.nflips = count_flips(&part, &part.a, alpha, flip_a);
	in_b = count_flips(&part, &part.b, alpha, flip_b);
	if (!d->paired)
		r.nflips += in_b;
	r.fragile = r.nflips > 0;
	return r;
}

bool diagnose_method_dependent(struct sample w, double p_t, bool warned,
			       double alpha)
{
	struct exact_flip flip;

	if (!warned || isnan(p_t))
		return false;
	flip = exact_sign_flip(w);
	return flip.n >= DIAGNOSE_METHOD_MIN &&
	       (p_t <= alpha) != (flip.p <= alpha);
}

struct diagnose_slot diagnose_slot(struct sample w, const bool *a_first)
{
	CLEANUP(cleanup_free) double *first = xcalloc(w.n + 1, sizeof *first);
	CLEANUP(cleanup_free) double *second = xcalloc(w.n + 1, sizeof *second);
	struct welch t;

	for (size_t r = 0; r < w.n; r++) {
		first[r] = a_first[r] ? w.x[r] : NO_FIGURE;
		second[r] = a_first[r] ? NO_FIGURE : w.x[r];
	}
	t = twosample_welch((struct sample){ second, w.n },
			    (struct sample){ first, w.n }, 0.95);
	return (struct diagnose_slot){ t.diff, t.t, t.df, t.p };
}

double diagnose_warmup(struct sample w)
{
	struct moments rest;
	double n;

	if (w.n < DIAGNOSE_WARMUP_MIN)
		return NAN;
	rest = sample_moments((struct sample){ w.x + 1, w.n - 1 });
	n = (double)rest.n;
	if (!(rest.sd > 0))
		return NAN;
	return (w.x[0] - rest.mean) / (rest.sd * sqrt(1 + 1 / n));
}

bool diagnose_quantised(struct sample x, double resolution)
{
	return sample_moments(x).sd < resolution / sqrt(12);
}
