// A ring of slots that a thread fills ahead of who takes them, for work that
// comes in pieces: while one piece is looked at, the next ones are made.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum {
	AHEAD_SLOTS = 4,
};

struct ahead;

// Fills slot `i` < AHEAD_SLOTS, which nobody else looks at meanwhile. False:
// it is the last one.
typedef bool ahead_fn(void *arg, size_t i);

// Without `thread`, or where none can be made, slot 0 is filled when it is
// asked for.
struct ahead *ahead_new(bool thread, ahead_fn *fill, void *arg);
// Waits until the thread has ended, after the slot that it is at.
void ahead_free(struct ahead *a); // NULL is nothing
void ahead_freep(struct ahead **a);

// The next slot that is full; the one before it may be filled again. Not to be
// called after the last one.
size_t ahead_next(struct ahead *a);

// Is this a file long enough for a thread?
bool ahead_pays(int fd);
