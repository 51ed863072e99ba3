#include "analysis/table_number.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "analysis/sample.h"
#include "runner/base/compiler.h"
#include "runner/base/units.h"

enum {
	NUMBER_MAX = 400, // characters, unit included
};

// Words for "no figure" in other people's tables.
static bool is_missing(const char *text)
{
	static const char *const words[] = {
		"",    "-",    "na",   "n/a",	   "nan",	"null", "none",
		"inf", "+inf", "-inf", "infinity", "-infinity", "-nan", "+nan",
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strcasecmp(text, words[i]) == 0)
			return true;
	return false;
}

// Variances must be numbers, too.
static const char out_of_range[] = "is out of range: beyond 1e150 and below "
				   "1e-150 squares cannot be counted with";

static const char *check_range(double x)
{
	double size = fabs(x);

	return size == 0 || (size >= 1e-150 && size <= 1e150) ? NULL
							      : out_of_range;
}

// --- units ---

static const struct scale {
	const char *text;
	double factor;
} prefixes[] = {
	{ "", 1 },
	{ "k", 1e3 },
	{ "M", 1e6 },
	{ "G", 1e9 },
	{ "T", 1e12 },
	{ "Ki", 1024 },
	{ "Mi", 1024.0 * 1024 },
	{ "Gi", 1024.0 * 1024 * 1024 },
	{ "Ti", 1024.0 * 1024 * 1024 * 1024 },
};

static const char *const bases[] = { "", "B", "B/s", "Hz", "IOPS" };

// The micro sign and the Greek letter are two characters.
static const struct scale times[] = {
	{ "ns", 1e-9 },	       { "us", 1e-6 }, { "\xc2\xb5s", 1e-6 },
	{ "\xce\xbcs", 1e-6 }, { "ms", 1e-3 }, { "s", 1 },
	{ "min", 60 },	       { "h", 3600 },
};

static bool find_time(const char *text, double *factor, const char **unit)
{
	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		if (strcmp(text, times[i].text) != 0)
			continue;
		*factor = times[i].factor;
		*unit = "s";
		return true;
	}
	return false;
}

static bool find_scaled(const char *text, double *factor, const char **unit)
{
	for (size_t p = 0; p < ARRAY_LEN(prefixes); p++) {
		size_t n = strlen(prefixes[p].text);

		if (strncmp(text, prefixes[p].text, n) != 0)
			continue;
		for (size_t b = 0; b < ARRAY_LEN(bases); b++) {
			if (strcmp(text + n, bases[b]) != 0)
				continue;
			*factor = prefixes[p].factor;
			*unit = bases[b];
			return true;
		}
	}
	return false;
}

static const char *read_unit(const char *text, struct table_number *n)
{
	double factor = 1;

	if (strcmp(text, "%") == 0) {
		n->unit = "%";
		return NULL;
	}
	if (text[0] == 'K' && text[1] != 'i')
		return "is no figure for sure: K is 1000 to some and 1024 to "
		       "others; write k or Ki";
	if (!find_time(text, &factor, &n->unit) &&
	    !find_scaled(text, &factor, &n->unit))
		return "has an unknown unit (have ns, us, ms, s, min, h, %, "
		       "and k, M, G, T, Ki, Mi, Gi, Ti alone or before B, "
		       "B/s, Hz, IOPS)";
	n->value *= factor;
	return NULL;
}

// --- numbers ---

// The characters that a number at the start of `text` has.
static size_t number_len(const char *text)
{
	size_t n = strspn(text, "+-");

	n += strspn(text + n, "0123456789.");
	if (n > 0 && (text[n] == 'e' || text[n] == 'E')) {
		size_t sign = strspn(text + n + 1, "+-");
		size_t digits = strspn(text + n + 1 + sign, "0123456789");

		if (digits > 0)
			n += 1 + sign + digits;
	}
	return n;
}

// "1 392 703", "1'392'703", "1_392_703", with no-break spaces, too.
static bool has_thousands(const char *text)
{
	static const char *const between[] = { " ", "'", "_", "\xc2\xa0",
					       "\xe2\x80\xaf" };

	for (size_t i = 0; i < ARRAY_LEN(between); i++) {
		const char *at = strstr(text, between[i]);

		if (at != NULL && at > text && isdigit((unsigned char)at[-1]) &&
		    isdigit((unsigned char)at[strlen(between[i])]))
			return true;
	}
	return false;
}

static const char *why_no_number(const char *text,
				 const struct table_style *style)
{
	bool comma = strchr(text, ',') != NULL;
	bool point = strchr(text, '.') != NULL;
	bool digit = isdigit((unsigned char)text[strspn(text, "+-.")]);

	if (!digit && !comma)
		return "is no number; where there is no figure, write NA";
	if (has_thousands(text) || (comma && point) ||
	    (comma && style->decimal == ','))
		return "is no number: write nothing between thousands";
	if (comma)
		return "is no number: write a decimal point, and no commas "
		       "between thousands; --decimal , reads decimal commas";
	if (point && style->decimal == ',')
		return "is no number: after --decimal , a point is none";
	return style->units
		       ? "is no number"
		       : "is no number: --units reads figures with units, as "
			 "1.3M or 12 ms";
}

static bool has_unicode_minus(const char *text)
{
	return strncmp(text, "\xe2\x88\x92", 3) == 0;
}

// The text with a decimal point; false when it has what is no number then.
static bool with_point(const char *text, const struct table_style *style,
		       char out[NUMBER_MAX])
{
	size_t len = strlen(text);
	char *comma;

	if (len >= NUMBER_MAX)
		return false;
	memcpy(out, text, len + 1);
	if (style->decimal != ',')
		return true;
	if (strchr(out, '.') != NULL)
		return false;
	comma = strchr(out, ',');
	if (comma != NULL)
		*comma = '.';
	return true;
}

const char *table_number_read(const char *text, const struct table_style *style,
			      struct table_number *out)
{
	char copy[NUMBER_MAX], number[NUMBER_MAX] = "";
	enum units_status st;
	size_t len;

	*out = (struct table_number){ .value = NO_FIGURE, .unit = "" };
	if (is_missing(text))
		return NULL;
	if (has_unicode_minus(text))
		return "is no number: write - as the minus sign";
	if (!with_point(text, style, copy))
		return why_no_number(text, style);
	len = number_len(copy);
	memcpy(number, copy, len);
	st = units_parse_real(number, &out->value);
	if (st == UNITS_TOO_LARGE)
		return out_of_range;
	len += strspn(copy + len, " ");
	if (st != UNITS_OK || (copy[len] != '\0' && !style->units) ||
	    strpbrk(copy + len, "0123456789,.'_") != NULL)
		return why_no_number(text, style);
	if (copy[len] != '\0') {
		const char *why = read_unit(copy + len, out);

		if (why != NULL)
			return why;
	}
	return check_range(out->value);
}
