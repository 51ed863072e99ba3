// A byte stream to a host's SSH server: TCP, or what a proxy leads to.
#pragma once

#include <stdint.h>

#include "runner/base/err.h"
#include "runner/transport/ssh_config.h"

// Connects before `deadline_ns` (CLOCK_MONOTONIC) and returns the descriptor,
// a socket. `accept_new` is for the host keys of ProxyJump's hosts; a proxy
// complains on standard error and ends with the stream.
int ssh_connect_stream(const struct ssh_config *c, bool accept_new,
		       int64_t deadline_ns, struct err *e);
