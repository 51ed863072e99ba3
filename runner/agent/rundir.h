// The agent's private directory: sockets of the VM in hand, leases on host
// settings. $XDG_RUNTIME_DIR/vrun, or /run/vrun for root, or /tmp/vrun-UID;
// mode 0700, and refused when somebody else could write there.
#pragma once

#include "runner/base/err.h"

struct rundir {
	char *base; // shared by the agents of this user; leases live here
	char *own;  // base/PID, of this agent alone
};

// Makes both; removes what agents that are dead left of theirs.
int rundir_open(struct rundir *d, struct err *e) MUST_CHECK;
// Removes the own one and frees the names.
void rundir_close(struct rundir *d);
