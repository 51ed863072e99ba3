// The conversation with the agent on one host: a connection, one request at a
// time, and the answers to it. Nothing that the agent says is trusted: frames
// are bounded, messages are checked, answers must belong to the request that
// is open, and their number is limited.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "runner/base/err.h"
#include "runner/base/js.h"
#include "runner/proto/message.h"
#include "runner/transport/transport.h"

enum {
	SESSION_ANSWERS_MAX = 4096,	 // to one request
	SESSION_READ_BYTES = 256 * 1024, // taken from the socket at once
};

enum session_status {
	SESSION_MESSAGE, // *out is the next message; the caller deinits it
	SESSION_QUIET,	 // nothing more for now
	SESSION_GONE,	 // the agent ended, or says that it does: e says how
	SESSION_BAD,	 // the agent broke the protocol: e says how
};

struct session;

// Starts the agent on a host. It says hello in its own time.
int session_open(const struct transport_ops *ops,
		 const struct transport_target *target, struct session **out,
		 struct err *e) MUST_CHECK;
int session_fd(const struct session *s);
short session_events(const struct session *s); // for poll(2)

// Sends a request; its id is set here. Answers to an older one are a breach
// from now on. What the socket does not take is kept for session_flush.
void session_ask(struct session *s, enum message_type t, struct js *fields);
void session_flush(struct session *s);
// Tells the agent that somebody is here.
void session_ping(struct session *s);

// Takes in what the socket has; then session_next until it is not
// SESSION_MESSAGE.
void session_receive(struct session *s);
enum session_status session_next(struct session *s, struct message *out,
				 struct err *e);

// Throws away what was received, for an agent that was told to leave. True
// when the connection ended.
bool session_discard(struct session *s);

// Hangs up and waits at most `grace_ms` for the agent to leave.
void session_close(struct session *s, int grace_ms);
