// A framed conversation over non-blocking descriptors: bytes in, messages
// out, and the other way round. Owns its buffers, not its descriptors.
#pragma once

#include <stdbool.h>

#include "runner/base/buf.h"
#include "runner/base/err.h"
#include "runner/base/js.h"
#include "runner/proto/message.h"

enum {
	// What may wait unsent: a peer that does not read for so long is gone.
	LINK_UNSENT_MAX = 32 << 20,
};

struct link {
	int in, out;	  // the same for a socket; -1 when closed
	const char *peer; // names it in errors; borrowed
	struct buf got, unsent;
};

void link_init(struct link *l, int in, int out, const char *peer);
void link_deinit(struct link *l);

// Reads what is there. 0: go on; 1: end of file; -1: error.
int link_read(struct link *l, struct err *e) MUST_CHECK;

// The next whole message. 1 and *out (message_deinit it), 0 when there is
// none yet, -1 when the peer does not speak the protocol.
int link_next(struct link *l, struct message *out, struct err *e) MUST_CHECK;

// Queues msg, which it takes over, and sends what goes without waiting.
int link_send(struct link *l, struct js *msg, struct err *e) MUST_CHECK;
int link_flush(struct link *l, struct err *e) MUST_CHECK;
bool link_wants_write(const struct link *l);
