// What the system that the workloads run on is: for the record, and for the
// host's treatment checks. A fact that cannot be read is left out.
#pragma once

#include "runner/base/js.h"

const char *guest_facts_arch(void); // "x86_64"

// {kernel, kernel_version, arch, cmdline, cpus, memory_bytes, cpu_model,
//  hypervisor, clocksource, mitigations: {name: text}, debug: [text]}.
// debug: signs of a kernel built for debugging, empty when none was seen.
struct js *guest_facts(void);
