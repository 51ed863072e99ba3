// Words for figures and comparisons: one way to say them in every report and
// warning. ASCII, no locale. Each appends to `out`.
#pragma once

#include "analysis/compare.h"
#include "runner/base/buf.h"

// Five significant digits, whole numbers in full: "1304680", "11.866", "-".
void words_figure(double x, struct buf *out);
// "[1.2, 1304680]"; nothing for NaN.
void words_range(double lo, double hi, struct buf *out);
// Always signed: "+0.04 %"; "-" for NaN.
void words_pct(double pct, struct buf *out);
// A size without a sign, to two digits or the whole number: "1.8 %", "790 %".
void words_size(double pct, struct buf *out);
// "[-6.99 %, +7.60 %]"; nothing for NaN.
void words_interval(double lo, double hi, struct buf *out);
// ".090", "<.001", ">.999", "-" for NaN.
void words_p(double p, struct buf *out);
// "1 trial", "2 trials".
void words_count(size_t n, const char *noun, struct buf *out);

// The cell's levels without those that every cell has, which words_constant
// gives ("" when there are none): long labels hide what differs. LEVEL_ANY is
// never said.
void words_cell(const struct analysis *an, uint32_t cell, struct buf *out);
void words_constant(const struct analysis *an, struct buf *out);

// What differs from the baseline: "backing=hugetlb-2M"; its counterpart
// "backing=4k"; and what both have: "where=vm, accel=kvm", or nothing.
void words_candidate(const struct analysis *an,
		     const struct analysis_comparison *c, struct buf *out);
void words_baseline(const struct analysis *an,
		    const struct analysis_comparison *c, struct buf *out);
void words_common(const struct analysis *an,
		  const struct analysis_comparison *c, struct buf *out);
// "block.iops, backing=hugetlb-2M (where=vm)": names one of several; without
// what every cell has.
void words_comparison(const struct analysis *an,
		      const struct analysis_comparison *c, struct buf *out);
// The same without the metric.
void words_pair(const struct analysis *an, const struct analysis_comparison *c,
		struct buf *out);

// The verdict in a word: "slower", or "worse" for figures that are no speeds.
const char *words_verdict_kind(const struct analysis *an,
			       const struct analysis_comparison *c);
// The same with the reason: "inconclusive (failures)".
void words_verdict(const struct analysis *an,
		   const struct analysis_comparison *c, struct buf *out);
