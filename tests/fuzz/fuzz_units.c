// Text as figures. What is read is written and read again the same.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/units.h"
#include "tests/fuzz/fuzz.h"

enum {
	TEXT_MAX = 64
};

typedef enum units_status parse_fn(const char *s, uint64_t *out);
typedef void format_fn(uint64_t n, char *out, size_t size);

static void whole(const char *s, parse_fn *parse, format_fn *format)
{
	char text[TEXT_MAX];
	uint64_t n = 0, again = 0;

	if (parse(s, &n) != UNITS_OK)
		return;
	format(n, text, sizeof(text));
	// "1m30s" is for people; one unit alone is read back.
	if (parse(text, &again) == UNITS_OK)
		assert(again == n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(cleanup_free) char *s = xcalloc(1, size + 1);
	enum units_status st;
	uint64_t n;
	double x = 0;
	bool b;

	memcpy(s, data, size);
	whole(s, units_parse_size, units_format_size);
	whole(s, units_parse_duration, units_format_duration);
	st = units_parse_count(s, &n);
	assert(units_status_text(st)[0] != '\0');
	st = units_parse_bool(s, &b);
	assert(units_status_text(st)[0] != '\0');
	assert(units_parse_ratio(s, &x) != UNITS_OK || isfinite(x));
	assert(units_parse_real(s, &x) != UNITS_OK || isfinite(x));
	return 0;
}
