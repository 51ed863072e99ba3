#include "analysis/svg.h"

#include <math.h>
#include <stdio.h>

#include "runner/base/compiler.h"

enum {
	TICKS = 6, // at most about so many
	TICK_CHARS = 32,
};

double svg_at(const struct svg_axis *a, double x)
{
	return a->from + (x - a->lo) / (a->hi - a->lo) * (a->to - a->from);
}

void svg_widen(struct svg_axis *a, double x)
{
	if (!isfinite(x))
		return;
	a->lo = fmin(a->lo, x);
	a->hi = fmax(a->hi, x);
}

void svg_pad(struct svg_axis *a)
{
	double room = (a->hi - a->lo) * 0.05;

	if (!(room > 0))
		room = fmax(fabs(a->lo) * 0.01, 1e-9);
	a->lo -= room;
	a->hi += room;
}

void svg_escape(struct buf *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (text[0] == ' ' && text[1] == '%') {
			buf_puts(out, "&nbsp;"); // "2 %" stays together
			continue;
		}
		switch (*text) {
		case '&':
			buf_puts(out, "&amp;");
			break;
		case '<':
			buf_puts(out, "&lt;");
			break;
		case '>':
			buf_puts(out, "&gt;");
			break;
		case '"':
			buf_puts(out, "&quot;");
			break;
		default:
			buf_putc(out, *text);
		}
	}
}

void svg_open(struct buf *out, double height, const char *title,
	      const char *description)
{
	buf_printf(out, "<svg viewBox=\"0 0 %d %.0f\" role=\"img\">\n<title>",
		   SVG_WIDTH, height);
	svg_escape(out, title);
	buf_puts(out, "</title>\n<desc>");
	svg_escape(out, description);
	buf_puts(out, "</desc>\n");
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

void svg_text(struct buf *out, const char *anchor, double x, double y,
	      const char *text)
{
	buf_printf(out, "<text text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">",
		   anchor, x, y);
	svg_escape(out, text);
	buf_puts(out, "</text>\n");
}

// Colours and shapes repeat, but not together: 8 and 3 have no factor in
// common.
void svg_marker(struct buf *out, uint32_t kind, double x, double y)
{
	static const char *const shapes[] = {
		"m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", // circle
		"m-3.5-3.5h7v7h-7z",		      // square
		"m0-5l5 8.5h-10z",		      // triangle
	};

	buf_printf(out, "<path class=\"c%u\" d=\"M%.1f %.1f%s\"/>\n",
		   kind % SVG_KINDS, x, y, shapes[kind % ARRAY_LEN(shapes)]);
}

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

struct ticks {
	double step, first;
	int n;
};

static struct ticks ticks_of(const struct svg_axis *a)
{
	struct ticks t = { .step = tick_step(a) };

	t.first = ceil(a->lo / t.step);
	t.n = (int)(floor(a->hi / t.step) - t.first) + 1;
	return t;
}

static double tick(const struct ticks *t, int i, char text[TICK_CHARS])
{
	double x = (t->first + i) * t->step;

	snprintf(text, TICK_CHARS, "%.7g", x);
	return x;
}

void svg_x_ticks(struct buf *out, const struct svg_axis *x, double top,
		 double bottom)
{
	struct ticks t = ticks_of(x);
	char text[TICK_CHARS];

	for (int i = 0; i < t.n; i++) {
		double px = svg_at(x, tick(&t, i, text));

		svg_line(out, "grid", (struct svg_line){ px, top, px, bottom });
		svg_text(out, "middle", px, bottom + 16, text);
	}
}

void svg_y_ticks(struct buf *out, const struct svg_axis *y, double left)
{
	struct ticks t = ticks_of(y);
	char text[TICK_CHARS];

	for (int i = 0; i < t.n; i++) {
		double py = svg_at(y, tick(&t, i, text));

		svg_line(out, "grid",
			 (struct svg_line){ left, py, SVG_WIDTH, py });
		svg_text(out, "end", left - 6, py + 4, text);
	}
}
