#include "runner/agent/block.h"

#include <string.h>

#include "runner/agent/field.h"
#include "runner/agent/load_uring.h"
#include "runner/base/clock.h"

static const char *const engines[] = { "builtin", "fio", NULL };
static const char *const profiles[] = { "latency", "peak", NULL };
static const char *const rws[] = {
	[BLOCK_READ] = "read",	       [BLOCK_WRITE] = "write",
	[BLOCK_RANDREAD] = "randread", [BLOCK_RANDWRITE] = "randwrite",
	[BLOCK_RANDRW] = "randrw",     [BLOCK_RANDRW + 1] = NULL,
};

#define AT(m)  offsetof(struct block_params, m)
#define NAT(m) offsetof(struct block_params, null_blk.m)
#define DAY_NS (24.0 * 3600 * 1e9)

static const struct field fields[] = {
	{ "engine", FIELD_CHOICE, AT(engine), 0, 0, engines },
	{ "device", FIELD_TEXT, AT(device), 0, 0, NULL },
	{ "profile", FIELD_CHOICE, AT(profile), 0, 0, profiles },
	{ "rw", FIELD_CHOICE, AT(rw), 0, 0, rws },
	{ "rwmixread", FIELD_INT, AT(rwmixread), 0, 100, NULL },
	{ "bs", FIELD_INT, AT(bs), 512, BLOCK_BS_MAX, NULL },
	{ "iodepth", FIELD_INT, AT(iodepth), 1, LOAD_DEPTH_MAX, NULL },
	{ "jobs", FIELD_INT, AT(jobs), 1, BLOCK_JOBS_MAX, NULL },
	{ "ramp", FIELD_INT, AT(ramp_ns), 0, DAY_NS, NULL },
	{ "runtime", FIELD_INT, AT(runtime_ns), 1e6, 7 * DAY_NS, NULL },
	{ "size", FIELD_INT, AT(size), 0, 0x1p62, NULL },
	{ "direct", FIELD_BOOL, AT(direct), 0, 0, NULL },
	{ "rate", FIELD_INT, AT(rate), 0, 1e9, NULL },
	{ "norepeat", FIELD_BOOL, AT(norepeat), 0, 0, NULL },
	{ "destroy", FIELD_BOOL, AT(destroy), 0, 0, NULL },
	{ "fio-args", FIELD_LIST, AT(fio_args), 0, 0, NULL },
	{ "fio-job", FIELD_TEXT, AT(fio_job), 0, 0, NULL },
	{ "queue_mode", FIELD_INT, NAT(queue_mode), 0, 2, NULL },
	{ "submit_queues", FIELD_INT, NAT(submit_queues), 1, 4096, NULL },
	{ "hw_queue_depth", FIELD_INT, NAT(hw_queue_depth), 1, 10240, NULL },
	{ "irqmode", FIELD_INT, NAT(irqmode), 0, 2, NULL },
	{ "completion_nsec", FIELD_INT, NAT(completion_nsec), 0, 1e12, NULL },
	{ "null_size", FIELD_INT, NAT(size), 1 << 20, 0x1p62, NULL },
	{ "null_bs", FIELD_INT, NAT(blocksize), 512, 4096, NULL },
	{ "memory_backed", FIELD_BOOL, NAT(memory_backed), 0, 0, NULL },
};

static const struct block_params defaults = {
	.engine = BLOCK_BUILTIN,
	.profile = BLOCK_LATENCY,
	.rw = BLOCK_RANDREAD,
	.device = "null_blk",
	.rwmixread = 50,
	.bs = 4096,
	.iodepth = 1,
	.jobs = 1,
	.ramp_ns = NS_PER_S,
	.runtime_ns = 3 * NS_PER_S,
	.direct = true,
	.fio_job = "",
	.null_blk = {
		.queue_mode = 2,
		.submit_queues = 1,
		.hw_queue_depth = 64,
		.irqmode = 1,
		.completion_nsec = 10000,
		.size = 4LL << 30,
		.blocksize = 512,
	},
};

const char *block_rw_name(int rw)
{
	return rws[rw];
}

bool block_writes(const struct block_params *p)
{
	return block_read_pct(p) < 100;
}

unsigned block_read_pct(const struct block_params *p)
{
	static const unsigned pct[] = {
		[BLOCK_READ] = 100,
		[BLOCK_WRITE] = 0,
		[BLOCK_RANDREAD] = 100,
		[BLOCK_RANDWRITE] = 0,
	};

	return p->rw == BLOCK_RANDRW ? (unsigned)p->rwmixread : pct[p->rw];
}

static int check_together(const struct block_params *p, const char *where,
			  struct err *e)
{
	if (p->device[0] == '\0')
		return err_set(e, ERR_USAGE,
			       "%s: device: is empty; name a device, a file "
			       "or null_blk",
			       where);
	if (p->bs % 512 != 0)
		return err_set(e, ERR_USAGE,
			       "%s: bs: %lld is no multiple of 512", where,
			       (long long)p->bs);
	if (p->size > 0 && p->fio_job[0] == '\0' && p->size / p->bs < p->jobs)
		return err_set(e, ERR_USAGE,
			       "%s: size: %lld bytes are too small for %lld "
			       "job%s of %lld bytes an I/O",
			       where, (long long)p->size, (long long)p->jobs,
			       p->jobs == 1 ? "" : "s", (long long)p->bs);
	if (p->engine == BLOCK_BUILTIN &&
	    (p->fio_job[0] != '\0' || p->fio_args != NULL))
		return err_set(e, ERR_USAGE,
			       "%s: fio-job and fio-args need `engine: fio`",
			       where);
	if ((p->null_blk.blocksize & (p->null_blk.blocksize - 1)) != 0)
		return err_set(e, ERR_USAGE,
			       "%s: null_bs: %lld is no power of two", where,
			       (long long)p->null_blk.blocksize);
	return 0;
}

// An empty list is the matrix's way to say "none".
static void drop_empty_args(struct block_params *p)
{
	if (p->fio_args != NULL && p->fio_args[0] == NULL)
		p->fio_args = NULL;
}

int block_params_decode(const struct js *w, const char *where, struct arena *a,
			struct block_params *out, struct err *e)
{
	struct block_params p = defaults;
	const struct field_set set = { fields, ARRAY_LEN(fields), where, a };

	if (field_decode(w, &set, &p, e) < 0)
		return -1;
	drop_empty_args(&p);
	if (check_together(&p, where, e) < 0)
		return -1;
	*out = p;
	return 0;
}
