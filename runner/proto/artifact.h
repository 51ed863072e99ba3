// What an attempt leaves beside its result (QEMU's log, the console, fio's
// JSON) as it travels: {"name":, "data": base64}, in `artifact` messages, in
// a guest's result and in a spool. Pure.
#pragma once

#include <stdbool.h>

#include "runner/base/base64.h"
#include "runner/base/err.h"
#include "runner/base/js.h"

enum {
	ARTIFACT_NAME_MAX = 64,
	ARTIFACT_BYTES_MAX = 3 << 20, // of one; in base64 it fits in a frame
	ARTIFACT_COUNT_MAX = 32,      // of one attempt
	ARTIFACT_TOTAL_MAX = 8 << 20, // bytes of all of them
	ARTIFACT_DATA_MAX = BASE64_CHARS(ARTIFACT_BYTES_MAX),
};

// 1 to ARTIFACT_NAME_MAX of letters, digits, ".", "_" and "-"; no leading dot.
bool artifact_name_is_good(const char *name);

// At most ARTIFACT_BYTES_MAX bytes under a good name (assert).
struct js *artifact_new(const char *name, const void *data, size_t len);

// What a peer or a file says is one: *name is borrowed from `j`; the bytes
// are appended to `data`.
int artifact_read(const struct js *j, const char **name, struct buf *data,
		  struct err *e) MUST_CHECK;

// All of an attempt's, under limits of count and size.
struct artifacts {
	struct js *list; // of such objects; NULL: none
	size_t bytes;
};

void artifacts_deinit(struct artifacts *a); // for CLEANUP, too
// How many more bytes one can have here; 0: there is no room for another.
size_t artifacts_room(const struct artifacts *a);
// Where the name is taken it becomes NAME.2, NAME.3, ...: a hook may run at
// several stages. False when there is no room, and when the name is no good.
bool artifacts_add(struct artifacts *a, const char *name, const void *data,
		   size_t len) MUST_CHECK;
// Adds a list that a peer or a file gives; all of it, or nothing on failure.
int artifacts_read(const struct js *list, struct artifacts *a,
		   struct err *e) MUST_CHECK;
