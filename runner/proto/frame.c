#include "runner/proto/frame.h"

#include <assert.h>

enum frame_status frame_peek(const char *data, size_t len, const char **body,
			     size_t *body_len, size_t *used)
{
	const unsigned char *h = (const unsigned char *)data;
	uint32_t n;

	if (len < FRAME_HEADER_BYTES)
		return FRAME_MORE;
	n = h[0] | (uint32_t)h[1] << 8 | (uint32_t)h[2] << 16 |
	    (uint32_t)h[3] << 24;
	if (n == 0 || n > FRAME_BODY_MAX)
		return FRAME_BAD;
	if (len - FRAME_HEADER_BYTES < n)
		return FRAME_MORE;
	*body = data + FRAME_HEADER_BYTES;
	*body_len = n;
	*used = FRAME_HEADER_BYTES + n;
	return FRAME_OK;
}

void frame_append(struct buf *out, const char *body, size_t len)
{
	unsigned char h[FRAME_HEADER_BYTES];

	assert(len > 0 && len <= FRAME_BODY_MAX);
	for (unsigned i = 0; i < FRAME_HEADER_BYTES; i++)
		h[i] = (unsigned char)(len >> (8 * i));
	buf_add(out, h, sizeof(h));
	buf_add(out, body, len);
}
