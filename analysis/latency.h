// Percentiles of latency histograms. Counts add up over jobs and threads;
// percentiles and SDs never do: across trials, a trial's percentile is one
// figure like any other.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct latency_bin {
	double value; // ns, as the histogram's maker reports the bin
	double count; // >= 0, whole
};

// The bins of all histograms of a trial, in any order; equal values add up.
// Percentile p in (0, 100]: the value of the first bin whose cumulative count
// reaches p/100 of all (fio's rule, stat.c). No counts: NaN. `out` has room
// for np.
void latency_percentiles(const struct latency_bin *bins, size_t n,
			 const double *p, size_t np, double *out);

// Has a trial of n completions anything to say about percentile p, that is at
// least ten beyond it?
bool latency_supported(double n, double p);

// The value in ns that fio reports for bucket `index` of its latency
// histogram (64 buckets per octave; plat_idx_to_val of fio's stat.c): the
// middle of the bucket. NaN beyond the last one.
enum {
	LATENCY_FIO_BUCKETS = 29 * 64
};

double latency_fio_value(size_t index);

// The percentile of all trials pooled, for description only, with a
// percentile interval from resampling whole rounds (cluster bootstrap: Davison
// & Hinkley 1997, section 3.8), fixed seed. round[i].bins hold all of round i.
struct latency_round {
	const struct latency_bin *bins;
	size_t n;
};

struct latency_pooled {
	double value;  // NaN when nothing was counted
	double lo, hi; // NaN for fewer than 2 rounds
};

struct latency_pooled latency_pooled(const struct latency_round *round,
				     size_t rounds, double p, double conf,
				     size_t draws);
