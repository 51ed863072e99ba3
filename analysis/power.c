#include "analysis/power.h"

#include <math.h>
#include <stdbool.h>

#include "analysis/dist.h"

double power_of(double ncp, double df, double alpha)
{
	double t = dist_t_quantile(1 - alpha / 2, df);

	return 1 - dist_nct_cdf(t, df, ncp) + dist_nct_cdf(-t, df, ncp);
}

double power_paired(size_t rounds, double delta, double sd_log, double alpha)
{
	double n = (double)rounds;

	return power_of(log1p(delta) * sqrt(n) / sd_log, n - 1, alpha);
}

// A design whose size is one number: n trials give the noncentrality
// `unit` sqrt n and (n - 1) `df_unit` degrees of freedom.
struct design {
	double unit, df_unit;
	struct power_goal goal;
};

static bool is_enough(const struct design *d, size_t n)
{
	double m = (double)n;

	return power_of(d->unit * sqrt(m), (m - 1) * d->df_unit,
			d->goal.alpha) >= d->goal.power;
}

static size_t least_n(const struct design *d)
{
	size_t lo = 1, hi = 2;

	if (!isfinite(d->unit) || d->unit == 0 || !(d->df_unit > 0))
		return 0;
	// Power grows with n: double, then halve.
	while (!is_enough(d, hi)) {
		if (hi > POWER_N_MAX)
			return 0;
		lo = hi;
		hi *= 2;
	}
	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (is_enough(d, mid))
			hi = mid;
		else
			lo = mid;
	}
	return hi;
}

size_t power_rounds_needed(double delta, double sd_log, struct power_goal g)
{
	struct design d = { log1p(delta) / sd_log, 1, g };

	return least_n(&d);
}

size_t power_trials_needed(double delta, double cv_a, double cv_b,
			   struct power_goal g)
{
	double va = cv_a * cv_a, vb = cv_b * cv_b, sum = va + vb;
	struct design d = { log1p(delta) / sqrt(sum),
			    sum * sum / (va * va + vb * vb), g };

	return least_n(&d);
}

struct mde {
	double df;
	struct power_goal goal;
};

static double missing_power(double ncp, void *arg)
{
	const struct mde *m = arg;

	return power_of(ncp, m->df, m->goal.alpha) - m->goal.power;
}

double power_mde(const struct effect *e, struct power_goal g)
{
	struct mde m = { e->df, g };
	double reach = dist_t_quantile(1 - g.alpha / 2, e->df);

	if (!(e->se > 0) || isnan(reach))
		return NO_FIGURE;
	// At ncp = 0 the power is alpha; grow until it is enough.
	for (int i = 0; i < 10 && missing_power(reach, &m) < 0; i++)
		reach *= 2;
	return expm1(e->se * dist_root(missing_power, &m, 0, reach));
}

double power_sd_upper(double sd, double df, double level)
{
	return sd * sqrt(df / dist_chi2_quantile(1 - level, df));
}

double power_repetitions(struct power_level inner, struct power_level above)
{
	double n = sqrt(above.cost / inner.cost * inner.var / above.var);

	return isnan(n) ? NO_FIGURE : fmax(1, n);
}
