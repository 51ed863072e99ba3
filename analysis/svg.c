#include "analysis/svg.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runner/base/compiler.h"

enum {
	TICKS = 6, // at most about so many
	CAP = 4,   // half the stroke at the end of an interval
	HEADING = 30,
};

double svg_at(const struct svg_axis *a, double x)
{
	double part;

	if (!a->log)
		part = (x - a->lo) / (a->hi - a->lo);
	else if (x <= a->lo)
		part = 0;
	else
		part = (log(x) - log(a->lo)) / (log(a->hi) - log(a->lo));
	return a->from + part * (a->to - a->from);
}

void svg_widen(struct svg_axis *a, double x)
{
	if (!isfinite(x) || (a->log && x <= 0))
		return;
	a->lo = fmin(a->lo, x);
	a->hi = fmax(a->hi, x);
}

static void pad_log(struct svg_axis *a)
{
	double room = exp((log(a->hi) - log(a->lo)) * 0.05);

	if (!(room > 1))
		room = 1.01;
	a->lo = fmax(a->lo / room, DBL_MIN);
	a->hi = fmin(a->hi * room, DBL_MAX);
}

void svg_pad(struct svg_axis *a)
{
	double room = (a->hi - a->lo) * 0.05;

	if (a->log) {
		pad_log(a);
		return;
	}
	// Ten steps of a double are as close as ticks can be told apart.
	if (!(room > fabs(a->lo) * 1e-12))
		room = fmax(fabs(a->lo) * 0.01, 1e-9);
	a->lo -= room;
	a->hi += room;
}

// --- ticks ---

// 1, 2 or 5 times a power of ten.
static double tick_step(const struct svg_axis *a)
{
	double raw = (a->hi - a->lo) / TICKS;
	double power = pow(10, floor(log10(raw))), times = raw / power;

	if (times <= 1)
		return power;
	if (times <= 2)
		return 2 * power;
	return times <= 5 ? 5 * power : 10 * power;
}

static struct svg_ticks linear_ticks(const struct svg_axis *a)
{
	struct svg_ticks t = { .n = 0 };
	double step = tick_step(a), first = ceil(a->lo / step);

	while (t.n < SVG_TICKS_MAX && (first + (double)t.n) * step <= a->hi) {
		t.at[t.n] = (first + (double)t.n) * step;
		t.n++;
	}
	return t;
}

// Of a long axis only each so many-th power.
static struct svg_ticks log_ticks(const struct svg_axis *a, double decades)
{
	static const double all[] = { 1, 2, 5 };
	size_t per = decades <= 2.5 ? ARRAY_LEN(all) : 1;
	int every = (int)fmax(1, ceil(decades / TICKS));
	int first = (int)floor(log10(a->lo)), last = (int)ceil(log10(a->hi));
	struct svg_ticks t = { .n = 0 };

	for (int power = first; power <= last; power += every)
		for (size_t i = 0; i < per && t.n < SVG_TICKS_MAX; i++) {
			double x = all[i] * pow(10, power);

			if (x >= a->lo && x <= a->hi)
				t.at[t.n++] = x;
		}
	return t;
}

// A log axis that has few powers of ten, or that was made of figures too small
// for logarithms, has the ticks of a plain one.
struct svg_ticks svg_ticks(const struct svg_axis *a)
{
	struct svg_ticks plain = linear_ticks(a), log = { .n = 0 };

	// Not of hi / lo, which may be more than a double holds.
	if (a->log && a->lo > 0)
		log = log_ticks(a, log10(a->hi) - log10(a->lo));
	return log.n >= 3 || log.n > plain.n ? log : plain;
}

struct scale {
	double size;
	const char *word;
};

void svg_figure(double x, const char *unit, char out[SVG_TICK_CHARS])
{
	static const struct scale plain[] = {
		{ 1e12, "T" }, { 1e9, "G" }, { 1e6, "M" },
		{ 1e3, "k" },  { 0, "" },
	};
	static const struct scale times[] = {
		{ 1e9, " s" },
		{ 1e6, " ms" },
		{ 1e3, " us" },
		{ 0, " ns" },
	};
	const struct scale *s = strcmp(unit, "ns") == 0 ? times : plain;

	while (s->size > fabs(x) * (1 + 1e-9))
		s++;
	snprintf(out, SVG_TICK_CHARS, "%.7g%s", s->size > 0 ? x / s->size : x,
		 s->word);
}

void svg_x_ticks(struct buf *out, const struct svg_axis *x, const char *unit,
		 struct svg_line plot)
{
	struct svg_ticks t = svg_ticks(x);
	char text[SVG_TICK_CHARS];

	for (size_t i = 0; i < t.n; i++) {
		double px = svg_at(x, t.at[i]);

		svg_line(out, "grid",
			 (struct svg_line){ px, plot.y1, px, plot.y2 });
		svg_figure(t.at[i], unit, text);
		svg_text(out, "middle", px, plot.y2 + 16, text);
	}
}

void svg_y_ticks(struct buf *out, const struct svg_axis *y, const char *unit,
		 double left)
{
	struct svg_ticks t = svg_ticks(y);
	char text[SVG_TICK_CHARS];

	for (size_t i = 0; i < t.n; i++) {
		double py = svg_at(y, t.at[i]);

		svg_line(out, "grid",
			 (struct svg_line){ left, py, SVG_WIDTH, py });
		svg_figure(t.at[i], unit, text);
		svg_text(out, "end", left - 6, py + 4, text);
	}
}

// --- elements ---

// `above`: pixels of room for a heading, which a page has of its own.
static void put_head(struct buf *out, const struct svg_head *h,
		     const char *more, int above)
{
	buf_printf(out,
		   "<svg%s viewBox=\"0 %d %d %.0f\" role=\"img\" "
		   "aria-labelledby=\"%s-title\" "
		   "aria-describedby=\"%s-about\">\n<title id=\"%s-title\">",
		   more, -above, SVG_WIDTH, h->height + above, h->name, h->name,
		   h->name);
	svg_escape(out, h->title);
	buf_printf(out, "</title>\n<desc id=\"%s-about\">", h->name);
	svg_escape(out, h->about);
	buf_puts(out, "</desc>\n");
}

void svg_open(struct buf *out, const struct svg_head *head)
{
	put_head(out, head, "", 0);
}

void svg_open_file(struct buf *out, const struct svg_head *head)
{
	CLEANUP(buf_deinit) struct buf title = BUF_INIT;

	buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	put_head(out, head, " xmlns=\"http://www.w3.org/2000/svg\"", HEADING);
	buf_puts(out, "<style>\n");
	svg_style(out);
	buf_puts(out, "</style>\n");
	svg_rect(out, "paper",
		 (struct svg_rect){ 0, -HEADING, SVG_WIDTH,
				    head->height + HEADING });
	svg_fit(head->title, SVG_WIDTH - 20, &title);
	svg_text(out, "start", 10, -10, buf_str(&title));
}

void svg_close(struct buf *out)
{
	buf_puts(out, "</svg>\n");
}

void svg_line(struct buf *out, const char *class, struct svg_line l)
{
	buf_printf(out,
		   "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" "
		   "y2=\"%.1f\"/>\n",
		   class, l.x1, l.y1, l.x2, l.y2);
}

// `inwards`: 0 for a stroke; else the head of an arrow, and which way from
// its tip the interval lies.
static void whisker_end(struct buf *out, double x, double y, int inwards)
{
	if (inwards == 0)
		buf_printf(out, "M%.1f %.1fv%d", x, y - CAP, 2 * CAP);
	else
		buf_printf(out, "M%.1f %.1fl%d %dl%d %d", x + inwards * CAP,
			   y - CAP, -inwards * CAP, CAP, inwards * CAP, CAP);
}

void svg_whisker(struct buf *out, const struct svg_axis *x, double lo,
		 double hi, double y)
{
	double from = svg_at(x, fmax(lo, x->lo));
	double to = svg_at(x, fmin(hi, x->hi));

	if (!isfinite(lo) || !isfinite(hi))
		return;
	buf_puts(out, "<path class=\"whisker\" d=\"");
	whisker_end(out, from, y, lo < x->lo);
	whisker_end(out, to, y, -(hi > x->hi));
	buf_printf(out, "M%.1f %.1fH%.1f\"/>\n", from, y, to);
}

void svg_rect(struct buf *out, const char *class, struct svg_rect r)
{
	buf_printf(out,
		   "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
		   "height=\"%.1f\"/>\n",
		   class, r.x, r.y, r.width, r.height);
}

void svg_text(struct buf *out, const char *anchor, double x, double y,
	      const char *text)
{
	buf_printf(out, "<text text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">",
		   anchor, x, y);
	svg_escape(out, text);
	buf_puts(out, "</text>\n");
}

void svg_text_up(struct buf *out, double x, double y, const char *text)
{
	buf_printf(out,
		   "<text text-anchor=\"middle\" "
		   "transform=\"translate(%.1f %.1f)rotate(-90)\">",
		   x, y);
	svg_escape(out, text);
	buf_puts(out, "</text>\n");
}

// Colours and shapes repeat, but not together: 8 and 7 have no factor in
// common.
void svg_marker(struct buf *out, uint32_t kind, double x, double y)
{
	static const char *const shapes[] = {
		"m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",		     // circle
		"m-3.5-3.5h7v7h-7z",				     // square
		"m0-5l5 8.5h-10z",				     // triangle
		"m0-5.5l5 5.5l-5 5.5l-5-5.5z",			     // diamond
		"m-1.5-5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5v-3h3.5z", // plus
		"m0 5l5-8.5h-10z",	      // triangle, upside down
		"m-5-4h10l-4 4l4 4h-10l4-4z", // hourglass on its side
	};

	buf_printf(out, "<path class=\"c%u\" d=\"M%.1f %.1f%s\"/>\n",
		   kind % SVG_COLORS, x, y, shapes[kind % ARRAY_LEN(shapes)]);
}

void svg_dot(struct buf *out, uint32_t kind, double x, double y)
{
	buf_printf(out,
		   "<circle class=\"dot c%u\" cx=\"%.1f\" cy=\"%.1f\" "
		   "r=\"2.5\"/>\n",
		   kind % SVG_COLORS, x, y);
}

void svg_ring(struct buf *out, double x, double y)
{
	buf_printf(out,
		   "<circle class=\"ring\" cx=\"%.1f\" cy=\"%.1f\" "
		   "r=\"6.5\"/>\n",
		   x, y);
}
