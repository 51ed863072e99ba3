// The load generator: keeps a number of I/Os in flight on one descriptor with
// io_uring, one ring and one thread a job, and measures for a stated time.
// Only load_uring.c and load_ring.c know liburing.
//
// Ramp, window, drain: what completes in the ramp is not counted; the window
// opens and closes at a reaped batch, and its true length is kept; then every
// I/O in flight is waited for. Latency runs from just before a batch is made
// to just after it is reaped (a lone completion's reaping starts the next
// batch), at a fixed rate from the intended start.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runner/agent/load_offset.h"
#include "runner/agent/load_time.h"
#include "runner/base/err.h"
#include "runner/base/hist.h"

enum {
	LOAD_DEPTH_MAX = 32768, // the kernel's limit for a ring
	LOAD_JOBS_MAX = 256,
	LOAD_BATCH = 32,
	LOAD_ERRNOS = 134, // errno values kept apart; above: the last one
	LOAD_TEXT_MAX = 384,
	LOAD_DRAIN_S = 60, // how long the drain waits for the device
};

// What all jobs share; read-only while they run.
struct load_spec {
	int fd;
	uint32_t bs;	     // bytes an I/O
	uint32_t depth;	     // I/Os in flight a job, 1..LOAD_DEPTH_MAX
	uint32_t submit_max; // I/Os handed over in one system call
	uint32_t wait_for;   // completions waited for when all are in flight
	uint32_t read_pct;   // 100: reads only, 0: writes only
	uint32_t align;	     // of buffers, a power of two; at least a page
	uint64_t ramp_ns, runtime_ns;
	double rate; // I/Os a second a job in an open loop; 0: closed
	uint64_t seed;
	const struct load_clock *clock;
};

struct load_job {
	struct load_offset offset; // in
	// Of the window:
	struct hist lat;	    // ns; n is the number of I/Os
	uint64_t window_ns, cpu_ns; // CPU time of the whole process
	double depth; // mean in flight (submitted, not reaped) while the
		      // kernel was entered, weighted by time
	// Of the whole run, ramp and drain included:
	uint64_t submitted, reaped;    // equal, or load_run has failed
	uint64_t shorts;	       // completions with less than bs
	uint64_t retried;	       // EAGAIN and EINTR of single I/Os
	uint64_t busy;		       // EAGAIN and EBUSY of the system call
	uint64_t interrupted, partial; // system calls
	uint64_t behind;	       // open loop: due but not yet started
	uint64_t errors[LOAD_ERRNOS];
	char ring[LOAD_TEXT_MAX];     // features obtained
	char fallback[LOAD_TEXT_MAX]; // what was not, and why; "" = nothing
	uint32_t io_workers;	      // io-wq threads seen after the window
};

// Runs all jobs at once; jobs[i].offset is set, the rest is filled. -1 when
// the ring cannot be had, a system call fails, or a completion is lost.
int load_run(const struct load_spec *spec, struct load_job *jobs, size_t njobs,
	     struct err *e) MUST_CHECK;

// Can this process set up a ring? The sentence says what forbids it and how
// to change that.
int load_uring_probe(struct err *e) MUST_CHECK;
