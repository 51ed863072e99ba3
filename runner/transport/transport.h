// How the controller reaches the agent on a host: a small table of
// operations. Every row gives one descriptor that carries the agent's frames
// in both directions, so that one poll loop serves hosts of any kind.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/base/buf.h"
#include "runner/base/err.h"

enum {
	TRANSPORT_CAMPAIGN_MAX = 128, // characters of a campaign's name
};

// A host and how it is to be reached. Texts are borrowed for as long as the
// transport is open.
struct transport_target {
	const char *name;	 // of the host, as records have it
	const char *destination; // [user@]host[:port] or a Host of
				 // ~/.ssh/config; NULL: the name
	const char *campaign;	 // names this campaign's agent on the host,
				 // [A-Za-z0-9._-]{1,128}; NULL: none
	const char *image;	 // local directory of the built-in guest image;
				 // NULL: no trial needs it
	bool image_with_fio;	 // its initrd with fio is needed, too
	// Other images that its trials name: those that are here are copied to
	// the host.
	const char *const *images;
	size_t nimages;
	// Absolute paths of the QEMUs that its trials name: those that the host
	// has not are copied there, if they are programs here.
	const char *const *qemus;
	size_t nqemus;
	int64_t lease_ns;   // how long the agent waits for a controller that
			    // it lost; 0: it ends with the connection
	int64_t connect_ns; // time-out of connecting; 0: the transport's own
	bool accept_new_host_key; // of a host that was never seen before
};

struct transport; // one open host; each row has its own

struct transport_ops {
	const char *name;
	unsigned hello_s; // what may pass before the agent says hello
	// With a campaign and a lease in the target, the agent outlives the
	// connection.
	bool lasts;
	// Prepares the way to a host; may return before it is connected.
	struct transport *(*open)(const struct transport_target *target,
				  struct err *e);
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

extern const struct transport_ops transport_local, transport_ssh;

// The row that serves a host: this machine for the names "local" and
// "localhost" without a destination, else SSH.
const struct transport_ops *transport_for(
	const struct transport_target *target);
