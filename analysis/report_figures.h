// The figures of the HTML report, as SVG.
#pragma once

#include <stdint.h>

#include "analysis/report.h"

enum {
	REPORT_FIGURE_ROWS = 40,     // comparisons in one picture
	REPORT_FIGURE_POINTS = 2000, // trials in one; more are thinned evenly
};

// Effects with their intervals and the band of the margin. Nothing when no
// comparison has a ratio.
void report_figure_effects(const struct report *r, struct buf *out);
// The first metric's figures of one host in the order in which they were
// taken, by cell, so that drift shows. Nothing when no order was recorded.
void report_figure_trials(const struct report *r, uint32_t host,
			  struct buf *out);
