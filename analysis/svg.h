// The little of SVG that the report's figures are made of. Colours come from
// svg_style by class: light, and dark where that is preferred.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/base/buf.h"

enum {
	SVG_WIDTH = 760,
	SVG_COLORS = 8, // they repeat after that
	SVG_TICKS_MAX = 32,
	SVG_TICK_CHARS = 32,
};

// The style of the classes below: for a page as for a file of its own.
void svg_style(struct buf *out);
// The same colours as variables, for the style of a page: --fg, --bg, --soft,
// --line, --box, --accent.
void svg_variables(struct buf *out);

// From figures to pixels.
struct svg_axis {
	double lo, hi;	 // figures at the ends, lo < hi; > 0 when log
	double from, to; // pixels there
	bool log;
};

#define SVG_AXIS(from, to)                               \
	(struct svg_axis)                                \
	{                                                \
		INFINITY, -INFINITY, (from), (to), false \
	}

struct svg_line {
	double x1, y1, x2, y2;
};

struct svg_rect {
	double x, y, width, height;
};

// What a log axis has no place for, 0 and less, is at its lower end.
double svg_at(const struct svg_axis *a, double x);
// Makes room for a figure; NaN and infinity need none, nor does 0 or less on a
// log axis.
void svg_widen(struct svg_axis *a, double x);
// Some room at both ends; an axis of no length gets one.
void svg_pad(struct svg_axis *a);

// Where the grid lines are: 1, 2 or 5 times a power of ten.
struct svg_ticks {
	double at[SVG_TICKS_MAX];
	size_t n;
};
struct svg_ticks svg_ticks(const struct svg_axis *a);
// "1.5M"; of ns "20 us".
void svg_figure(double x, const char *unit, char out[SVG_TICK_CHARS]);

// The picture in a page, whose style it follows, with a title and a
// description for those who do not see it; `name` is unique in the page.
struct svg_head {
	const char *name, *title, *about;
	double height; // of SVG_WIDTH
};
void svg_open(struct buf *out, const struct svg_head *head);
// The picture as a file of its own.
void svg_open_file(struct buf *out, const struct svg_head *head);
void svg_close(struct buf *out);

void svg_line(struct buf *out, const char *class, struct svg_line l);
// An interval along the x axis, with a stroke at each end; where it goes on
// beyond the axis, an arrow. Nothing for NaN.
void svg_whisker(struct buf *out, const struct svg_axis *x, double lo,
		 double hi, double y);
void svg_rect(struct buf *out, const char *class, struct svg_rect r);
// `anchor`: "start", "middle" or "end" of the text stands at x.
void svg_text(struct buf *out, const char *anchor, double x, double y,
	      const char *text);
// The same turned to read upwards, its middle at x, y.
void svg_text_up(struct buf *out, double x, double y, const char *text);
// The mark of the k-th kind: its colour and shape, centred.
void svg_marker(struct buf *out, uint32_t kind, double x, double y);
// What is of all trials together.
void svg_ring(struct buf *out, double x, double y);
// A trial among many.
void svg_dot(struct buf *out, uint32_t kind, double x, double y);
// Grid lines with their figures: under a plot from `top` to `bottom`, and
// left of one that begins at `left`.
void svg_x_ticks(struct buf *out, const struct svg_axis *x, const char *unit,
		 struct svg_line plot);
void svg_y_ticks(struct buf *out, const struct svg_axis *y, const char *unit,
		 double left);

// How many bytes of a text surely fit: whole characters. No font is known, so
// widths are those of a wide one.
size_t svg_fitting(const char *text, double pixels);
// All of it, or its begin and end; all of it, or its end alone: with "..." for
// what is missing.
void svg_fit(const char *text, double pixels, struct buf *out);
void svg_fit_end(const char *text, double pixels, struct buf *out);

// Text with what HTML reads as markup escaped; also for HTML itself.
void svg_escape(struct buf *out, const char *text);
