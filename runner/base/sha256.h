// SHA-256 (FIPS 180-4) of a whole buffer, by nettle.
#pragma once

#include <stddef.h>

enum {
	SHA256_HEX_CHARS = 64,
	SHA256_BASE64_CHARS = 44,
};

// Lower case hexadecimal, NUL-terminated.
void sha256_hex(const void *data, size_t len, char out[SHA256_HEX_CHARS + 1]);
// As browsers name what a policy lets run.
void sha256_base64(const void *data, size_t len,
		   char out[SHA256_BASE64_CHARS + 1]);
