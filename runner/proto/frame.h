// Framing of every conversation between controller, host agent and guest
// agent: u32 little-endian length, then that many bytes of JSON. Pure.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runner/base/buf.h"

enum {
	FRAME_HEADER_BYTES = 4,
	FRAME_BODY_MAX = 8 << 20, // the longest result with its histograms
};

enum frame_status {
	FRAME_OK,   // *body and *len are set; consume *used bytes afterwards
	FRAME_MORE, // not a whole frame yet
	FRAME_BAD,  // length is zero or over the limit: the peer is broken
};

// Looks at the front of `data`; *body points into it.
enum frame_status frame_peek(const char *data, size_t len, const char **body,
			     size_t *body_len, size_t *used);

// Appends one frame. The body must be within the limit (assert).
void frame_append(struct buf *out, const char *body, size_t len);
