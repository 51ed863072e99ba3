// Settings that dead agents left changed, put back on many hosts: all are asked
// at once, so that a host that is slow or out of reach holds up no other.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "runner/base/err.h"
#include "runner/base/js.h"
#include "runner/transport/transport.h"

enum {
	RESTORE_ANSWER_S = 90,	// the agent may wait for another to end
	RESTORE_LEAVE_S = 10,	// from bye to its end
	RESTORE_GRACE_MS = 200, // after that
};

// Asks every host; `force`: agents that hold one are to end. (*out)[i] is
// {"host":, "restored": [{file, from, to}], "held": [{pid, campaign, changed}]}
// of targets[i], or {"host":, "error": a sentence}. Fails only when nothing can
// be known of any host.
int restore_ask(const struct transport_target *targets, size_t n, bool force,
		struct js **out, struct err *e) MUST_CHECK;
