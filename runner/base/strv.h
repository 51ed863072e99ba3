// An argument vector: NULL-terminated strings that it owns.
#pragma once

#include <stddef.h>

#include "runner/base/buf.h"
#include "runner/base/compiler.h"

struct strv {
	char **v; // v[n] == NULL; NULL when empty
	size_t n, cap;
};

#define STRV_INIT          \
	{                  \
		NULL, 0, 0 \
	}

void strv_deinit(struct strv *s); // for CLEANUP, too
void strv_add(struct strv *s, const char *arg);
void strv_addf(struct strv *s, const char *fmt, ...) PRINTF(2, 3);

// The vector as one line that a shell would read back, for people.
void strv_quote(const struct strv *s, struct buf *out);
