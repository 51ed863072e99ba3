// fio's JSON output, of versions 2 and 3, to figures. Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/base/err.h"
#include "runner/base/hist.h"

enum {
	FIO_JSON_JOBS_MAX = 4096,
	FIO_VERSION_MAX = 64,
	FIO_PERCENTILES = 4,
	FIO_LEVELS = 7,
};

// Sums over jobs and directions. Latency is fio's `lat`, from the moment that
// an I/O was made, not `clat`, which starts after the submit call.
struct fio_figures {
	char version[FIO_VERSION_MAX]; // "fio-3.33"
	int64_t written_ms;	       // when it ended, UTC; 0: it does not say
	unsigned jobs;
	int error;	 // errno of the first job that failed, or 0
	uint64_t errors; // I/Os that failed
	uint64_t ios;
	double iops; // sum of fio's own rates
	double bytes_per_s;
	double lat_mean_ns; // weighted by I/Os; NaN without any
	double cpu_ns;	    // user and system time of all jobs
	bool has_hist;	    // json+ gave bins of `lat` for all that ran
	struct hist lat;    // ns
	// p50, p90, p99, p99.9 in ns as fio gives them, where one job ran in
	// one direction and there are no bins: percentiles are never averaged.
	// NaN where there is none.
	double percentile[FIO_PERCENTILES];
	bool percentiles_of_clat; // fio gave them for clat only
	// Shares of the I/Os that fio started with 1, 2 or more, 4 or more, ..
	// 32 or more, 64 or more in flight; they add up to about 1, or are all
	// 0 where fio did not say.
	double level[FIO_LEVELS];
};

extern const double fio_percentiles[FIO_PERCENTILES]; // 0.5 .. 0.999

// Text before and after the JSON is passed over; where it says that fio was
// ended early, or there is no JSON at all, the error has fio's own words.
// Numbers that are none (nan, inf) or do not fit are no error unless a figure
// above is made of them.
int fio_json_parse(const char *text, size_t len, struct fio_figures *out,
		   struct err *e) MUST_CHECK;
