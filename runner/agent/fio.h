// `engine: fio`: a real fio does the I/O; its JSON gives the figures.
#pragma once

#include "runner/agent/block.h"

// Runs fio on `path`. A job file of the user's finds the device, block size,
// depth, jobs and times in its environment as ${VRUN_DEVICE}, ${VRUN_BS},
// ${VRUN_IODEPTH}, ${VRUN_JOBS}, ${VRUN_RAMP} and ${VRUN_RUNTIME}, the times
// as fio takes them: 500ms.
int fio_run(const struct block_params *p, const char *path,
	    struct workload_run *run, struct err *e) MUST_CHECK;
