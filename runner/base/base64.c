#include "runner/base/base64.h"

#include <stdbool.h>
#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			       "abcdefghijklmnopqrstuvwxyz"
			       "0123456789+/";

void base64_encode(const void *data, size_t len, struct buf *out)
{
	const uint8_t *in = data;

	buf_reserve(out, BASE64_CHARS(len));
	for (size_t i = 0; i < len; i += 3) {
		size_t n = MIN(len - i, (size_t)3);
		uint32_t bits = (uint32_t)in[i] << 16;

		if (n > 1)
			bits |= (uint32_t)in[i + 1] << 8;
		if (n > 2)
			bits |= in[i + 2];
		for (size_t k = 0; k < 4; k++)
			buf_putc(out,
				 k > n ? '='
				       : alphabet[bits >> (18 - 6 * k) & 63]);
	}
}

// How many of the last four characters are padding.
static size_t padding(const char *text, size_t len)
{
	if (len == 0 || text[len - 1] != '=')
		return 0;
	return text[len - 2] == '=' ? 2 : 1;
}

// Four characters, of which the last `pad` do not count, to 3 - pad bytes.
static int decode_four(const char *text, size_t pad, struct buf *out)
{
	uint32_t bits = 0;

	for (size_t k = 0; k < 4 - pad; k++) {
		const char *at =
			text[k] == '\0' ? NULL : strchr(alphabet, text[k]);

		if (at == NULL)
			return -1;
		bits |= (uint32_t)(at - alphabet) << (18 - 6 * k);
	}
	if (pad > 0 && (bits & (0xffffU >> (8 * (2 - pad)))) != 0)
		return -1;
	for (size_t k = 0; k < 3 - pad; k++)
		buf_putc(out, (char)(bits >> (16 - 8 * k) & 255));
	return 0;
}

int base64_decode(const char *text, size_t len, struct buf *out)
{
	size_t before = out->len, pad = len % 4 == 0 ? padding(text, len) : 0;

	if (len % 4 != 0)
		return -1;
	buf_reserve(out, len / 4 * 3);
	for (size_t i = 0; i < len; i += 4) {
		bool last = i + 4 == len;

		if (decode_four(text + i, last ? pad : 0, out) == 0)
			continue;
		out->len = before;
		if (out->data != NULL)
			out->data[before] = '\0';
		return -1;
	}
	return 0;
}
