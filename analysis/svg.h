// The little of SVG that the report's figures are made of. Colours come from
// the page's style by class, so that figures follow light and dark.
#pragma once

#include <stdint.h>

#include "runner/base/buf.h"

enum {
	SVG_WIDTH = 760,
	SVG_KINDS = 8, // colours; they repeat after that
};

// From figures to pixels.
struct svg_axis {
	double lo, hi;	 // figures at the ends, lo < hi
	double from, to; // pixels there
};

struct svg_line {
	double x1, y1, x2, y2;
};

double svg_at(const struct svg_axis *a, double x);
// Makes room for a figure; NaN and infinity need none.
void svg_widen(struct svg_axis *a, double x);
// Some room at both ends; an axis of no length gets one.
void svg_pad(struct svg_axis *a);

// The picture, with a title and a description for those who do not see it.
void svg_open(struct buf *out, double height, const char *title,
	      const char *description);
void svg_close(struct buf *out);
void svg_line(struct buf *out, const char *class, struct svg_line l);
// `anchor`: "start", "middle" or "end" of the text stands at x.
void svg_text(struct buf *out, const char *anchor, double x, double y,
	      const char *text);
// The mark of the k-th kind: its colour and shape, centred.
void svg_marker(struct buf *out, uint32_t kind, double x, double y);
// Grid lines with their figures: under a plot from `top` to `bottom`, and
// left of one that begins at `left`.
void svg_x_ticks(struct buf *out, const struct svg_axis *x, double top,
		 double bottom);
void svg_y_ticks(struct buf *out, const struct svg_axis *y, double left);

// Text with what HTML reads as markup escaped; also for HTML itself.
void svg_escape(struct buf *out, const char *text);
