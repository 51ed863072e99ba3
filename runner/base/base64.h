// Base64 (RFC 4648, section 4: with padding, on one line): bytes in JSON.
#pragma once

#include <stdint.h>

#include "runner/base/buf.h"

#define BASE64_CHARS(bytes) (((size_t)(bytes) + 2) / 3 * 4)

// Appends to `out`.
void base64_encode(const void *data, size_t len, struct buf *out);
// Appends the bytes. 0, or -1 with `out` as it was: a character that is not
// in the alphabet, padding that is missing, or bits that are left over.
int base64_decode(const char *text, size_t len, struct buf *out) MUST_CHECK;
