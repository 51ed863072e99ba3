// Treatment checks of VM scope: what the trial asked for against what the
// running system shows. Each is a row in a table; each adds one or more
// struct check to the result.
#pragma once

#include "runner/agent/smaps.h"
#include "runner/agent/vm.h"
#include "runner/base/arena.h"
#include "runner/record/result.h"

enum {
	// Of transparent huge pages, the share of the memory that must be
	// huge: the kernel may fail to find a few.
	CHECK_THP_PERCENT = 90,
	// What the guest's kernel keeps for itself of its memory, at most:
	// a share, and a fixed part.
	CHECK_GUEST_PERCENT = 10,
	CHECK_GUEST_MIB = 96,
};

// All checks that apply to this VM, in order. Faults only when QEMU or its
// QMP connection fails; a check that cannot be made is `unverified`.
int check_vm(struct vm *vm, struct arena *a, struct result *r,
	     struct fault *f) MUST_CHECK;

// If a check of the result failed: outcome invalid, the reason, and no
// figures, for none of them measures what was asked for.
void check_judge(struct arena *a, struct result *r);

// Whether the mapping is what the backing promises; pure.
bool check_backing_holds(const struct vm_backing *b, uint64_t memory_bytes,
			 const struct smaps *m);
