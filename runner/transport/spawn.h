// A child of the controller that speaks for a host on one end of a socketpair:
// the agent itself, or the carrier that leads to it. What it writes to standard
// error is kept, bounded, for the sentence about its end.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "runner/base/buf.h"
#include "runner/base/err.h"

enum {
	// What is kept of a child's standard error, from its start.
	SPAWN_ERRORS_MAX = 64 * 1024,
};

struct spawn {
	pid_t pid;  // 0: not started
	int status; // of wait(2), once `ended`
	bool ended;
	int errors; // sealed memfd: its standard error; -1
};

// Runs in the child and does not return. `stream` is its end of the pair,
// `errors` its standard error, which cannot grow past SPAWN_ERRORS_MAX.
typedef void spawn_main(const void *arg, int stream, int errors);

void spawn_init(struct spawn *s);
// Forks. The child has a session of its own, so that Ctrl-C in the terminal
// reaches only the controller, no blocked signals, and SIGPIPE's default.
// Returns the non-blocking, close-on-exec stream, the caller's.
int spawn_start(struct spawn *s, spawn_main *run, const void *arg,
		struct err *e);
// Whether it ended, waiting at most `ms` for it.
bool spawn_reap(struct spawn *s, int ms);
// The end of what it wrote to standard error, as one line; false when nothing.
bool spawn_last_words(const struct spawn *s, char *out, size_t size);
// As transport_ops.obituary, of a child that is the agent or ends as it does.
void spawn_obituary(struct spawn *s, struct buf *out);
// Waits `grace_ms` for its end, then kills it; frees what it holds.
void spawn_deinit(struct spawn *s, int grace_ms);
