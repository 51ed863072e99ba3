#include "runner/agent/block.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runner/agent/block_device.h"
#include "runner/agent/block_report.h"
#include "runner/agent/fio.h"
#include "runner/agent/load_uring.h"
#include "runner/base/alloc.h"
#include "runner/base/fd.h"

// Jobs of one device do not share a stream of offsets.
static uint64_t job_seed(const struct workload_place *at, size_t job)
{
	struct rng r;

	rng_seed(&r, at->seed ^ (uint64_t)at->seq << 20 ^ job);
	return rng_next(&r);
}

// In order and without repeats, each job has a part of the range to itself;
// at random, all have all of it.
static void place_job(struct load_job *job, const struct block_params *p,
		      uint64_t blocks, size_t i, uint64_t seed)
{
	bool in_order = p->rw == BLOCK_READ || p->rw == BLOCK_WRITE;
	uint64_t share = blocks / (uint64_t)p->jobs;
	enum load_order order = in_order      ? LOAD_SEQUENTIAL
				: p->norepeat ? LOAD_PERMUTED
					      : LOAD_RANDOM;

	if (order == LOAD_RANDOM)
		load_offset_init(&job->offset, order, 0, blocks, seed);
	else
		load_offset_init(&job->offset, order, share * i, share, seed);
}

static int count_blocks(const struct block_device *d,
			const struct block_params *p, uint64_t *blocks,
			struct err *e)
{
	uint64_t size = d->size;

	if (p->size > 0 && (uint64_t)p->size > size)
		return err_set(e, ERR_REFUSED,
			       "%s: has %" PRIu64 " bytes, `size:` asks for "
			       "%" PRId64 "%s",
			       d->path, size, p->size,
			       d->is_block ? ""
					   : "; remove it to have it made "
					     "anew");
	if (p->size > 0)
		size = (uint64_t)p->size;
	*blocks = size / (uint64_t)p->bs;
	if (*blocks < (uint64_t)p->jobs)
		return err_set(
			e, ERR_REFUSED,
			"%s: %" PRIu64 " bytes are too small for %" PRId64
			" job%s of %" PRId64 " bytes an I/O",
			d->path, size, p->jobs, p->jobs == 1 ? "" : "s", p->bs);
	return 0;
}

static struct load_spec make_spec(const struct block_params *p,
				  const struct block_device *d,
				  const struct load_clock *clock, uint64_t seed)
{
	uint32_t depth = (uint32_t)p->iodepth;
	bool peak = p->profile == BLOCK_PEAK;

	return (struct load_spec){
		.fd = d->fd,
		.bs = (uint32_t)p->bs,
		.depth = depth,
		.submit_max = peak ? MIN(depth, (uint32_t)LOAD_BATCH) : depth,
		.wait_for = peak ? MIN(depth, (uint32_t)LOAD_BATCH) : 1,
		.read_pct = block_read_pct(p),
		.align = d->align,
		.ramp_ns = (uint64_t)p->ramp_ns,
		.runtime_ns = (uint64_t)p->runtime_ns,
		.rate = (double)p->rate / (double)p->jobs,
		.seed = seed,
		.clock = clock,
	};
}

// Cached pages would be measured instead of the device.
static void drop_cached(const struct block_device *d,
			const struct block_params *p, struct workload_run *run)
{
	int rc;

	if (p->direct)
		return;
	fsync(d->fd);
	rc = posix_fadvise(d->fd, 0, 0, POSIX_FADV_DONTNEED);
	if (rc != 0)
		result_note(run->a, run->r,
			    "%s: cached pages could not be dropped: %s",
			    run->name, strerror(rc));
}

static int run_builtin(const struct block_params *p,
		       const struct block_device *d, struct workload_run *run,
		       struct err *e)
{
	CLEANUP(cleanup_free)
	struct load_job *jobs = xcalloc((size_t)p->jobs, sizeof(*jobs));
	struct load_clock clock;
	struct load_spec spec;
	uint64_t blocks;

	if (count_blocks(d, p, &blocks, e) < 0)
		return -1;
	for (size_t i = 0; i < (size_t)p->jobs; i++)
		place_job(&jobs[i], p, blocks, i, job_seed(&run->place, i));
	load_clock_init(&clock);
	spec = make_spec(p, d, &clock, run->place.seed);
	drop_cached(d, p, run);
	workload_stage(run, "measure");
	if (load_run(&spec, jobs, (size_t)p->jobs, e) < 0)
		return -1;
	block_report_jobs(run, p, &spec, jobs);
	return 0;
}

// With direct I/O the device's block size is a condition of bs.
static void check_bs(const struct block_params *p, const struct block_device *d,
		     struct workload_run *run)
{
	bool ok = !p->direct || p->bs % d->logical_block == 0;
	struct check c = {
		.parameter = arena_printf(run->a, "%s.bs", run->name),
		.expected = arena_printf(run->a,
					 "%" PRId64 " bytes, a multiple of the "
					 "logical block size",
					 p->bs),
		.seen = arena_printf(run->a, "logical block size %" PRIu32,
				     d->logical_block),
		.source = d->is_block ? "BLKSSZGET" : "statx STATX_DIOALIGN",
		.status = ok ? CHECK_OK : CHECK_FAILED,
	};

	workload_check(run, &c);
	// The device will have the same blocks next time.
	run->r->final = run->r->final || !ok;
}

static void check_direct(const struct block_params *p,
			 const struct block_device *d, struct workload_run *run)
{
	int flags = fcntl(d->fd, F_GETFL);
	bool direct = flags >= 0 && (flags & O_DIRECT);
	struct check c = {
		.parameter = arena_printf(run->a, "%s.direct", run->name),
		.expected = p->direct ? "true" : "false",
		.seen = direct ? "true" : "false",
		.source = "flags of the generator's own descriptor",
		.status = direct == p->direct ? CHECK_OK : CHECK_FAILED,
	};

	workload_check(run, &c);
}

static void note_holes(const struct block_device *d, struct workload_run *run)
{
	if (d->has_holes)
		result_note(run->a, run->r,
			    "%s: %s has parts that were never written: "
			    "reading them measures the file system's zeros, "
			    "not the device",
			    run->name, d->path);
}

static int run_on(const struct block_params *p, const char *path,
		  struct workload_run *run, struct err *e)
{
	CLEANUP(block_device_close) struct block_device d = { .fd = -1 };

	if (block_device_open(&d, path, p, e) < 0)
		return -1;
	note_holes(&d, run);
	check_bs(p, &d, run);
	if (run->r->outcome == OUTCOME_INVALID)
		return 0;
	// fio opens the device itself, exclusively when it writes.
	if (p->engine == BLOCK_FIO) {
		fd_closep(&d.fd);
		return fio_run(p, path, run, e);
	}
	check_direct(p, &d, run);
	if (run->r->outcome == OUTCOME_INVALID)
		return 0;
	return run_builtin(p, &d, run, e);
}

static int run_null_blk(const struct block_params *p, struct workload_run *run,
			struct err *e)
{
	CLEANUP(null_blk_teardown) struct null_blk nb = { .name = "" };

	if (null_blk_setup(&nb, &p->null_blk, e) < 0)
		return -1;
	null_blk_check(&nb, &p->null_blk, run);
	block_report_queue(run, nb.disk);
	return run_on(p, nb.path, run, e);
}

int block_run(const struct js *w, struct workload_run *run, struct err *e)
{
	struct block_params p;
	int rc;

	if (block_params_decode(w, run->name, run->a, &p, e) < 0)
		return -1;
	workload_stage(run, "setup");
	if (strcmp(p.device, "null_blk") == 0)
		rc = run_null_blk(&p, run, e);
	else
		rc = run_on(&p, p.device, run, e);
	return rc < 0 ? err_wrap(e, "%s", run->name) : 0;
}
