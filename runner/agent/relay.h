// Bytes both ways between two descriptors and a socket, as they come, until
// the socket's other side ends. The end of `in` is passed on: what was said
// last is heard. Knows nothing of what the bytes mean.
#pragma once

#include "runner/base/err.h"

// Fails only when something other than an end stops it.
int relay_run(int in, int out, int socket, struct err *e) MUST_CHECK;
