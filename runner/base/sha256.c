#include "runner/base/sha256.h"

#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <stdint.h>

_Static_assert(BASE64_ENCODE_RAW_LENGTH(SHA256_DIGEST_SIZE) ==
		       SHA256_BASE64_CHARS,
	       "what encoding gives");

static void digest(const void *data, size_t len,
		   uint8_t sum[SHA256_DIGEST_SIZE])
{
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	sha256_update(&ctx, len, data);
	sha256_digest(&ctx, SHA256_DIGEST_SIZE, sum);
}

void sha256_hex(const void *data, size_t len, char out[SHA256_HEX_CHARS + 1])
{
	static const char digits[] = "0123456789abcdef";
	uint8_t sum[SHA256_DIGEST_SIZE];

	digest(data, len, sum);
	for (size_t i = 0; i < sizeof(sum); i++) {
		out[2 * i] = digits[sum[i] >> 4];
		out[2 * i + 1] = digits[sum[i] & 15];
	}
	out[SHA256_HEX_CHARS] = '\0';
}

void sha256_base64(const void *data, size_t len,
		   char out[SHA256_BASE64_CHARS + 1])
{
	uint8_t sum[SHA256_DIGEST_SIZE];

	digest(data, len, sum);
	base64_encode_raw(out, sizeof(sum), sum);
	out[SHA256_BASE64_CHARS] = '\0';
}
