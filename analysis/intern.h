// Strings to dense numbers: equal strings get the same id, ids count from 0 in
// the order of first appearance. Owns copies of the strings.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runner/base/arena.h"

enum {
	INTERN_NONE = UINT32_MAX,
};

struct intern {
	struct arena *arena; // owned
	const char **names;  // by id
	size_t *lens;
	size_t n, cap;
	uint32_t *slots; // open addressing: id + 1, 0 is empty
	size_t nslots;	 // a power of two, or 0
};

void intern_init(struct intern *in);
void intern_deinit(struct intern *in); // for CLEANUP, too

// The id of a string; a new one when it was not seen before. At most
// INTERN_NONE - 1 strings (assert).
uint32_t intern_id(struct intern *in, const char *s, size_t len);
// INTERN_NONE when it was never seen.
uint32_t intern_find(const struct intern *in, const char *s, size_t len);
// NUL-terminated, until intern_deinit.
const char *intern_name(const struct intern *in, uint32_t id);
