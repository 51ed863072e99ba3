// Texts: what markup and mixed directions need, and how much room they take, as
// far as one can know without their font.
#include <ctype.h>
#include <string.h>

#include "analysis/svg.h"

#define DOTS	    "... "
#define DOTS_PIXELS 24.0

static const char *escape_of(const char *text)
{
	if (text[0] == ' ' && text[1] == '%')
		return "&#160;"; // "2 %" stays together
	switch (*text) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	default:
		return NULL;
	}
}

// A letter of Hebrew, Arabic and their kin: U+0590 to U+08FF, and the
// presentation forms.
static bool is_rtl(const char *text)
{
	unsigned char a = (unsigned char)text[0], b = (unsigned char)text[1];

	return (a >= 0xd6 && a <= 0xdf) ||
	       (a == 0xe0 && b >= 0xa0 && b <= 0xa3) ||
	       (a == 0xef && b >= 0xac && b <= 0xbb);
}

static bool is_within_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

// Figures that follow a name written to the left would be drawn as part of it
// and change places ("[+2 %, -1 %]"): a mark says where it ends. Blanks
// between two words of it are inside.
static bool ends_rtl(const char *text)
{
	const char *next = text + 1;

	if (!is_rtl(text))
		return false;
	while (is_within_character(*next))
		next++;
	next += strspn(next, " ");
	return *next != '\0' && !is_rtl(next);
}

static void put_character(struct buf *out, const char *text, size_t len)
{
	const char *escape = escape_of(text);

	if (escape != NULL)
		buf_puts(out, escape);
	else
		buf_add(out, text, len);
	if (ends_rtl(text))
		buf_puts(out, "&#8206;");
}

void svg_escape(struct buf *out, const char *text)
{
	while (*text != '\0') {
		size_t len = 1;

		while (is_within_character(text[len]))
			len++;
		put_character(out, text, len);
		text += len;
	}
}

// At 12 pixels, in DejaVu Sans. The bytes within a character add nothing.
static double width_of(char c)
{
	unsigned char u = (unsigned char)c;

	if (is_within_character(c))
		return 0;
	if (u >= 0xe0)
		return 13; // Chinese, Japanese, Korean and the like
	if (c != '\0' && strchr("WMwm@%", c) != NULL)
		return 12;
	return isupper(u) ? 9 : 7.5;
}

size_t svg_fitting(const char *text, double pixels)
{
	size_t n = 0;

	for (; text[n] != '\0'; n++) {
		pixels -= width_of(text[n]);
		if (pixels < 0)
			break;
	}
	return n;
}

// Where the last characters begin that fit.
static const char *last_fitting(const char *text, double pixels)
{
	const char *start = text + strlen(text), *c = start;

	while (c > text) {
		c--;
		pixels -= width_of(*c);
		if (pixels < 0)
			break;
		if (width_of(*c) > 0)
			start = c;
	}
	return start;
}

void svg_fit_end(const char *text, double pixels, struct buf *out)
{
	if (text[svg_fitting(text, pixels)] != '\0') {
		buf_puts(out, DOTS);
		text = last_fitting(text, pixels - DOTS_PIXELS);
	}
	buf_puts(out, text);
}

void svg_fit(const char *text, double pixels, struct buf *out)
{
	size_t half;

	if (text[svg_fitting(text, pixels)] == '\0') {
		buf_puts(out, text);
		return;
	}
	half = svg_fitting(text, pixels / 2);
	buf_add(out, text, half);
	buf_putc(out, ' ');
	svg_fit_end(text + half, pixels / 2, out);
}
