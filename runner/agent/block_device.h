// The target of the block workload: opened as asked, its alignment and size
// read from the system, destructive use refused.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "runner/agent/block.h"

struct block_device {
	int fd;
	const char *path;
	bool is_block;		// else a regular file
	uint64_t size;		// bytes
	uint32_t logical_block; // I/O is a multiple of it when direct
	uint32_t align;		// of buffers in memory; at least a page
	bool has_holes;		// a file with parts that were never written
	bool unlink;		// made by this run and not markable: removed
};

// Opens params->device (null_blk's own path comes in `path`). A regular file
// that does not exist is made at params->size (block_file.h); it stays, marked
// as vrun's own, so that the next trial may use it, and is made
// anew for one that needs a longer one. Writing to a file that is
// not so marked is refused.
int block_device_open(struct block_device *d, const char *path,
		      const struct block_params *params,
		      struct err *e) MUST_CHECK;
void block_device_close(struct block_device *d); // for CLEANUP, too
