// The process that speaks SSH for one host: it alone uses libssh, so that
// nothing that a server does can block the controller or grow its memory.
#pragma once

#include "runner/transport/transport.h"

enum {
	CARRIER_FAILED = 255,		 // exit status: its last words say why
	CARRIER_MEMORY_BYTES = 64 << 20, // beyond what it begins with
};

// In the child: reaches the host, starts the agent, carries its bytes, exits.
// `arg` is the struct transport_target. The exit status is the agent's own.
void carrier_main(const void *arg, int stream, int errors);
