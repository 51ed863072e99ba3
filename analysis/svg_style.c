// The style of figures: colours as figures, as viewers other than browsers
// know no variables of CSS, each rule for light and again for dark.
#include <stdio.h>
#include <string.h>

#include "analysis/svg.h"
#include "runner/base/compiler.h"

static const struct color {
	const char *name, *light, *dark;
} palette[] = {
	{ "fg", "#1b1f24", "#e6edf3" },	    { "bg", "#fff", "#0d1117" },
	{ "soft", "#57606a", "#9198a1" },   { "line", "#d0d7de", "#3d444d" },
	{ "box", "#f6f8fa", "#161b22" },    { "band", "#d4ecca", "#143d1f" },
	{ "accent", "#0550ae", "#79c0ff" }, { "c0", "#0550ae", "#79c0ff" },
	{ "c1", "#bc4c00", "#ffa657" },	    { "c2", "#1a7f37", "#7ee787" },
	{ "c3", "#8250df", "#d2a8ff" },	    { "c4", "#953800", "#f0883e" },
	{ "c5", "#0f766e", "#56d4dd" },	    { "c6", "#bf3989", "#ff9bce" },
	{ "c7", "#57606a", "#9198a1" },
};

// Rules without colours.
static const char shapes[] = ":root{color-scheme:light dark}\n"
			     "svg text{font:12px system-ui,sans-serif}\n"
			     "svg .whisker{fill:none;stroke-width:1.5}\n"
			     "svg .median{stroke-width:2}\n"
			     "svg .quartiles,svg .ring{fill:none}\n"
			     "svg .dot{fill-opacity:.65}\n"
			     "svg .bar{fill-opacity:.55}\n";

static const struct rule {
	const char *selector, *property, *color;
} rules[] = {
	{ ":root", "background", "bg" },
	{ "svg text", "fill", "fg" },
	{ "svg .paper", "fill", "bg" },
	{ "svg line", "stroke", "line" },
	{ "svg .zero,svg .median,svg .whisker,svg .ring", "stroke", "fg" },
	{ "svg .band", "fill", "band" },
	{ "svg .quartiles", "stroke", "soft" },
	{ ".c0", "fill", "c0" },
	{ ".c1", "fill", "c1" },
	{ ".c2", "fill", "c2" },
	{ ".c3", "fill", "c3" },
	{ ".c4", "fill", "c4" },
	{ ".c5", "fill", "c5" },
	{ ".c6", "fill", "c6" },
	{ ".c7", "fill", "c7" },
};

static const char *color_of(const char *name, bool dark)
{
	for (size_t i = 0; i < ARRAY_LEN(palette); i++)
		if (strcmp(palette[i].name, name) == 0)
			return dark ? palette[i].dark : palette[i].light;
	return NULL;
}

static void put_colors(struct buf *out, bool dark)
{
	for (size_t i = 0; i < ARRAY_LEN(rules); i++)
		buf_printf(out, "%s{%s:%s}\n", rules[i].selector,
			   rules[i].property, color_of(rules[i].color, dark));
}

static void put_variables(struct buf *out, bool dark)
{
	buf_puts(out, ":root{");
	for (size_t i = 0; i < ARRAY_LEN(palette); i++)
		buf_printf(out, "--%s:%s;", palette[i].name,
			   dark ? palette[i].dark : palette[i].light);
	buf_puts(out, "}\n");
}

static void put_both(struct buf *out, void (*put)(struct buf *out, bool dark))
{
	put(out, false);
	buf_puts(out, "@media screen and (prefers-color-scheme:dark){\n");
	put(out, true);
	buf_puts(out, "}\n");
}

void svg_style(struct buf *out)
{
	buf_puts(out, shapes);
	put_both(out, put_colors);
}

void svg_variables(struct buf *out)
{
	put_both(out, put_variables);
}
