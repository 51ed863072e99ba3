// The `restore` request: what agents that died had left changed on this host,
// and who holds it now.
#pragma once

#include "runner/agent/host.h"

enum {
	RESTORE_WAIT_S = 60, // for an agent that is told to end
};

// Answers it. With `force` agents that hold this host are told to end, as by
// SIGTERM: they stop their VM and put back what they changed.
void restore_serve(struct host *h, const struct message *m);
