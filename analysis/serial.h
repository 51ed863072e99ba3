// Structure in time: autocorrelation and trend of a series in the order it
// was measured. With ten points these tests see little: the design protects,
// they only warn.
#pragma once

#include "analysis/sample.h"

// Ratio of the mean square successive difference to the variance (von
// Neumann 1941): about 2 for independent values, less for positive
// autocorrelation. n < 3 or no variance: NaN, n_eff = n. Of 40,000 samples of
// independent normal values each, p_pos < .05 for 5.5 % of n = 5 and 4.9 to
// 5.2 % of n = 6 to 100; p_pos < .01 for fewer than 1 %, as the lower tail is
// shorter than the normal one: none of n = 5, .5 % of n = 10, .8 % of n = 20,
// .9 % of n = 30.
struct serial_vn {
	double vn;
	double z;     // (vn - 2) / sqrt(4 (n-2)/(n^2-1))
	double p_pos; // Phi(z): small for positive autocorrelation
	double lag1;
	double n_eff; // max(2, n (1-r)/(1+r)), r = lag1 + (1 + 3 lag1)/n in
		      // [0, .95] (bias: Kendall 1954)
};

struct serial_vn serial_von_neumann(struct sample x);

// Monotone trend (Mann 1945, Kendall 1975; corrected for ties and
// continuity) and the least-squares slope on index 0..n-1. n < 3 or no
// variance: p NaN. Of 40,000 such samples either p < .01 for 1.1 to 1.3 %, at
// every n from 5 to 100.
struct serial_trend {
	double s, var, z, p; // Mann-Kendall; p two-sided
	double slope;	     // per index
	double slope_t, slope_p;
	double drift_pct; // 100 slope (n-1) / mean: change over the run
};

struct serial_trend serial_trend(struct sample x);
