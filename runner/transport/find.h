// Where the files are that a host needs from here: the agent of its
// architecture, the built-in guest image.
#pragma once

#include "runner/base/err.h"

// The agent for an architecture ("x86_64", "aarch64"); allocated, NULL with an
// error that says how to make it. $VRUN_AGENT names the one of this machine's
// own architecture; the others, and it, too, otherwise, are in $VRUN_AGENT_DIR,
// beside vrun in a build tree, or where `make install` puts them. Their name
// is vrun-agent for the own architecture, vrun-agent-ARCH for the others.
char *find_agent(const char *arch, struct err *e);
// Of this machine, as uname(2) has it. Allocated.
char *find_own_arch(void);
// The directory of the built-in guest image; allocated. $VRUN_GUEST, or beside
// vrun, or where `make install` puts it; NULL when there is none.
char *find_image(void);
