// A growing byte buffer, always NUL-terminated after its bytes.
// Invariant: data is NULL, or data[len] == '\0' and len < cap.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runner/base/compiler.h"

struct buf {
	char *data;
	size_t len, cap;
};

#define BUF_INIT           \
	{                  \
		NULL, 0, 0 \
	}

void buf_deinit(struct buf *b); // for CLEANUP, too
void buf_clear(struct buf *b);
char *buf_take(struct buf *b); // the string, caller frees; "" when empty
const char *buf_str(const struct buf *b); // "" when empty

void buf_reserve(struct buf *b, size_t more);
void buf_add(struct buf *b, const void *data, size_t len);
void buf_puts(struct buf *b, const char *s);
void buf_putc(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF(2, 3);
void buf_consume(struct buf *b, size_t len); // drop from the front
