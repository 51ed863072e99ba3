// `vrun-agent qmp SOCKET COMMAND [ARGUMENTS]`: one command to QEMU, for hooks:
// a shell has no other way to speak over a Unix socket that is everywhere.
#pragma once

#include "runner/base/err.h"

// Prints what QEMU returns as one line of JSON. ARGUMENTS is a JSON object.
int qmp_tool_main(int argc, char **argv, struct err *e) MUST_CHECK;
