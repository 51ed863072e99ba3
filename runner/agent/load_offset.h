// Where the next I/O goes: block numbers in a range, in order, at random, or
// at random with every block once a pass. No memory, whatever the range.
#pragma once

#include <stdint.h>

#include "runner/base/rng.h"

enum load_order {
	LOAD_SEQUENTIAL,
	LOAD_RANDOM,
	LOAD_PERMUTED, // each block once a pass, a new order every pass
};

struct load_offset {
	enum load_order order;
	uint64_t first, count; // blocks; count > 0
	struct rng rng;
	uint64_t i;	 // sequential, permuted: next position
	uint64_t mask;	 // permuted: power of two >= count, minus 1
	unsigned shift;	 // half of the mask's bits, at least 1
	uint64_t key[3]; // permuted: of this pass
};

void load_offset_init(struct load_offset *o, enum load_order order,
		      uint64_t first, uint64_t count, uint64_t seed);

// The next block of a permutation; load_offset_next calls it.
uint64_t load_offset_permuted(struct load_offset *o);

static inline uint64_t load_offset_next(struct load_offset *o)
{
	if (__builtin_expect(o->order == LOAD_RANDOM, 1))
		return o->first + rng_below(&o->rng, o->count);
	if (o->order == LOAD_PERMUTED)
		return load_offset_permuted(o);
	if (o->i == o->count)
		o->i = 0;
	return o->first + o->i++;
}
