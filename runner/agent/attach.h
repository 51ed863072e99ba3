// `vrun-agent attach`: joins its standard input and output to the agent of a
// campaign on this host, which it starts when there is none. That agent
// outlives the connection, up to its lease.
#pragma once

#include "runner/base/err.h"

enum {
	ATTACH_LEASE_MAX_S = 7 * 24 * 3600,
};

// --campaign NAME --lease SECONDS
int attach_main(int argc, char **argv, struct err *e) MUST_CHECK;
