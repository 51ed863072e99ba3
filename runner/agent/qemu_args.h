// QEMU's command line for a VM. Pure.
#pragma once

#include "runner/agent/vm_image.h"
#include "runner/agent/vm_spec.h"
#include "runner/base/strv.h"

struct qemu_paths {
	const char *program; // to run
	const char *qmp;     // Unix socket that QEMU connects to
	const char *hooks;   // Unix socket on which hooks find QMP; or NULL
	const char *guest;   // the same as qmp for the port "vrun.agent"
	const char *console; // file that the serial console is written to
};

// spec->accel must be KVM or one of TCG's. The VM starts stopped.
void qemu_args(const struct vm_spec *spec, const struct vm_image *image,
	       const struct qemu_paths *paths, struct strv *out);
