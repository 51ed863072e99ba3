// Why a file that is there cannot be executed, told from its first bytes.
#pragma once

#include "runner/agent/fault.h"

// Adds to the fault, which says that `path` could not be executed, what that
// comes from where it shows: an interpreter or a loader that is missing, a
// program for another machine, no program at all.
void program_explain(const char *path, struct fault *f);
