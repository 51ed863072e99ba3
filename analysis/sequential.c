#include "analysis/sequential.h"

#include <math.h>
#include <stdbool.h>

#include "analysis/dist.h"

static double spent_kd2(double alpha, double t)
{
	return alpha * t * t;
}

static double spent_obf(double alpha, double t)
{
	double z = dist_normal_quantile(1 - alpha / 4);

	return t > 0 ? 4 * dist_normal_upper(z / sqrt(t)) : 0;
}

static double spent_pocock(double alpha, double t)
{
	return alpha * log1p((M_E - 1) * t);
}

double sequential_spent(enum sequential_spend s, double alpha, double t)
{
	static double (*const spent[])(double alpha, double t) = {
		[SEQUENTIAL_KD2] = spent_kd2,
		[SEQUENTIAL_OBF] = spent_obf,
		[SEQUENTIAL_POCOCK] = spent_pocock,
	};

	return spent[s](alpha, fmin(1, fmax(0, t)));
}

enum sequential_action sequential_decide(const struct sequential_look *k)
{
	double distance = fabs(k->mean);
	bool varies = k->se > 0;

	if (varies && k->margin > 0 &&
	    distance + k->crit_eq * k->se <= log1p(k->margin))
		return SEQUENTIAL_EQUIVALENT;
	if (varies && distance / k->se >= k->crit)
		return SEQUENTIAL_DIFFERENT;
	if (varies && k->half_width > 0 && k->crit * k->se <= k->half_width)
		return SEQUENTIAL_PRECISE;
	return k->n >= k->n_max ? SEQUENTIAL_EXHAUSTED : SEQUENTIAL_CONTINUE;
}

struct sequential_interval sequential_interval(const struct sequential_look *k)
{
	double half = k->crit * k->se;

	return (struct sequential_interval){ 100 * expm1(k->mean - half),
					     100 * expm1(k->mean + half) };
}

struct sequential_anytime sequential_anytime(size_t n, double t, double c2,
					     double alpha)
{
	struct sequential_anytime r = { NAN, NAN, NAN };
	double m = (double)n, nu = m - 1, rho = c2 / (m + c2), log_e, k;

	if (n < 2 || !isfinite(t) || !(c2 > 0) || !(alpha > 0))
		return r;
	log_e = (log(rho) + m * (log1p(t * t / nu) - log1p(t * t * rho / nu))) /
		2;
	r.e_value = exp(log_e);
	r.p = fmin(1, exp(-log_e));
	k = pow(1 / (rho * alpha * alpha), 1 / m);
	r.crit = rho * k < 1 ? sqrt(nu * (k - 1) / (1 - rho * k)) : HUGE_VAL;
	return r;
}
