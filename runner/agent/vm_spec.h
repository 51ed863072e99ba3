// What a trial asks of its VM, read from the `vm` object of the request and
// checked. Pure. Strings are borrowed from the JSON tree.
#pragma once

#include <stdint.h>

#include "runner/base/err.h"
#include "runner/base/js.h"

enum {
	VM_CPUS_MAX = 4096,
	VM_QEMU_ARGS_MAX = 256,
};

enum vm_accel {
	VM_KVM,
	VM_TCG,
	VM_TCG_SINGLE,
	VM_NATIVE, // no VM: the guest agent runs on the host
	VM_BEST,   // KVM where the guest really boots under it, else TCG
};

struct vm_backing {
	const char *name;    // "hugetlb-2M"
	uint64_t page_bytes; // the page size that smaps must show
	bool hugetlb, thp;
};

struct vm_spec {
	enum vm_accel accel;
	const struct vm_backing *backing;
	const char *qemu;    // "" = the architecture's, from PATH
	const char *machine; // "q35"
	const char *cpu;     // "" = host under KVM, max under TCG
	const char *pin;     // CPU list, or ""
	const char *image;   // "builtin" or a directory
	const char *append;  // added to the kernel's command line
	int cpus;
	uint64_t memory_bytes;
	const struct js *qemu_args; // array of strings, or NULL
};

int vm_spec_from_js(const struct js *vm, struct vm_spec *out,
		    struct err *e) MUST_CHECK;

const char *vm_accel_name(enum vm_accel a);
// NULL when there is no such backing.
const struct vm_backing *vm_backing_find(const char *name);
