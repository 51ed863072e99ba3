#include "runner/agent/load_offset.h"

#include <assert.h>

#include "runner/base/compiler.h"

static void new_pass(struct load_offset *o)
{
	o->i = 0;
	o->key[0] = rng_next(&o->rng);
	o->key[1] = rng_next(&o->rng) | 1;
	o->key[2] = rng_next(&o->rng) | 1;
}

void load_offset_init(struct load_offset *o, enum load_order order,
		      uint64_t first, uint64_t count, uint64_t seed)
{
	unsigned bits;

	assert(count > 0);
	bits = count == 1 ? 0 : 64 - (unsigned)__builtin_clzll(count - 1);
	*o = (struct load_offset){
		.order = order,
		.first = first,
		.count = count,
		.mask = bits == 64 ? UINT64_MAX : (1ULL << bits) - 1,
		.shift = MAX(bits / 2, 1U),
	};
	rng_seed(&o->rng, seed);
	new_pass(o);
}

// A bijection of [0, mask]: adding, a right shift xored in and an odd factor
// each have an inverse modulo a power of two. The shape is that of the
// finalizer of splitmix64 (Steele, Lea & Flood 2014), cut to the width.
static uint64_t mix(const struct load_offset *o, uint64_t x)
{
	x = (x + o->key[0]) & o->mask;
	x ^= x >> o->shift;
	x = (x * o->key[1]) & o->mask;
	x ^= x >> o->shift;
	x = (x * o->key[2]) & o->mask;
	x ^= x >> o->shift;
	return x;
}

// Positions beyond the range are skipped: less than half of them, as the mask
// is the next power of two.
uint64_t load_offset_permuted(struct load_offset *o)
{
	for (;;) {
		uint64_t x;

		if (o->i > o->mask)
			new_pass(o);
		x = mix(o, o->i++);
		if (x < o->count)
			return o->first + x;
	}
}
