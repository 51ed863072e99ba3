// Figures, checks, notes and facts of a run of the built-in generator.
#pragma once

#include "runner/agent/block.h"
#include "runner/agent/load_uring.h"

// A closed loop must have kept this share of the depth in flight.
#define BLOCK_DEPTH_REACHED 0.9

void block_report_jobs(struct workload_run *run, const struct block_params *p,
		       const struct load_spec *spec,
		       const struct load_job *jobs);

// The five percentile and mean figures of a latency histogram, and itself.
void block_report_latency(struct workload_run *run, const struct hist *h);

// Facts of the device's queue in sysfs: scheduler and the like.
void block_report_queue(struct workload_run *run, const char *disk);
