#include "analysis/hosts.h"

#include <math.h>

#include "analysis/dist.h"
#include "analysis/sample.h"

static bool has_estimate(const struct effect *e)
{
	return isfinite(e->log_ratio);
}

struct effect hosts_fixed(const struct effect *host, size_t k, double conf)
{
	double sum = 0, var = 0, spread = 0, used = 0;

	for (size_t i = 0; i < k; i++) {
		double v = host[i].se * host[i].se;

		if (!has_estimate(&host[i]))
			continue;
		used++;
		sum += host[i].log_ratio;
		var += v;
		// A host without variance adds none to the denominator.
		if (v != 0)
			spread += v * v / host[i].df;
	}
	if (used == 0)
		return effect_undefined(conf);
	return effect_make(sum / used, sqrt(var) / used, var * var / spread,
			   conf);
}

// Q and what follows from it, over the hosts that have an estimate.
static void set_heterogeneity(struct hosts_population *p,
			      const struct effect *host, size_t k)
{
	double sum_w = 0, sum_w2 = 0, sum_wl = 0, df = (double)p->k - 1;
	double mean, q = 0;

	for (size_t i = 0; i < k; i++) {
		double w = 1 / (host[i].se * host[i].se);

		if (!has_estimate(&host[i]))
			continue;
		sum_w += w;
		sum_w2 += w * w;
		sum_wl += w * host[i].log_ratio;
	}
	mean = sum_wl / sum_w;
	for (size_t i = 0; i < k; i++) {
		double d = host[i].log_ratio - mean;

		if (has_estimate(&host[i]))
			q += d * d / (host[i].se * host[i].se);
	}
	if (!isfinite(q) || p->k < 2)
		return;
	p->q = q;
	p->p_q = dist_chi2_upper(q, df);
	p->i2 = q > df ? (q - df) / q : 0;
	p->tau2 = fmax(0, (q - df) / (sum_w - sum_w2 / sum_w));
}

struct hosts_population hosts_population(const struct effect *host, size_t k,
					 double conf)
{
	struct hosts_population p = { .effect = effect_undefined(conf),
				      .sd_hosts = NAN,
				      .q = NAN,
				      .p_q = NAN,
				      .i2 = NAN,
				      .tau2 = NAN };
	double sum = 0, squares = 0, mean, n;

	for (size_t i = 0; i < k; i++) {
		if (!has_estimate(&host[i]))
			continue;
		p.k++;
		sum += host[i].log_ratio;
	}
	if (p.k == 0)
		return p;
	n = (double)p.k;
	mean = sum / n;
	for (size_t i = 0; i < k; i++) {
		double d = host[i].log_ratio - mean;

		if (has_estimate(&host[i]))
			squares += d * d;
	}
	if (p.k >= 2)
		p.sd_hosts = sqrt(squares / (n - 1));
	p.effect = effect_make(mean, p.sd_hosts / sqrt(n), n - 1, conf);
	set_heterogeneity(&p, host, k);
	return p;
}

bool hosts_opposed(const struct effect *host, size_t k, double alpha)
{
	bool up = false, down = false;

	for (size_t i = 0; i < k; i++) {
		if (!(host[i].p <= alpha))
			continue;
		up |= host[i].log_ratio > 0;
		down |= host[i].log_ratio < 0;
	}
	return up && down;
}
