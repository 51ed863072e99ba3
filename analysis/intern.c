#include "analysis/intern.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"

enum {
	INTERN_SLOTS_MIN = 64,
};

void intern_init(struct intern *in)
{
	*in = (struct intern){ .arena = arena_new() };
}

void intern_deinit(struct intern *in)
{
	arena_free(in->arena);
	free(in->names);
	free(in->lens);
	free(in->slots);
	*in = (struct intern){ 0 };
}

// FNV-1a (Fowler, Noll, Vo), 64 bits, folded so that low bits depend on all.
static size_t hash(const char *s, size_t len)
{
	uint64_t h = 0xcbf29ce484222325ULL;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)s[i]) * 0x100000001b3ULL;
	return (size_t)(h ^ (h >> 29));
}

// The slot that holds the string, or the empty one where it belongs.
static size_t probe(const struct intern *in, const char *s, size_t len)
{
	size_t mask = in->nslots - 1, i = hash(s, len) & mask;

	for (; in->slots[i] != 0; i = (i + 1) & mask) {
		uint32_t id = in->slots[i] - 1;

		if (in->lens[id] == len && memcmp(in->names[id], s, len) == 0)
			break;
	}
	return i;
}

static void rehash(struct intern *in)
{
	free(in->slots);
	in->nslots = in->nslots == 0 ? INTERN_SLOTS_MIN : in->nslots * 2;
	in->slots = xcalloc(in->nslots, sizeof *in->slots);
	for (size_t id = 0; id < in->n; id++)
		in->slots[probe(in, in->names[id], in->lens[id])] =
			(uint32_t)id + 1;
}

static uint32_t add(struct intern *in, const char *s, size_t len)
{
	size_t cap = in->cap;

	assert(in->n < INTERN_NONE - 1);
	in->names = xgrow(in->names, &cap, in->n + 1, sizeof *in->names);
	in->lens = xgrow(in->lens, &in->cap, in->n + 1, sizeof *in->lens);
	in->names[in->n] = arena_strndup(in->arena, s, len);
	in->lens[in->n] = len;
	return (uint32_t)in->n++;
}

uint32_t intern_id(struct intern *in, const char *s, size_t len)
{
	size_t slot;

	if (in->n >= in->nslots / 2)
		rehash(in);
	slot = probe(in, s, len);
	if (in->slots[slot] == 0)
		in->slots[slot] = add(in, s, len) + 1;
	return in->slots[slot] - 1;
}

uint32_t intern_find(const struct intern *in, const char *s, size_t len)
{
	if (in->nslots == 0)
		return INTERN_NONE;
	return in->slots[probe(in, s, len)] - 1; // empty: 0 - 1 is NONE
}

const char *intern_name(const struct intern *in, uint32_t id)
{
	assert(id < in->n);
	return in->names[id];
}
