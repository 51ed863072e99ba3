// The block workload: I/O on a device or a file, by the built-in generator or
// by fio. Figures: <name>.iops, .bw, .lat_mean, .lat_p50 .. .lat_p999,
// .depth, .cpu_per_io, .errors and the histogram <name>.lat.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "runner/agent/null_blk.h"
#include "runner/agent/workload.h"

enum {
	BLOCK_BS_MAX = 64 << 20,
	BLOCK_JOBS_MAX = 256,
};

enum block_engine {
	BLOCK_BUILTIN,
	BLOCK_FIO
};

// latency: all that is asked for is in flight, and a completion is taken as
// soon as it is there. peak: hands over and takes up to 32 at a time, and
// iodepth is a ceiling.
enum block_profile {
	BLOCK_LATENCY,
	BLOCK_PEAK
};

enum block_rw {
	BLOCK_READ,
	BLOCK_WRITE,
	BLOCK_RANDREAD,
	BLOCK_RANDWRITE,
	BLOCK_RANDRW
};

struct block_params {
	int engine, profile, rw; // the enums above
	const char *device;	 // "null_blk" or a path
	int64_t rwmixread;	 // %
	int64_t bs, iodepth, jobs, size, rate;
	int64_t ramp_ns, runtime_ns;
	bool direct, norepeat;
	bool destroy;	       // what the device holds may be overwritten
	const char **fio_args; // NULL-terminated, or NULL
	const char *fio_job;   // "" = made from the above
	struct null_blk_settings null_blk;
};

// Defaults, then the fields of `w`; checks what hangs together.
int block_params_decode(const struct js *w, const char *where, struct arena *a,
			struct block_params *out, struct err *e) MUST_CHECK;

const char *block_rw_name(int rw);
bool block_writes(const struct block_params *p);
unsigned block_read_pct(const struct block_params *p);

// struct workload_kind's run.
int block_run(const struct js *w, struct workload_run *run,
	      struct err *e) MUST_CHECK;
