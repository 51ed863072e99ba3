#include "runner/base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "runner/base/alloc.h"

enum {
	ARENA_CHUNK_BYTES = 16 * 1024
};

struct chunk {
	struct chunk *next;
	size_t used, size;
	alignas(max_align_t) char data[];
};

struct arena {
	struct chunk *head;
};

struct arena *arena_new(void)
{
	return xcalloc(1, sizeof(struct arena));
}

static void free_chunks(struct chunk *c)
{
	for (struct chunk *next; c != NULL; c = next) {
		next = c->next;
		free(c);
	}
}

void arena_free(struct arena *a)
{
	if (a == NULL)
		return;
	free_chunks(a->head);
	free(a);
}

void arena_reset(struct arena *a)
{
	struct chunk *c = a->head;

	if (c == NULL)
		return;
	free_chunks(c->next);
	c->next = NULL;
	memset(c->data, 0, c->used);
	c->used = 0;
}

void arena_freep(struct arena **a)
{
	arena_free(*a);
}

static struct chunk *chunk_new(size_t size)
{
	struct chunk *c;
	size_t bytes;

	if (__builtin_add_overflow(size, sizeof(*c), &bytes))
		bytes = SIZE_MAX; // xcalloc aborts
	c = xcalloc(1, bytes);
	c->size = size;
	return c;
}

// A big request gets a chunk of its own behind the head, so that the head's
// free room is not lost.
static void *alloc_big(struct arena *a, size_t size)
{
	struct chunk *c = chunk_new(size);

	c->used = size;
	if (a->head == NULL) {
		a->head = c;
	} else {
		c->next = a->head->next;
		a->head->next = c;
	}
	return c->data;
}

void *arena_alloc(struct arena *a, size_t size)
{
	size_t align = alignof(max_align_t);
	struct chunk *c = a->head;
	void *p;

	if (size > ARENA_CHUNK_BYTES / 4)
		return alloc_big(a, size);
	size = (size + align - 1) & ~(align - 1);
	if (c == NULL || c->size - c->used < size) {
		c = chunk_new(ARENA_CHUNK_BYTES);
		c->next = a->head;
		a->head = c;
	}
	p = c->data + c->used;
	c->used += size;
	return p;
}

void *arena_array(struct arena *a, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		bytes = SIZE_MAX;
	return arena_alloc(a, bytes);
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *copy = arena_alloc(a, len + 1);

	memcpy(copy, s, len);
	return copy;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	CLEANUP(cleanup_free) char *s = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		abort();
	return arena_strndup(a, s, (size_t)n);
}

void *arena_push_bytes(struct arena *a, void *items, size_t *count, size_t *cap,
		       size_t size)
{
	char *array;

	memcpy(&array, items, sizeof(array)); // of any pointer type
	if (*count == *cap) {
		size_t n = *cap ? *cap * 2 : 8;
		char *bigger = arena_array(a, n, size);

		if (*count > 0)
			memcpy(bigger, array, *count * size);
		array = bigger;
		*cap = n;
		memcpy(items, &array, sizeof(array));
	}
	return array + (*count)++ * size;
}
