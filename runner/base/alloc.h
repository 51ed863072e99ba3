// Allocation that cannot fail: out of memory aborts, in alloc.c alone.
#pragma once

#include <stdarg.h>
#include <stddef.h>

#include "runner/base/compiler.h"

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *p, size_t size);
char *xstrdup(const char *s);
char *xasprintf(const char *fmt, ...) PRINTF(1, 2);
char *xvasprintf(const char *fmt, va_list ap) PRINTF(1, 0);

// Grows `items` to hold at least `need` elements of `size` bytes, doubling
// `*cap`. Returns the (moved) array; new elements are zero.
void *xgrow(void *items, size_t *cap, size_t need, size_t size);
