// What is run on a host, and what it is given: the right agent and the guest
// image are there before the agent starts.
#pragma once

#include "runner/transport/ssh_session.h"
#include "runner/transport/transport.h"

// Looks at the host, copies what it lacks, starts the agent. Returns its
// channel, the caller's, with standard input, output and error of the agent;
// NULL with an error.
ssh_channel ssh_remote_start(struct ssh_host *h,
			     const struct transport_target *t, struct err *e);
// Why an agent that ended with a status of the shell's (126, 127) did not run.
void ssh_remote_explain(const struct ssh_host *h, int status, struct err *e);
