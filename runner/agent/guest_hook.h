// A hook in the guest: runs one in a worker's process (guest_worker.h).
#pragma once

#include "runner/agent/guest_worker.h"

// Answers a `hook` message: its files, then its result. Below $TMPDIR or /tmp
// is what it needs meanwhile.
void guest_hook_work(const struct message *request, struct guest_sender *s);
