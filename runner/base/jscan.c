#include "runner/base/jscan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	NUMBER_MAX = 40, // characters of one that is read
};

static struct jscan_text give_up(struct jscan *s)
{
	s->failed = true;
	return (struct jscan_text){ "", 0 };
}

// What was taken since `from`.
static struct jscan_text since(const struct jscan *s, const char *from)
{
	return (struct jscan_text){ from, (size_t)(s->at - from) };
}

static bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

struct jscan_text jscan_string(struct jscan *s)
{
	struct jscan_text text = { s->at + 1, 0 };
	const char *p = s->at, *end = s->end;

	if (s->failed || p == end || *p != '"')
		return give_up(s);
	for (p++; p < end && is_plain(*p); p++)
		;
	if (p == end || *p != '"')
		return give_up(s);
	text.len = (size_t)(p - text.p);
	s->at = p + 1;
	return text;
}

bool jscan_is(struct jscan_text t, const char *text)
{
	return strncmp(t.p, text, t.len) == 0 && text[t.len] == '\0';
}

// How many there are; they are taken.
static size_t take_digits(struct jscan *s)
{
	const char *from = s->at;

	while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
		s->at++;
	return (size_t)(s->at - from);
}

// 0, or digits that do not begin with one; what an int64_t can hold.
static uint64_t take_whole(struct jscan *s)
{
	const char *from = s->at, *p = from, *end = s->end;
	uint64_t value = 0;
	size_t n;

	for (; p < end && *p >= '0' && *p <= '9'; p++)
		value = 10 * value + (uint64_t)(*p - '0');
	s->at = p;
	n = (size_t)(p - from);
	if (n == 0 || (n > 1 && *from == '0') || n > JSCAN_DIGITS ||
	    (n == JSCAN_DIGITS && *from == '9'))
		s->failed = true;
	return value;
}

uint64_t jscan_uint(struct jscan *s)
{
	return take_whole(s);
}

static void take_fraction(struct jscan *s)
{
	if (JSCAN_TRY(s, ".") && take_digits(s) == 0)
		s->failed = true;
}

// One that cannot make the number too big for a double.
static void take_exponent(struct jscan *s)
{
	size_t n;

	if (!JSCAN_TRY(s, "e") && !JSCAN_TRY(s, "E"))
		return;
	if (!JSCAN_TRY(s, "-"))
		JSCAN_TRY(s, "+");
	n = take_digits(s);
	if (n == 0 || n > JSCAN_EXPONENT_DIGITS)
		s->failed = true;
}

static struct jscan_text take_number(struct jscan *s)
{
	const char *from = s->at;

	JSCAN_TRY(s, "-");
	take_whole(s);
	take_fraction(s);
	take_exponent(s);
	return s->failed ? give_up(s) : since(s, from);
}

double jscan_real(struct jscan *s)
{
	char digits[NUMBER_MAX + 1];
	struct jscan_text t;

	if (JSCAN_TRY(s, "null"))
		return (double)NAN;
	t = take_number(s);
	// jansson takes -0 for a whole number, which has no sign.
	if (t.len > NUMBER_MAX || jscan_is(t, "-0"))
		t = give_up(s);
	memcpy(digits, t.p, t.len);
	digits[t.len] = '\0';
	return s->failed ? (double)NAN : strtod(digits, NULL);
}

static void skip_value(struct jscan *s, int depth);

static void skip_array(struct jscan *s, int depth)
{
	if (JSCAN_TRY(s, "]"))
		return;
	do {
		skip_value(s, depth + 1);
	} while (JSCAN_TRY(s, ","));
	JSCAN_NEED(s, "]");
}

static void skip_object(struct jscan *s, int depth)
{
	if (JSCAN_TRY(s, "}"))
		return;
	do {
		jscan_string(s);
		JSCAN_NEED(s, ":");
		skip_value(s, depth + 1);
	} while (JSCAN_TRY(s, ","));
	JSCAN_NEED(s, "}");
}

static void skip_value(struct jscan *s, int depth)
{
	char c = s->at < s->end ? *s->at : '\0';

	if (s->failed || depth > JSCAN_DEPTH_MAX)
		s->failed = true;
	else if (c == '"')
		jscan_string(s);
	else if (JSCAN_TRY(s, "{"))
		skip_object(s, depth);
	else if (JSCAN_TRY(s, "["))
		skip_array(s, depth);
	else if (!JSCAN_TRY(s, "true") && !JSCAN_TRY(s, "false") &&
		 !JSCAN_TRY(s, "null"))
		take_number(s);
}

struct jscan_text jscan_value(struct jscan *s)
{
	const char *from = s->at;

	skip_value(s, 0);
	return s->failed ? give_up(s) : since(s, from);
}
