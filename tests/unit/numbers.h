// What the tests of the statistics share: samples, closeness, random data.
#pragma once

#include <math.h>

#include "analysis/effect.h"
#include "analysis/sample.h"
#include "runner/base/compiler.h"
#include "runner/base/rng.h"
#include "tests/unit/unit.h"

#define SAMPLE(...)                                                 \
	((struct sample){ (const double[]){ __VA_ARGS__ },          \
			  sizeof((const double[]){ __VA_ARGS__ }) / \
				  sizeof(double) })
#define NOTHING ((struct sample){ NULL, 0 })

// `got` is `want` within a relative tolerance (absolute below 1).
static inline bool is_close(double got, double want, double tolerance)
{
	if (isnan(want))
		return isnan(got);
	if (isinf(want))
		return got == want;
	return fabs(got - want) <= tolerance * fmax(1, fabs(want));
}

#define assert_close(got, want, tolerance) \
	assert_named_close(#got, (got), (want), (tolerance))

// As assert_close; `name` says what it is that is not close.
#define assert_named_close(name, got, want, tolerance)                        \
	do {                                                                  \
		double got_ = (got), want_ = (want);                          \
		if (!is_close(got_, want_, (tolerance))) {                    \
			print_error("%s is %.17g, not %.17g\n", (name), got_, \
				    want_);                                   \
			_fail(__FILE__, __LINE__);                            \
		}                                                             \
	} while (0)

#define assert_nan(got) assert_close(got, NO_FIGURE, 0)

#define assert_between(got, low, high)                                       \
	do {                                                                 \
		double got_ = (got);                                         \
		if (!(got_ >= (low) && got_ <= (high))) {                    \
			print_error("%s is %.6g, not in %.6g..%.6g\n", #got, \
				    got_, (double)(low), (double)(high));    \
			_fail(__FILE__, __LINE__);                           \
		}                                                            \
	} while (0)

static inline void fill_normal(struct rng *r, double *x, size_t n, double mean,
			       double sd)
{
	for (size_t i = 0; i < n; i++)
		x[i] = mean + sd * rng_normal(r);
}

static inline void assert_same_effect(const struct effect *a,
				      const struct effect *b)
{
	assert_close(a->log_ratio, b->log_ratio, 1e-11);
	assert_close(a->se, b->se, 1e-11);
	assert_close(a->df, b->df, 1e-9);
	assert_close(a->p, b->p, 1e-9);
	assert_close(a->lo_pct, b->lo_pct, 1e-9);
	assert_close(a->hi_pct, b->hi_pct, 1e-9);
}

// The effect of A over B is that of B over A with its sign changed.
static inline void assert_opposite_effects(const struct effect *a,
					   const struct effect *b)
{
	assert_close(a->log_ratio, -b->log_ratio, 1e-12);
	assert_close(a->se, b->se, 1e-12);
	assert_close(a->df, b->df, 1e-10);
	assert_close(a->t, -b->t, 1e-10);
	assert_close(a->p, b->p, 1e-12);
	assert_close(1 + a->lo_pct / 100, 1 / (1 + b->hi_pct / 100), 1e-12);
}
