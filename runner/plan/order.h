// The order of the trials: a pure function of its specification, the same on
// every machine. Owns nothing.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runner/plan/plan.h"

#define ORDER_RNG "gsl mt19937" // Matsumoto & Nishimura 1998, as seeded by GSL

struct order_spec {
	enum plan_order order;
	uint32_t nhosts, ncells;
	const uint32_t *group; // of each cell; groups are numbered from 0
	uint32_t ngroups;
	uint32_t blocks; // warm-up rounds included
	uint32_t repeat;
	uint32_t seed;
	uint32_t warmup; // the first blocks, which every host has
	bool share;	 // the others are dealt out to the hosts in turn
};

// Fills nhosts * blocks * repeat * ncells trials, by host and then in order of
// execution; with `share` (nhosts * warmup + blocks - warmup) * repeat *
// ncells. What a host does follows from the seed and its own number alone, and
// with `share` from the number of hosts.
//
// PLAN_BLOCKS: a block holds each cell `repeat` times. Its boots, one for each
// group, are shuffled; inside a boot each repetition is a shuffle of the
// group's cells.
// PLAN_WILLIAMS: as PLAN_BLOCKS, with rows of Williams designs in place of
// shuffles, both for the boots and for the cells inside a boot.
// PLAN_SEQUENTIAL: all blocks of the first cell, then of the next; a boot
// each.
void order_trials(const struct order_spec *s, struct plan_trial *out);

// Rows of a Williams design for k items: k when that is even, else 2k. Over
// all rows each item follows each other equally often.
// Source: E. J. Williams (1949), Australian J. Sci. Res. A 2, 149-168.
uint32_t order_williams_rows(uint32_t k);
void order_williams_row(uint32_t k, uint32_t row, uint32_t *out);
