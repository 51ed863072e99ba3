// The agent's private directory: sockets of the VM in hand, leases on host
// settings. $VRUN_RUNDIR if that is set; /run/vrun for root, wherever root
// comes from, so that all who can change the host see each other's leases;
// $XDG_RUNTIME_DIR/vrun or /tmp/vrun-UID for others. Mode 0700, and refused
// when somebody else could write there.
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

// The shared one alone, made and private; NULL with an error, the caller frees.
char *rundir_base(struct err *e) MUST_CHECK;
// A directory of this user alone, made if need be, but not its parents.
int rundir_make_private(const char *path, struct err *e) MUST_CHECK;
// Where agents keep what must survive a reboot, made private; one that is there
// already may be readable by others:
// $VRUN_STATEDIR; /var/lib/vrun for root; $XDG_STATE_HOME/vrun or
// ~/.local/state/vrun for others. NULL with an error; the caller frees.
char *rundir_state(struct err *e) MUST_CHECK;
