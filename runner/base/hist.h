// A latency histogram: 64 sub-buckets per power of two over all 64 bits, so
// that a bucket is at most 1/64 of its value wide. Counts add; percentiles
// never do.
// Source: the layout of HdrHistogram (Tene) and fio's stat.c.
#pragma once

#include <stdint.h>

#include "runner/base/err.h"
#include "runner/base/js.h"

enum {
	HIST_SUB_BITS = 6,
	HIST_SUB = 1 << HIST_SUB_BITS,
	HIST_BUCKETS = (64 - HIST_SUB_BITS + 1) * HIST_SUB,
};

struct hist {
	uint64_t count[HIST_BUCKETS];
	uint64_t n;
	uint64_t min, max; // of what was added; exact
	double sum;
};

void hist_init(struct hist *h);

static inline unsigned hist_bucket(uint64_t v)
{
	unsigned msb, shift;

	if (v < HIST_SUB)
		return (unsigned)v;
	msb = 63 - (unsigned)__builtin_clzll(v);
	shift = msb - HIST_SUB_BITS;
	return (shift + 1) * HIST_SUB +
	       (unsigned)((v >> shift) & (HIST_SUB - 1));
}

// All of hist_add but the sum, for a loop that keeps that itself.
static inline void hist_count(struct hist *h, uint64_t v, uint64_t times)
{
	h->count[hist_bucket(v)] += times;
	h->n += times;
	if (v < h->min)
		h->min = v;
	if (v > h->max)
		h->max = v;
}

// `times` values of v.
static inline void hist_add(struct hist *h, uint64_t v, uint64_t times)
{
	hist_count(h, v, times);
	h->sum += (double)v * (double)times;
}

uint64_t hist_bucket_low(unsigned b);  // least value of a bucket
uint64_t hist_bucket_high(unsigned b); // greatest value of a bucket

void hist_merge(struct hist *to, const struct hist *from);

// The middle of the first bucket whose cumulative count reaches p (0..1) of
// all, kept within [min, max]. 0 when empty.
double hist_percentile(const struct hist *h, double p);
double hist_mean(const struct hist *h); // 0 when empty

// {"n":, "min":, "max":, "sum":, "buckets": [[low, count], ...]}, ascending.
struct js *hist_to_js(const struct hist *h);
int hist_from_js(const struct js *j, struct hist *out,
		 struct err *e) MUST_CHECK;
