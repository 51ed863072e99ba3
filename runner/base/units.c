#include "runner/base/units.h"

#include <ctype.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	UNITS_TEXT_MAX = 64
};

struct unit {
	const char *name;
	uint64_t scale;
};

static const struct unit size_units[] = {
	{ "", 1 },	     { "B", 1 },
	{ "k", 1ULL << 10 }, { "KiB", 1ULL << 10 },
	{ "M", 1ULL << 20 }, { "MiB", 1ULL << 20 },
	{ "G", 1ULL << 30 }, { "GiB", 1ULL << 30 },
	{ "T", 1ULL << 40 }, { "TiB", 1ULL << 40 },
	{ NULL, 0 },
};

static const struct unit duration_units[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", 1000000000 },
	{ "m", 60000000000 },
	{ "min", 60000000000 },
	{ "h", 3600000000000 },
	{ NULL, 0 },
};

static const struct unit count_units[] = {
	{ "", 1 },	     { "k", 1000 }, { "M", 1000000 },
	{ "G", 1000000000 }, { NULL, 0 },
};

// Splits a decimal number from what follows. strtod would take hexadecimal,
// "inf" and the locale's point, so the characters are checked first.
static enum units_status split_number(const char *s, double *x,
				      const char **rest)
{
	size_t n = 0, digits = 0;
	char text[UNITS_TEXT_MAX];
	char *end;

	if (s[0] == '\0')
		return UNITS_EMPTY;
	if (s[n] == '-' || s[n] == '+')
		n++;
	for (; isdigit((unsigned char)s[n]) || s[n] == '.'; n++)
		digits += s[n] != '.';
	if (digits == 0)
		return UNITS_NOT_A_NUMBER;
	if ((s[n] == 'e' || s[n] == 'E') &&
	    (isdigit((unsigned char)s[n + 1]) ||
	     ((s[n + 1] == '+' || s[n + 1] == '-') &&
	      isdigit((unsigned char)s[n + 2])))) {
		n += 2;
		while (isdigit((unsigned char)s[n]))
			n++;
	}
	if (n >= sizeof(text))
		return UNITS_TOO_LARGE;
	memcpy(text, s, n);
	text[n] = '\0';
	*x = strtod(text, &end);
	if (*end != '\0')
		return UNITS_NOT_A_NUMBER;
	if (!isfinite(*x))
		return UNITS_TOO_LARGE;
	*rest = s + n;
	while (**rest == ' ')
		(*rest)++;
	return UNITS_OK;
}

static const struct unit *find_unit(const struct unit *units, const char *name)
{
	for (; units->name != NULL; units++) {
		if (strcasecmp(units->name, name) == 0)
			return units;
	}
	return NULL;
}

static enum units_status parse_scaled(const char *s, const struct unit *units,
				      uint64_t *out)
{
	const struct unit *unit;
	enum units_status st;
	const char *rest;
	double x;

	st = split_number(s, &x, &rest);
	if (st != UNITS_OK)
		return st;
	if (x < 0)
		return UNITS_NEGATIVE;
	unit = find_unit(units, rest);
	if (unit == NULL && x == 0 && *rest == '\0') {
		*out = 0;
		return UNITS_OK;
	}
	if (unit == NULL)
		return UNITS_UNKNOWN_UNIT;
	x *= (double)unit->scale;
	if (x >= 9007199254740992.0) // 2^53: beyond it doubles skip integers
		return UNITS_TOO_LARGE;
	// 1.1 s is 1100000000.0000001 ns in binary: two roundings, no more.
	if (fabs(x - nearbyint(x)) > 2 * DBL_EPSILON * x)
		return UNITS_FRACTION;
	*out = (uint64_t)nearbyint(x);
	return UNITS_OK;
}

enum units_status units_parse_size(const char *s, uint64_t *bytes)
{
	return parse_scaled(s, size_units, bytes);
}

enum units_status units_parse_duration(const char *s, uint64_t *ns)
{
	return parse_scaled(s, duration_units, ns);
}

enum units_status units_parse_count(const char *s, uint64_t *n)
{
	return parse_scaled(s, count_units, n);
}

enum units_status units_parse_real(const char *s, double *x)
{
	const char *rest;
	double v;
	enum units_status st = split_number(s, &v, &rest);

	if (st != UNITS_OK)
		return st;
	if (*rest != '\0')
		return UNITS_UNKNOWN_UNIT;
	*x = v;
	return UNITS_OK;
}

enum units_status units_parse_ratio(const char *s, double *ratio)
{
	const char *rest;
	double v;
	enum units_status st = split_number(s, &v, &rest);

	if (st != UNITS_OK)
		return st;
	if (strcmp(rest, "%") == 0)
		v /= 100;
	else if (*rest != '\0')
		return UNITS_UNKNOWN_UNIT;
	*ratio = v;
	return UNITS_OK;
}

enum units_status units_parse_bool(const char *s, bool *b)
{
	static const struct {
		const char *name;
		bool value;
	} words[] = {
		{ "on", true },	    { "yes", true },  { "true", true },
		{ "1", true },	    { "off", false }, { "no", false },
		{ "false", false }, { "0", false },
	};

	if (s[0] == '\0')
		return UNITS_EMPTY;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (strcasecmp(words[i].name, s) == 0) {
			*b = words[i].value;
			return UNITS_OK;
		}
	}
	return UNITS_NOT_A_NUMBER;
}

const char *units_status_text(enum units_status st)
{
	switch (st) {
	case UNITS_OK:
		return "is right";
	case UNITS_EMPTY:
		return "is empty";
	case UNITS_NOT_A_NUMBER:
		return "is not a number";
	case UNITS_NEGATIVE:
		return "is negative";
	case UNITS_UNKNOWN_UNIT:
		return "has an unknown unit";
	case UNITS_TOO_LARGE:
		return "is too large";
	case UNITS_FRACTION:
		return "is not a whole number";
	}
	return "?";
}

void units_format_size(uint64_t bytes, char *out, size_t size)
{
	static const char suffix[] = { 'T', 'G', 'M', 'k' };

	for (size_t i = 0; i < ARRAY_LEN(suffix); i++) {
		unsigned shift = 40 - 10 * (unsigned)i;

		if (bytes >= 1ULL << shift && bytes % (1ULL << shift) == 0) {
			snprintf(out, size, "%" PRIu64 "%c", bytes >> shift,
				 suffix[i]);
			return;
		}
	}
	snprintf(out, size, "%" PRIu64, bytes);
}

void units_format_duration(uint64_t ns, char *out, size_t size)
{
	static const struct unit steps[] = {
		{ "h", 3600000000000 }, { "m", 60000000000 },
		{ "s", 1000000000 },	{ "ms", 1000000 },
		{ "us", 1000 },		{ "ns", 1 },
	};
	size_t used = 0;

	snprintf(out, size, "0s");
	for (size_t i = 0; i < ARRAY_LEN(steps) && used < size; i++) {
		uint64_t n = ns / steps[i].scale;

		if (n == 0)
			continue;
		used += (size_t)snprintf(out + used, size - used,
					 "%" PRIu64 "%s", n, steps[i].name);
		ns %= steps[i].scale;
	}
}
