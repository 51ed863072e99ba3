// A QEMU of this machine as a bundle that runs wherever it is put.
#pragma once

#include "runner/base/err.h"
#include "runner/transport/ssh_bundle.h"

// Of the program at `path`: itself as bin/qemu-system-x86_64, the directories
// in which `PATH -L help` says that it looks for firmware, and its modules, at
// the places below a prefix of their own at which it looks for them (QEMU,
// util/cutils.c, get_relocated_path: relative to its program). Refused are
// scripts, and a QEMU that looks outside of its prefix.
int bundle_qemu(const char *path, struct bundle *out, struct err *e) MUST_CHECK;
