// One life of one VM, or of the process that stands in for it under `accel:
// native`: started, connected, pinned, spoken with, stopped. Always reaped.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "runner/agent/child.h"
#include "runner/agent/link.h"
#include "runner/agent/qemu_program.h"
#include "runner/agent/qmp.h"
#include "runner/agent/vm_image.h"
#include "runner/agent/vm_spec.h"
#include "runner/agent/watch.h"
#include "runner/base/js.h"
#include "runner/base/strv.h"

enum {
	// Limits of the stages; the trial's own limit comes on top.
	VM_QMP_S = 20,	      // exec to QMP's greeting...
	VM_QMP_PER_GIB_S = 2, // ... and for touching the memory before it
	VM_BOOT_S = 120,      // start of the guest to its hello
};

#define VM_HOOK_QMP "qmp-hooks"

struct vm_vcpu {
	pid_t tid;    // QEMU's thread
	int index;    // of the CPU in the guest
	int want_cpu; // pinned to this CPU of the host; -1: free
};

struct vm {
	struct vm_spec spec; // strings live in `request`
	struct js *request;  // the trial's `vm` object, referenced
	struct vm_image image;
	struct qemu_program program; // none under `accel: native`
	struct strv argv;
	struct child child;
	struct qmp qmp;	   // closed under `accel: native`
	struct link guest; // connected once QEMU is up
	int guest_fd;	   // owned
	struct js *hello;  // the guest agent's first message
	char *console;	   // file, or NULL
	struct vm_vcpu *vcpus;
	size_t nvcpus;
	struct watch *watch; // borrowed
	// On CLOCK_MONOTONIC; 0 when not reached.
	int64_t exec_ns, qmp_ns, cont_ns, hello_ns;
};

struct vm_boot {
	const struct js *request; // the `vm` object
	enum vm_accel accel;	  // what "best" was decided to be
	const char *dir;	  // where console and log go; exists
	const char *rundir;	  // private directory for the sockets
	struct qemu_sums *sums;	  // of the programs that ran before
	bool want_fio;
	bool for_hooks;	     // a second QMP socket, rundir/VM_HOOK_QMP
	int64_t deadline_ns; // of the trial
	int64_t boot_ns;     // limit for the guest to say hello
	struct watch *watch;
	// Told of each stage as it begins: "exec", "qmp", "boot".
	void (*stage)(void *arg, const char *stage);
	void *arg;
};

void vm_init(struct vm *vm);
bool vm_is_up(const struct vm *vm);

// Boots to the guest agent's hello. On failure what there is of the VM stays,
// to be looked at, until vm_stop.
int vm_boot(struct vm *vm, const struct vm_boot *b, struct fault *f) MUST_CHECK;

// The same up to a running guest that nobody listens to: exec, QMP, pin,
// start. For guests without an agent.
int vm_start(struct vm *vm, const struct vm_boot *b,
	     struct fault *f) MUST_CHECK;

// Waits for the next message of the guest agent.
int vm_receive(struct vm *vm, int64_t deadline_ns, const char *what,
	       struct message *out, struct fault *f) MUST_CHECK;
// Takes msg over.
int vm_send(struct vm *vm, struct js *msg, struct fault *f) MUST_CHECK;

// Adds to the fault what QEMU and the console know of it: a run state other
// than running (a KVM error pauses a VM for good), a panic, a reset in the
// boot, the last words.
void vm_explain(struct vm *vm, struct fault *f);

// Stops and forgets; nothing when there is none.
void vm_stop(struct vm *vm);
