// A peer's bytes, cut into frames the way every reader does it. Whatever is
// cut off must lie inside the input, and framing it again gives it back.
#include <assert.h>
#include <string.h>

#include "runner/proto/frame.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *rest = (const char *)data;
	const char *body = NULL;
	size_t left = size, len = 0, used = 0;

	while (frame_peek(rest, left, &body, &len, &used) == FRAME_OK) {
		CLEANUP(buf_deinit) struct buf again = BUF_INIT;

		assert(used <= left && len < used && body + len == rest + used);
		frame_append(&again, body, len);
		assert(again.len == used &&
		       memcmp(again.data, rest, used) == 0);
		rest += used;
		left -= used;
	}
	return 0;
}
