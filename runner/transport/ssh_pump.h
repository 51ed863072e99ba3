// Carries bytes between the controller and the agent's channel, in both
// directions, until one of them ends. What one side does not take, the other
// is not read for; a server that does not answer is given up.
#pragma once

#include "runner/transport/ssh_session.h"

enum {
	PUMP_BYTES = 64 * 1024, // held in each direction
};

// `stream` is the controller's, standard error that of the agent. Returns the
// agent's exit status; -1 with an error when the connection ended before it.
int ssh_pump(struct ssh_host *h, ssh_channel channel, int stream,
	     struct err *e);
