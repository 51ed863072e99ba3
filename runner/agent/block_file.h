// The regular file that the block workload measures: made whole, or not at
// all. It gets its name once it is finished, so nothing is left of one that
// was not, whatever ended it. Where the file system knows no files without a
// name (NFS, FAT) it is written as PATH.vrun-part, which goes when the making
// fails; what a killed process leaves there, the next making removes.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/base/err.h"

enum {
	BLOCK_ROOM_TEXT = 96,
};

struct block_room {
	uint64_t fs;   // st_dev of the file system
	uint64_t need; // bytes that are to come; 0 where the file has them
	uint64_t have; // bytes that are free for this user
};

// What making `path` at `size` bytes takes, and what there is for it.
int block_file_room(const char *path, uint64_t size, struct block_room *out,
		    struct err *e) MUST_CHECK;
bool block_room_is_enough(const struct block_room *r);
// "12 MiB are to be written, 7 MiB are free"
void block_room_describe(const struct block_room *r, char *out, size_t size);
#define BLOCK_ROOM_FIX \
	"give a smaller `size:`, free room there, or name a file elsewhere"

// Makes `path`, which does not exist, `size` bytes long and full of data:
// blocks that were never written measure the file system's zeros, not the
// device. Refuses before anything is written when there is no room. *marked:
// whether the file carries the sign by which block_file_is_own knows it.
int block_file_make(const char *path, uint64_t size, bool *marked,
		    struct err *e) MUST_CHECK;
bool block_file_is_own(int fd);
// Vrun's own, and shorter than `size`: another level of a factor made it.
bool block_file_is_short(const char *path, uint64_t size);
