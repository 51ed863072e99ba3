// One comparison over several hosts: host log ratios to one estimate, in two
// scopes. Unweighted on purpose: with few rounds per host weights do harm.
// Hosts without an estimate (NaN) are left out and counted.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analysis/effect.h"

// "These hosts": L = mean L_h, se = sqrt(sum se_h^2)/k,
// df = (sum se_h^2)^2 / sum(se_h^4/df_h) (Satterthwaite 1946). k = 1 is the
// host's own effect.
struct effect hosts_fixed(const struct effect *host, size_t k, double conf);

// "Hosts like these": Student's t on the unweighted L_h, df k-1. k < 2: no
// inference, only log_ratio and pct. k = 2 is legal and says little.
// Heterogeneity: Cochran 1954 (Q, weights 1/se^2), Higgins & Thompson 2002
// (I2), DerSimonian & Laird 1986 (tau2); NaN for k < 2 or where an se_h is 0
// or NaN. Only log_ratio and se of each host are read.
struct hosts_population {
	struct effect effect;
	size_t k;	 // hosts used
	double sd_hosts; // SD of L_h
	double q, p_q;	 // small p_q: the hosts disagree; print them apart
	double i2;	 // 0..1
	double tau2;	 // variance between hosts on the log scale
};

struct hosts_population hosts_population(const struct effect *host, size_t k,
					 double conf);

// Do two hosts have significant effects (p <= alpha) of opposite signs?
bool hosts_opposed(const struct effect *host, size_t k, double alpha);
