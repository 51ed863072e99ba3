// A null_blk device of one's own, made through configfs and taken down again.
// Settings carry the kernel's names (Documentation/block/null_blk.rst).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "runner/agent/workload.h"

enum {
	NULL_BLK_NAME_MAX = 32,
	NULL_BLK_PATH_MAX = 128,
};

struct null_blk_settings {
	int64_t queue_mode, submit_queues, hw_queue_depth, irqmode;
	int64_t completion_nsec;
	int64_t size;	   // bytes, whole MiB
	int64_t blocksize; // bytes
	bool memory_backed;
};

struct null_blk {
	char name[NULL_BLK_NAME_MAX]; // in configfs; "" = none
	char disk[NULL_BLK_NAME_MAX]; // in /sys/block
	char path[NULL_BLK_PATH_MAX]; // in /dev
};

// Loads the module, mounts configfs where it is missing, makes the device and
// switches it on. Removes devices that a dead process of ours has left. The
// first two change the machine and stay; they are harmless.
int null_blk_setup(struct null_blk *nb, const struct null_blk_settings *s,
		   struct err *e) MUST_CHECK;

// Reads every setting back: one check each, named <workload>.<setting>.
void null_blk_check(const struct null_blk *nb,
		    const struct null_blk_settings *s,
		    struct workload_run *run);

void null_blk_teardown(struct null_blk *nb); // for CLEANUP, too
