#include "runner/base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	BIG_BYTES = 2 << 20, // of a block that is worth huge pages
	PAGE_BYTES = 4096,
};

static void *or_abort(void *p)
{
	if (p == NULL) {
		fputs("vrun: out of memory\n", stderr);
		abort();
	}
	return p;
}

// Page faults are most of what a big block costs, above all in a VM. It is
// advice: where there are no huge pages, nothing changes.
static void *advise(void *p, size_t size)
{
	uintptr_t begin = ((uintptr_t)p + PAGE_BYTES - 1) / PAGE_BYTES;
	uintptr_t end = ((uintptr_t)p + size) / PAGE_BYTES;

	if (size >= BIG_BYTES)
		(void)madvise((void *)(begin * PAGE_BYTES),
			      (end - begin) * PAGE_BYTES, MADV_HUGEPAGE);
	return p;
}

void *xmalloc(size_t size)
{
	return advise(or_abort(malloc(size ? size : 1)), size);
}

void *xcalloc(size_t count, size_t size)
{
	return advise(or_abort(calloc(count ? count : 1, size ? size : 1)),
		      count * size);
}

void *xrealloc(void *p, size_t size)
{
	return advise(or_abort(realloc(p, size ? size : 1)), size);
}

char *xstrdup(const char *s)
{
	return or_abort(strdup(s));
}

char *xvasprintf(const char *fmt, va_list ap)
{
	char *s = NULL;

	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	return or_abort(s);
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = xvasprintf(fmt, ap);
	va_end(ap);
	return s;
}

void *xgrow(void *items, size_t *cap, size_t need, size_t size)
{
	size_t old = *cap, bytes = 0, n = old ? old : 8;

	if (need <= old)
		return items;
	while (n < need && !__builtin_mul_overflow(n, 2, &n))
		;
	if (n < need || __builtin_mul_overflow(n, size, &bytes))
		or_abort(NULL);
	items = xrealloc(items, bytes);
	memset((char *)items + old * size, 0, (n - old) * size);
	*cap = n;
	return items;
}
