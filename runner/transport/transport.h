// How the controller reaches the agent on a host: a small table of
// operations. Every row gives one descriptor that carries the agent's frames
// in both directions, so that one poll loop serves hosts of any kind.
#pragma once

#include <stddef.h>

#include "runner/base/buf.h"
#include "runner/base/err.h"

enum {
	// What is kept of an agent's standard error, from its start.
	TRANSPORT_ERRORS_MAX = 64 * 1024,
};

struct transport; // one open host; each row has its own

struct transport_ops {
	const char *name;
	// Prepares the way to `host`; may return before it is connected.
	struct transport *(*open)(const char *host, struct err *e);
	// Makes the agent for the host's architecture runnable there.
	int (*push)(struct transport *t, struct err *e);
	// Starts the agent. Returns a non-blocking, close-on-exec stream
	// socket that the caller owns; whatever fails later shows as its end.
	int (*exec)(struct transport *t, struct err *e);
	// Appends, as one sentence, how the agent ended and what it said last.
	// Waits for the end at most a second. Call it once the stream ended.
	void (*obituary)(struct transport *t, struct buf *out);
	// Ends the agent, if it runs: waits `grace_ms` for it to leave by
	// itself after its stream was closed, then kills it. Frees t.
	void (*close)(struct transport *t, int grace_ms);
};

extern const struct transport_ops transport_local;

// The row that serves a host's name; NULL when none does.
const struct transport_ops *transport_for(const char *host);
