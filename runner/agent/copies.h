// What the controller copied beside the agent for paths that the matrix or the
// inventory names: a QEMU that the host has not, a guest image of the user's.
#pragma once

#include <stdbool.h>

// Words PATH=BUNDLE, the path in hexadecimal. BUNDLE, KIND-HASH, is a directory
// beside the agent's own; "-": the controller has no such thing, either.
#define COPIES_ENV "VRUN_COPIES"

// The bundle of that kind ("qemu-") for a path, as a path; allocated. NULL:
// nothing was told of the path, or, with *nowhere, that neither side has it.
char *copies_find(const char *path, const char *kind, bool *nowhere);
