// The latency histograms of trials, thinly kept: only buckets with a count.
// Their bins hang on the dataset's arena.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analysis/intern.h"
#include "analysis/latency.h"
#include "runner/base/arena.h"
#include "runner/base/js.h"

enum {
	// 128 MiB; of the trials beyond none has its histograms here.
	TRIAL_HISTS_BINS_MAX = 8 << 20,
};

struct trial_hist {
	uint32_t row;			// of the dataset
	uint32_t name;			// id in `names`: "block.lat"
	const struct latency_bin *bins; // value: the middle of the bucket
	size_t n;
	double count; // of all bins; 0: a later attempt took its place
};

struct trial_hists {
	struct intern names;
	struct trial_hist *items; // by row, ascending but for repeated trials
	size_t n, cap, nbins;
	size_t left_out; // trials beyond TRIAL_HISTS_BINS_MAX
};

void trial_hists_init(struct trial_hists *h);
void trial_hists_deinit(struct trial_hists *h);
// Notes the histograms of one trial ({name: histogram}); NULL is none. Returns
// how many of them could not be read.
size_t trial_hists_add(struct trial_hists *h, struct arena *a, uint32_t row,
		       const struct js *hists);
// The row has another attempt now.
void trial_hists_drop(struct trial_hists *h, uint32_t row);
