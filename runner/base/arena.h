// An arena: what a document allocates dies with it, all at once. Memory is
// zeroed and aligned for any type.
#pragma once

#include <stddef.h>

#include "runner/base/compiler.h"

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *a);
void arena_freep(struct arena **a);
// As good as new; keeps some memory for what comes next.
void arena_reset(struct arena *a);

void *arena_alloc(struct arena *a, size_t size);
void *arena_array(struct arena *a, size_t count, size_t size);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t len);
char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF(2, 3);

// Appends room for one element to a growing arena array: returns the zeroed
// new element. `items` is the address of the pointer to the array, which moves;
// old copies stay until the arena dies.
#define arena_push(a, items, count, cap, size)                          \
	({                                                              \
		_Static_assert(sizeof(**(items)) == (size),             \
			       "items: the address of the array");      \
		arena_push_bytes((a), (items), (count), (cap), (size)); \
	})
void *arena_push_bytes(struct arena *a, void *items, size_t *count, size_t *cap,
		       size_t size);
