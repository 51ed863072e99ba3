#include "runner/agent/fio.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/agent/block_report.h"
#include "runner/agent/child.h"
#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"
#include "runner/base/strv.h"
#include "runner/tool/fio_json.h"

enum {
	FIO_OUTPUT_MAX = 64 << 20,
	FIO_PATH_MAX = 256,
};

// A directory of its own for the job file, the output and the log.
struct workdir {
	char path[FIO_PATH_MAX];
	char job[FIO_PATH_MAX], json[FIO_PATH_MAX], log[FIO_PATH_MAX];
};

static void workdir_remove(struct workdir *d)
{
	if (d->path[0] != '\0')
		dir_remove_all(d->path);
}

static int workdir_make(struct workdir *d, struct err *e)
{
	const char *tmp = getenv("TMPDIR");
	char path[FIO_PATH_MAX];

	snprintf(path, sizeof(path), "%.200s/vrun-fio-XXXXXX",
		 tmp != NULL && tmp[0] != '\0' ? tmp : "/tmp");
	if (mkdtemp(path) == NULL)
		return err_sys(e, ERR_HOST, "%s", path);
	memcpy(d->path, path, sizeof(path));
	snprintf(d->job, sizeof(d->job), "%.240s/job.fio", path);
	snprintf(d->json, sizeof(d->json), "%.240s/out.json", path);
	snprintf(d->log, sizeof(d->log), "%.240s/log", path);
	return 0;
}

static int64_t ms(int64_t ns)
{
	return ns / NS_PER_MS;
}

// The matrix's settings in fio's words. fio reports errors of the device as
// its own exit; random maps would cost memory and time.
static void add_job_options(struct strv *argv, const struct block_params *p,
			    const struct workload_run *run, const char *path)
{
	strv_addf(argv, "--name=%s", run->name);
	strv_addf(argv, "--filename=%s", path);
	strv_add(argv, "--ioengine=io_uring");
	strv_addf(argv, "--rw=%s", block_rw_name(p->rw));
	if (p->rw == BLOCK_RANDRW)
		strv_addf(argv, "--rwmixread=%" PRId64, p->rwmixread);
	strv_addf(argv, "--bs=%" PRId64, p->bs);
	strv_addf(argv, "--iodepth=%" PRId64, p->iodepth);
	strv_addf(argv, "--numjobs=%" PRId64, p->jobs);
	strv_addf(argv, "--direct=%d", p->direct);
	strv_add(argv, "--thread");
	strv_add(argv, "--time_based");
	strv_addf(argv, "--ramp_time=%" PRId64 "ms", ms(p->ramp_ns));
	strv_addf(argv, "--runtime=%" PRId64 "ms", ms(p->runtime_ns));
	strv_addf(argv, "--randseed=%" PRIu64,
		  (run->place.seed ^ (uint64_t)run->place.seq) & UINT32_MAX);
	if (!p->norepeat)
		strv_add(argv, "--norandommap");
	if (p->size > 0)
		strv_addf(argv, "--size=%" PRId64, p->size);
	if (p->rate > 0)
		strv_addf(argv, "--rate_iops=%" PRId64,
			  MAX(p->rate / p->jobs, (int64_t)1));
}

static int write_job(const struct block_params *p, const struct workdir *d,
		     struct err *e)
{
	if (p->fio_job[0] == '\0')
		return 0;
	return file_replace(d->job, p->fio_job, strlen(p->fio_job), e);
}

static void make_argv(const struct block_params *p, const struct workdir *d,
		      const struct workload_run *run, const char *path,
		      struct strv *argv)
{
	strv_add(argv, "fio");
	strv_addf(argv, "--output=%s", d->json);
	strv_add(argv, "--output-format=json+");
	strv_add(argv, "--lat_percentiles=1");
	if (p->fio_job[0] != '\0')
		strv_add(argv, d->job);
	else
		add_job_options(argv, p, run, path);
	for (const char **a = p->fio_args; a != NULL && *a != NULL; a++)
		strv_add(argv, *a);
}

static void set_number(const char *name, int64_t value, const char *unit)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64 "%s", value, unit);
	setenv(name, text, 1);
}

// The worker is a process of its own, so its environment is fio's alone.
static void set_environment(const struct block_params *p, const char *path)
{
	setenv("VRUN_DEVICE", path, 1);
	set_number("VRUN_BS", p->bs, "");
	set_number("VRUN_IODEPTH", p->iodepth, "");
	set_number("VRUN_JOBS", p->jobs, "");
	set_number("VRUN_RAMP", ms(p->ramp_ns), "ms");
	set_number("VRUN_RUNTIME", ms(p->runtime_ns), "ms");
}

static int run_fio(const struct strv *argv, const struct workdir *d,
		   struct err *e)
{
	CLEANUP(child_stop) struct child fio = CHILD_INIT;
	CLEANUP(buf_deinit) struct buf why = BUF_INIT;
	struct child_spec spec = {
		.name = "fio",
		.argv = argv->v,
		.log = d->log,
		.keep_fd = -1,
	};
	struct pollfd wait;

	if (child_start(&fio, &spec, e) < 0)
		return err_wrap(e, "engine: fio (apt install fio, and `make "
				   "guest` again for the guest)");
	wait = (struct pollfd){ .fd = fio.pidfd, .events = POLLIN };
	while (!child_has_ended(&fio)) {
		if (poll(&wait, 1, -1) < 0 && errno != EINTR)
			return err_sys(e, ERR_HOST, "fio: poll");
	}
	if (fio.status == 0)
		return 0;
	child_describe_end(&fio, &why);
	return err_set(e, ERR_HOST, "%s", buf_str(&why));
}

static void report_latency(struct workload_run *run,
			   const struct fio_figures *f)
{
	static const char *const names[FIO_PERCENTILES] = {
		"lat_p50", "lat_p90", "lat_p99", "lat_p999"
	};

	if (f->has_hist) {
		block_report_latency(run, &f->lat);
		return;
	}
	if (isfinite(f->lat_mean_ns))
		workload_metric(run, "lat_mean", f->lat_mean_ns, "ns",
				BETTER_LOWER);
	for (size_t i = 0; i < FIO_PERCENTILES; i++) {
		if (isfinite(f->percentile[i]))
			workload_metric(run, names[i], f->percentile[i], "ns",
					BETTER_LOWER);
	}
	if (f->percentiles_of_clat)
		result_note(run->a, run->r,
			    "%s: fio gave percentiles of clat only, which "
			    "starts after the submit call",
			    run->name);
}

// The share of I/Os that were started with the whole depth in flight, as far
// as fio tells: its levels are powers of two, and end at 64.
static double share_at_depth(const struct fio_figures *f, int64_t iodepth)
{
	int level = 63 - __builtin_clzll((unsigned long long)iodepth);

	return f->level[MIN(level, FIO_LEVELS - 1)];
}

// How many I/Os were in flight in the mean is Little's law. A device that
// completes them as they are submitted keeps that below what was asked for;
// the treatment has failed when fio never had as many (a synchronous engine).
static void report_depth(struct workload_run *run, const struct block_params *p,
			 const struct fio_figures *f)
{
	double asked = (double)(p->iodepth * p->jobs);
	double depth = f->iops * f->lat_mean_ns * 1e-9;
	double share = share_at_depth(f, p->iodepth);
	bool judged = p->fio_job[0] == '\0' && p->rate == 0;
	bool reached = share > 0 || depth >= BLOCK_DEPTH_REACHED * asked;
	struct check c = {
		.parameter = arena_printf(run->a, "%s.iodepth", run->name),
		.expected = arena_printf(run->a, "%.0f", asked),
		.seen = arena_printf(run->a,
				     "%.1f in flight in the mean, %.1f %% of "
				     "the I/Os started at full depth",
				     depth, 100 * share),
		.source = "Little's law: fio's IOPS x lat; its iodepth_level",
		.status = reached ? CHECK_OK : CHECK_FAILED,
	};

	if (isfinite(depth))
		workload_metric(run, "depth", depth, "1", BETTER_NEITHER);
	if (!judged)
		c.status = CHECK_UNVERIFIED;
	workload_check(run, &c);
	if (reached && depth < BLOCK_DEPTH_REACHED * asked)
		result_note(run->a, run->r,
			    "%s: fio kept %.1f of %.0f I/Os in flight in the "
			    "mean: they complete as they are submitted",
			    run->name, depth, asked);
}

static void report_facts(struct workload_run *run, const struct block_params *p,
			 const struct strv *argv, const struct fio_figures *f)
{
	CLEANUP(buf_deinit) struct buf line = BUF_INIT;

	strv_quote(argv, &line);
	js_set_str(run->facts, "engine", f->version);
	js_set_str(run->facts, "fio_command", buf_str(&line));
	js_set_int(run->facts, "ios", (int64_t)f->ios);
	js_set_str(run->facts, "loop",
		   p->rate > 0 ? "at a rate kept by fio, which hides stalls"
			       : "closed: the next I/O waits for one to end");
}

// fio counts failed I/Os and gives an errno; either may be missing.
static void report_errors(struct workload_run *run, const struct fio_figures *f)
{
	char count[64] = "";

	if (f->errors > 0)
		snprintf(count, sizeof(count), " %" PRIu64 " failed I/O%s",
			 f->errors, f->errors == 1 ? "" : "s");
	if (f->error != 0)
		result_fail(run->a, run->r, OUTCOME_FAILED,
			    "%s: fio reported%s%s: %s (errno %d)", run->name,
			    count, f->errors > 0 ? ", the first by" : "",
			    strerror(f->error), f->error);
	else if (f->errors > 0)
		result_fail(run->a, run->r, OUTCOME_FAILED,
			    "%s: fio reported%s, but not why", run->name,
			    count);
}

static void report(struct workload_run *run, const struct block_params *p,
		   const struct strv *argv, const struct fio_figures *f)
{
	report_facts(run, p, argv, f);
	workload_metric(run, "errors", (double)f->errors, "1", BETTER_LOWER);
	report_errors(run, f);
	if (f->ios == 0) {
		result_fail(run->a, run->r, OUTCOME_FAILED,
			    "%s: fio completed no I/O", run->name);
		return;
	}
	workload_metric(run, "iops", f->iops, "IOPS", BETTER_HIGHER);
	workload_metric(run, "bw", f->bytes_per_s / 1e6, "MB/s", BETTER_HIGHER);
	report_latency(run, f);
	report_depth(run, p, f);
	workload_metric(run, "cpu_per_io", f->cpu_ns / (double)f->ios, "ns",
			BETTER_LOWER);
}

int fio_run(const struct block_params *p, const char *path,
	    struct workload_run *run, struct err *e)
{
	CLEANUP(workdir_remove) struct workdir d = { .path = "" };
	CLEANUP(strv_deinit) struct strv argv = STRV_INIT;
	CLEANUP(buf_deinit) struct buf json = BUF_INIT;
	CLEANUP(cleanup_free) struct fio_figures *f = xcalloc(1, sizeof(*f));

	if (workdir_make(&d, e) < 0 || write_job(p, &d, e) < 0)
		return -1;
	make_argv(p, &d, run, path, &argv);
	set_environment(p, path);
	workload_stage(run, "measure");
	if (run_fio(&argv, &d, e) < 0 ||
	    file_read(d.json, FIO_OUTPUT_MAX, &json, ERR_HOST, e) < 0)
		return -1;
	workload_artifact(run, "fio.json", &json);
	if (fio_json_parse(buf_str(&json), json.len, f, e) < 0)
		return -1;
	report(run, p, &argv, f);
	return 0;
}
