// What tests of the load generator share: a file, a clock, a short run.
#pragma once

#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdlib.h>

#include "runner/agent/load_uring.h"
#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"
#include "tests/fake/dir.h"

enum {
	FILE_BYTES = 1 << 20,
	BLOCK = 4096,
};

static inline const struct load_clock *machine_clock(void)
{
	static struct load_clock clock;

	if (clock.why == NULL)
		load_clock_init(&clock);
	return &clock;
}

// Random reads for 50 ms, without a ramp, one at a time.
static inline struct load_spec spec_for(int fd, uint32_t bs)
{
	return (struct load_spec){
		.fd = fd,
		.bs = bs,
		.depth = 1,
		.submit_max = 1,
		.wait_for = 1,
		.read_pct = 100,
		.align = BLOCK,
		.runtime_ns = 50 * NS_PER_MS,
		.seed = 1,
		.clock = machine_clock(),
	};
}

static inline struct load_job *jobs_new(size_t n, uint64_t blocks)
{
	struct load_job *jobs = xcalloc(n, sizeof(*jobs));

	for (size_t i = 0; i < n; i++)
		load_offset_init(&jobs[i].offset, LOAD_RANDOM, 0, blocks, i);
	return jobs;
}

// A file of zeros that has no name any more.
static inline int file_new(void)
{
	CLEANUP(fake_dir_freep) char *dir = fake_dir_new();
	CLEANUP(cleanup_free) char *path = xasprintf("%s/f", dir);
	CLEANUP(cleanup_free) char *zeros = xcalloc(1, FILE_BYTES);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(fd_write_all(fd, zeros, FILE_BYTES), 0);
	return fd;
}

static inline uint64_t errors_of(const struct load_job *j)
{
	uint64_t n = 0;

	for (size_t i = 0; i < LOAD_ERRNOS; i++)
		n += j->errors[i];
	return n;
}
