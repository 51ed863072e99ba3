// What a run cost on the host: QEMU's CPU time and memory, and what the host's
// own hypervisor stole meanwhile.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "runner/agent/vm.h"
#include "runner/base/arena.h"
#include "runner/record/result.h"

struct sample {
	bool valid; // not without a VM, nor where /proc does not tell
	uint64_t cpu_ns, steal_ns;
};

struct sample sample_take(const struct vm *vm);
// Adds qemu.cpu, host.steal and qemu.rss since `before`.
void sample_add(const struct sample *before, const struct vm *vm,
		struct arena *a, struct result *r);
