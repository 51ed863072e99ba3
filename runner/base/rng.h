// xoshiro256** (Blackman & Vigna 2018), seeded by splitmix64: for offsets in
// the load generator and for the synthetic workload. The plan's order uses
// GSL's generator instead.
#pragma once

#include <stdint.h>

struct rng {
	uint64_t s[4];
};

void rng_seed(struct rng *r, uint64_t seed);
double rng_uniform(struct rng *r); // [0, 1)
double rng_normal(struct rng *r);  // mean 0, SD 1 (Marsaglia polar)

static inline uint64_t rng_rotl(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

static inline uint64_t rng_next(struct rng *r)
{
	uint64_t result = rng_rotl(r->s[1] * 5, 7) * 9, t = r->s[1] << 17;

	r->s[2] ^= r->s[0];
	r->s[3] ^= r->s[1];
	r->s[1] ^= r->s[2];
	r->s[0] ^= r->s[3];
	r->s[2] ^= t;
	r->s[3] = rng_rotl(r->s[3], 45);
	return result;
}

// [0, n) by multiply-shift (Lemire 2019): bias below n / 2^64.
static inline uint64_t rng_below(struct rng *r, uint64_t n)
{
	return (uint64_t)(((unsigned __int128)rng_next(r) * n) >> 64);
}
