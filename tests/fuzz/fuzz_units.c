// Figures as people type them. What is accepted is within the parser's range,
// and a size is written so that it reads back as the same.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/units.h"
#include "tests/fuzz/fuzz.h"

#define EXACT (1ULL << 53) // beyond it a double skips whole numbers

static void check_size(const char *s)
{
	char text[32];
	uint64_t bytes = 0, back = 0;
	enum units_status st;

	if (units_parse_size(s, &bytes) != UNITS_OK)
		return;
	assert(bytes < EXACT);
	units_format_size(bytes, text, sizeof(text));
	st = units_parse_size(text, &back);
	assert(st == UNITS_OK && back == bytes);
}

static void check_duration(const char *s)
{
	char text[64];
	uint64_t ns = 0;

	if (units_parse_duration(s, &ns) != UNITS_OK)
		return;
	assert(ns < EXACT);
	units_format_duration(ns, text, sizeof(text));
	assert(text[0] != '\0');
}

static void check_plain(const char *s)
{
	uint64_t n = 0;
	double x = 0;
	bool b = false;

	if (units_parse_count(s, &n) == UNITS_OK)
		assert(n < EXACT);
	if (units_parse_ratio(s, &x) == UNITS_OK)
		assert(isfinite(x));
	if (units_parse_real(s, &x) == UNITS_OK)
		assert(isfinite(x));
	if (units_parse_bool(s, &b) != UNITS_OK)
		assert(!b); // untouched
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(cleanup_free) char *s = xmalloc(size + 1);

	memcpy(s, data, size);
	s[size] = '\0';
	check_size(s);
	check_duration(s);
	check_plain(s);
	return 0;
}
