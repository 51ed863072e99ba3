// What some records point to, when they are to stay longer than until the next
// one is read.
#pragma once

#include <stddef.h>

#include "runner/base/arena.h"
#include "runner/base/js.h"

struct record_memory {
	struct arena *arena;
	struct js **trees;
	size_t ntrees, trees_cap;
	const struct js *facts; // of the last record; among the trees
};

void record_memory_init(struct record_memory *m);
void record_memory_deinit(struct record_memory *m);
void record_memory_reset(struct record_memory *m); // as good as new

// Takes over the reference; NULL is nothing.
void record_memory_keep(struct record_memory *m, struct js *tree);
