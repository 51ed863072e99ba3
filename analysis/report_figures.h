// The figures of a report, as SVG: for the HTML report and as files. Whatever
// a figure shows stands in a table, too.
#pragma once

#include <stdint.h>

#include "analysis/report.h"
#include "analysis/svg.h"
#include "runner/base/arena.h"

enum {
	REPORT_FIGURE_ROWS = 60,     // comparisons or cells in one picture
	REPORT_FIGURE_POINTS = 2000, // trials in one; more are thinned evenly
	REPORT_FIGURE_METRICS = 4,   // that have pictures of their own
	REPORT_FIGURE_HOSTS = 4,     // likewise
};

struct report_figure {
	struct svg_head head; // its name is fit for a file and an id
	const char *caption;  // a sentence or two
	const char *body;     // what stands between the ends of the picture
};

struct report_figures {
	const struct report *r;
	struct arena *arena;
	struct report_figure *items;
	size_t n, cap;
};

// All that the report has, in the order in which to show them. What hangs on
// it lives as long as the arena.
void report_figures_make(const struct report *r, struct arena *a,
			 struct report_figures *out);
// As part of a page, and as a file of its own.
void report_figure_inline(const struct report_figure *f, struct buf *out);
void report_figure_file(const struct report_figure *f, struct buf *out);
