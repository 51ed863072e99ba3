#include "analysis/effect.h"

#include <float.h>
#include <math.h>

#include "analysis/dist.h"
#include "analysis/sample.h"

// A standard error of a log ratio below this is rounding, not measurement:
// arms that are exact multiples of each other.
#define EFFECT_SE_ROUNDING (16 * DBL_EPSILON)

static double percent(double log_ratio)
{
	return 100 * expm1(log_ratio);
}

struct effect effect_undefined(double conf)
{
	return (struct effect){ .log_ratio = NO_FIGURE,
				.se = NO_FIGURE,
				.df = NO_FIGURE,
				.t = NO_FIGURE,
				.p = NO_FIGURE,
				.conf = conf,
				.pct = NO_FIGURE,
				.lo_pct = NO_FIGURE,
				.hi_pct = NO_FIGURE };
}

struct effect effect_make(double log_ratio, double se, double df, double conf)
{
	struct effect e = effect_undefined(conf);
	double half;

	e.log_ratio = log_ratio;
	e.pct = percent(log_ratio);
	if (!isfinite(se))
		return e;
	e.se = se < EFFECT_SE_ROUNDING ? 0 : se;
	if (!(df > 0))
		return e;
	e.df = df;
	if (e.se == 0)
		return e;
	e.t = log_ratio / se;
	e.p = dist_t_two_sided(e.t, df);
	half = dist_t_quantile(1 - (1 - conf) / 2, df) * se;
	e.lo_pct = percent(log_ratio - half);
	e.hi_pct = percent(log_ratio + half);
	return e;
}

struct effect effect_autocorrelated(const struct effect *e, double n,
				    double n_eff)
{
	return effect_make(e->log_ratio, e->se * sqrt(n / n_eff), n_eff - 1,
			   e->conf);
}

struct tost effect_tost(const struct effect *e, double margin, double alpha)
{
	struct tost r = { .margin_log =
				  margin > 0 ? log1p(margin) : NO_FIGURE };
	double half;

	r.t_lower = (e->log_ratio + r.margin_log) / e->se;
	r.t_upper = (e->log_ratio - r.margin_log) / e->se;
	if (!(e->se > 0))
		r.t_lower = r.t_upper = NO_FIGURE;
	r.p_lower = dist_t_upper(r.t_lower, e->df);
	r.p_upper = dist_t_upper(-r.t_upper, e->df);
	// fmax() would forget a NaN.
	r.p = r.p_lower > r.p_upper ? r.p_lower : r.p_upper;
	half = dist_t_quantile(1 - alpha, e->df) * e->se;
	r.lo_pct = percent(e->log_ratio - half);
	r.hi_pct = percent(e->log_ratio + half);
	r.equivalent = r.p <= alpha;
	return r;
}
