// Setting up a ring: the ladder of features, registration, and the sentence
// when io_uring is not to be had. Part of load_uring.c.
#pragma once

#include <liburing.h>
#include <stdbool.h>

#include "runner/agent/load_uring.h"

struct load_ring {
	struct io_uring uring;
	bool open;
	bool fixed_file, fixed_buffers;
	bool timed; // waiting with a time-out works
	int enter_fd;
	unsigned enter_flags;
	// One a slot, all in one mapping. In a mix of reads and writes one more
	// a slot: what is written stays noise, whatever was read.
	struct iovec *buffers;
	unsigned nbuffers;
	size_t map_bytes;
};

// Features obtained and missed are written to `job`. The calling thread is
// the only one that may use the ring.
int load_ring_init(struct load_ring *r, const struct load_spec *spec,
		   struct load_job *job, struct err *e) MUST_CHECK;
void load_ring_deinit(struct load_ring *r); // for CLEANUP, too
