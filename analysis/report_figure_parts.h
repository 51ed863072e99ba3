// What the figures of a report share. Not for others.
#pragma once

#include <math.h>
#include <stdio.h>

#include "analysis/report_figures.h"

// A figure in the making; each text is copied when it is added.
struct figure {
	struct buf name, title, about, caption, body;
	double height;
};

void figure_deinit(struct figure *f); // for CLEANUP, too
// Takes what was made; of the name only what is fit for a file is kept.
void figure_add(struct report_figures *to, const struct figure *f);

// Each adds its figures, or none when there is nothing to show.
void figure_effects(struct report_figures *to);
void figure_bars(struct report_figures *to);
void figure_cells(struct report_figures *to);
void figure_trials(struct report_figures *to);
void figure_latency(struct report_figures *to);

// Figures of rows: a label on the left, a mark at its place on the x axis.
enum {
	FIGURE_TOP = 10,
	FIGURE_LABELS = 280,
	FIGURE_UNDER = 44, // an axis with its title
};

struct figure_rows {
	struct svg_axis x;
	double row; // pixels a row
	size_t n;   // rows
};

// The middle of the i-th row, and the end of the last.
double figure_row_y(const struct figure_rows *rows, size_t i);
double figure_rows_bottom(const struct figure_rows *rows);
// One line or two left of the plot; what is too long lacks its middle.
void figure_label(struct buf *out, double y, const char *text);
// Axis with its ticks and title; sets the height.
void figure_rows_axis(struct figure *f, const struct figure_rows *rows,
		      const char *unit, const char *title);
// "block.iops, IOPS" or, of ns, whose ticks say so, "block.lat_p99".
void figure_metric(const struct dataset_metric *m, bool log, struct buf *out);
// " The first 60 of 72 comparisons are drawn." when some are not.
void figure_say_cut(size_t shown, size_t all, const char *noun,
		    struct buf *out);

// Do the greatest and the least differ by so much that one would be lost
// beside the other? Not when any is 0 or less.
bool figure_wants_log(const struct analysis *an, size_t metric);
// The pooled cells of the k-th metric of the family: ds->ncells of them.
const struct analysis_cell *figure_cells_of(const struct analysis *an,
					    size_t metric);

// Whether a trial has a figure to draw; every how-many-th is drawn.
bool figure_has_trial(const struct dataset *ds, size_t row, uint32_t metric);
size_t figure_thinning(size_t trials);
