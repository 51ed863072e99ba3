#include "runner/agent/block_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/fd.h"

// A counter that leaves the clock by more than this was no clock.
#define DRIFT_MAX 1e-3

// Sums over jobs, as rates where jobs have windows of their own.
struct totals {
	double iops, depth, least_depth;
	double window_ns; // mean
	uint64_t ios, errors, shorts, retried, busy, partial, behind, workers;
	uint64_t cpu_ns;
};

static uint64_t count_errors(const struct load_job *job)
{
	uint64_t n = 0;

	for (size_t i = 0; i < LOAD_ERRNOS; i++)
		n += job->errors[i];
	return n;
}

static void add_job(struct totals *t, const struct load_job *j)
{
	if (j->window_ns > 0)
		t->iops += (double)j->lat.n * 1e9 / (double)j->window_ns;
	t->window_ns += (double)j->window_ns;
	t->depth += j->depth;
	t->least_depth = fmin(t->least_depth, j->depth);
	t->ios += j->lat.n;
	t->errors += count_errors(j);
	t->shorts += j->shorts;
	t->retried += j->retried;
	t->busy += j->busy;
	t->partial += j->partial;
	t->behind += j->behind;
	t->workers = MAX(t->workers, (uint64_t)j->io_workers);
	t->cpu_ns = MAX(t->cpu_ns, j->cpu_ns);
}

static struct totals sum(const struct load_job *jobs, size_t n)
{
	struct totals t = { .least_depth = INFINITY };

	for (size_t i = 0; i < n; i++)
		add_job(&t, &jobs[i]);
	t.window_ns /= (double)n;
	return t;
}

void block_report_latency(struct workload_run *run, const struct hist *h)
{
	static const struct {
		const char *figure;
		double p;
	} rows[] = {
		{ "lat_p50", 0.5 },
		{ "lat_p90", 0.9 },
		{ "lat_p99", 0.99 },
		{ "lat_p999", 0.999 },
	};

	workload_metric(run, "lat_mean", hist_mean(h), "ns", BETTER_LOWER);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		workload_metric(run, rows[i].figure,
				hist_percentile(h, rows[i].p), "ns",
				BETTER_LOWER);
	workload_hist(run, "lat", hist_to_js(h));
}

static void report_figures(struct workload_run *run,
			   const struct block_params *p, const struct totals *t,
			   const struct hist *lat)
{
	workload_metric(run, "iops", t->iops, "IOPS", BETTER_HIGHER);
	workload_metric(run, "bw", t->iops * (double)p->bs / 1e6, "MB/s",
			BETTER_HIGHER);
	block_report_latency(run, lat);
	workload_metric(run, "depth", t->depth, "1", BETTER_NEITHER);
	workload_metric(run, "cpu_per_io", (double)t->cpu_ns / (double)t->ios,
			"ns", BETTER_LOWER);
}

static void report_depth(struct workload_run *run, const struct block_params *p,
			 const struct totals *t)
{
	bool ceiling = p->rate > 0 || p->profile == BLOCK_PEAK;
	bool reached =
		t->least_depth >= BLOCK_DEPTH_REACHED * (double)p->iodepth;
	struct check c = {
		.parameter = arena_printf(run->a, "%s.iodepth", run->name),
		.expected = arena_printf(run->a, "%s%" PRId64,
					 ceiling ? "at most " : "", p->iodepth),
		.seen = arena_printf(run->a, "%.1f in flight", t->least_depth),
		.source = "the generator: submitted and not reaped, mean over "
			  "the time in the kernel",
		.status = ceiling || reached ? CHECK_OK : CHECK_FAILED,
	};

	workload_check(run, &c);
	if (ceiling && !reached && p->rate == 0)
		result_note(run->a, run->r,
			    "%s: the device completes I/Os as they are "
			    "submitted: %.0f of %" PRId64 " were in flight",
			    run->name, t->least_depth, p->iodepth);
}

// "EIO 3, ENOSPC 1" in the words of strerror.
static void error_list(const struct load_job *jobs, size_t n, struct buf *out)
{
	for (int errnum = 1; errnum < LOAD_ERRNOS; errnum++) {
		uint64_t count = 0;

		for (size_t i = 0; i < n; i++)
			count += jobs[i].errors[errnum];
		if (count > 0)
			buf_printf(out, "%s%" PRIu64 " x %s (errno %d)",
				   out->len ? ", " : "", count,
				   strerror(errnum), errnum);
	}
}

static void report_errors(struct workload_run *run, const struct totals *t,
			  const struct load_job *jobs, size_t n)
{
	CLEANUP(buf_deinit) struct buf list = BUF_INIT;

	workload_metric(run, "errors", (double)(t->errors + t->shorts), "1",
			BETTER_LOWER);
	error_list(jobs, n, &list);
	if (t->errors > 0)
		result_fail(run->a, run->r, OUTCOME_FAILED,
			    "%s: the device reported errors: %s", run->name,
			    buf_str(&list));
	if (t->shorts > 0)
		result_fail(run->a, run->r, OUTCOME_FAILED,
			    "%s: %" PRIu64 " I/Os were short: the device or "
			    "file ends before its size says",
			    run->name, t->shorts);
}

static void note_count(struct workload_run *run, uint64_t n, const char *what)
{
	if (n > 0)
		result_note(run->a, run->r, "%s: %" PRIu64 " %s", run->name, n,
			    what);
}

static void report_notes(struct workload_run *run, const struct block_params *p,
			 const struct totals *t, const struct load_spec *spec)
{
	double drift = load_clock_drift(spec->clock);

	note_count(run, t->retried,
		   "I/Os ended with EAGAIN or EINTR and were "
		   "not counted");
	note_count(run, t->busy,
		   "system calls were refused with EAGAIN or "
		   "EBUSY and made again");
	note_count(run, t->partial,
		   "system calls took fewer I/Os than offered");
	note_count(run, t->workers,
		   "io-wq threads did I/O: the target or its queue cannot "
		   "take it without blocking, so the kernel's threads were "
		   "measured, too");
	if (p->rate > 0 && t->behind > (uint64_t)(p->iodepth * p->jobs))
		result_note(run->a, run->r,
			    "%s: the rate was not kept: %" PRIu64 " I/Os were "
			    "due and not started at the end",
			    run->name, t->behind);
	if (fabs(drift) > DRIFT_MAX)
		result_fail(run->a, run->r, OUTCOME_FAILED,
			    "%s: the time-stamp counter left the clock by "
			    "%.2g; boot with clocksource=hpet, or find out why",
			    run->name, drift);
}

static void report_facts(struct workload_run *run, const struct block_params *p,
			 const struct totals *t, const struct load_spec *spec,
			 const struct load_job *job)
{
	js_set_str(run->facts, "engine", "builtin");
	js_set_str(run->facts, "loop",
		   p->rate > 0 ? "open: latency from the intended start"
			       : "closed: the next I/O waits for one to end");
	js_set_str(run->facts, "slots", "LIFO: buffers are cache-hot");
	js_set_str(run->facts, "ring", job->ring);
	if (job->fallback[0] != '\0')
		js_set_str(run->facts, "ring-without", job->fallback);
	js_set_str(run->facts, "clock", spec->clock->why);
	js_set_int(run->facts, "window_ns", (int64_t)t->window_ns);
	js_set_int(run->facts, "ios", (int64_t)t->ios);
}

static struct hist *merged(const struct load_job *jobs, size_t n)
{
	struct hist *h = xmalloc(sizeof(*h));

	hist_init(h);
	for (size_t i = 0; i < n; i++)
		hist_merge(h, &jobs[i].lat);
	return h;
}

void block_report_jobs(struct workload_run *run, const struct block_params *p,
		       const struct load_spec *spec,
		       const struct load_job *jobs)
{
	size_t n = (size_t)p->jobs;
	struct totals t = sum(jobs, n);
	CLEANUP(cleanup_free) struct hist *lat = merged(jobs, n);

	report_errors(run, &t, jobs, n);
	report_facts(run, p, &t, spec, &jobs[0]);
	report_notes(run, p, &t, spec);
	if (t.ios == 0) {
		result_fail(run->a, run->r, OUTCOME_FAILED,
			    "%s: no I/O completed in the window", run->name);
		return;
	}
	report_figures(run, p, &t, lat);
	report_depth(run, p, &t);
}

void block_report_queue(struct workload_run *run, const char *disk)
{
	static const char *const files[] = { "scheduler", "nr_requests",
					     "iostats", "nomerges" };
	struct js *queue = js_object();

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		char path[128], value[128];

		snprintf(path, sizeof(path), "/sys/block/%s/queue/%s", disk,
			 files[i]);
		if (file_read_line(path, value, sizeof(value)) == 0)
			js_set_str(queue, files[i], value);
	}
	js_set(run->facts, "queue", queue);
}
