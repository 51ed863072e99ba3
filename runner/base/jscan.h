// A cursor over JSON text, for readers of very many lines: nothing is
// allocated and no tree is built. It takes a part of what js_parse takes, and
// reads it the same: strings are printable ASCII without escapes, numbers have
// no more digits than below, nothing is nested deeper than JSCAN_DEPTH_MAX,
// and there is no white space. Whatever else there is makes it give up, and is
// for js_parse to read or refuse. One difference is left: an object that is
// skipped is not searched for keys that come twice.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	JSCAN_DIGITS = 19, // of a whole number, or before the point: < 9e18
	JSCAN_EXPONENT_DIGITS = 2,
	JSCAN_DEPTH_MAX = 16,
};

struct jscan {
	const char *at, *end; // what is left; *end need not be readable
	bool failed;	      // gave up: nothing after that counts
};

// A piece of the text, not NUL-terminated.
struct jscan_text {
	const char *p;
	size_t len;
};

// Is this what comes next? Takes it if so.
static inline bool jscan_try(struct jscan *s, const char *literal, size_t len)
{
	if (s->failed || (size_t)(s->end - s->at) < len ||
	    memcmp(s->at, literal, len) != 0)
		return false;
	s->at += len;
	return true;
}

// It must come next.
static inline void jscan_need(struct jscan *s, const char *literal, size_t len)
{
	if (!jscan_try(s, literal, len))
		s->failed = true;
}

#define JSCAN_TRY(s, literal)  jscan_try((s), "" literal, sizeof(literal) - 1)
#define JSCAN_NEED(s, literal) jscan_need((s), "" literal, sizeof(literal) - 1)

// What is between the quotes.
struct jscan_text jscan_string(struct jscan *s);
bool jscan_is(struct jscan_text t, const char *text);
// A whole number, not negative.
uint64_t jscan_uint(struct jscan *s);
// Any number; null is NaN.
double jscan_real(struct jscan *s);
// One value of any kind, as it stands.
struct jscan_text jscan_value(struct jscan *s);
