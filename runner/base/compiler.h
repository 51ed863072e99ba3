// Attributes and scope-bound cleanup that every module uses. Owns nothing.
#pragma once

#include <stddef.h>
#include <stdlib.h>

#define MUST_CHECK	  __attribute__((warn_unused_result))
#define PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

// A variable that is released by `fn` at the end of its scope. Initialise it
// where it is declared.
#define CLEANUP(fn) __attribute__((cleanup(fn)))

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b)                                  \
	({                                         \
		__typeof__(a) min_a_ = (a);        \
		__typeof__(b) min_b_ = (b);        \
		min_a_ < min_b_ ? min_a_ : min_b_; \
	})
#define MAX(a, b)                                  \
	({                                         \
		__typeof__(a) max_a_ = (a);        \
		__typeof__(b) max_b_ = (b);        \
		max_a_ > max_b_ ? max_a_ : max_b_; \
	})

// Give a CLEANUP pointer or descriptor away: its value, leaving it empty.
#define TAKE_PTR(p)                        \
	({                                 \
		__typeof__(p) take_ = (p); \
		(p) = NULL;                \
		take_;                     \
	})
#define TAKE_FD(fd)               \
	({                        \
		int take_ = (fd); \
		(fd) = -1;        \
		take_;            \
	})

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}
