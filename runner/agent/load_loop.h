// The loop of one job: submits, reaps, counts and drains on a ring that is set
// up. Part of load_uring.c; whatever is in it is paid for by every I/O.
#pragma once

#include "runner/agent/load_ring.h"
#include "runner/agent/load_uring.h"

struct load_loop;

// All three are borrowed until it is freed.
struct load_loop *load_loop_new(const struct load_spec *spec,
				struct load_job *job, struct load_ring *ring);
void load_loop_freep(struct load_loop **l);

// Ramp, window, drain. Fills what load_job says of them.
int load_loop_run(struct load_loop *l, struct err *e) MUST_CHECK;
