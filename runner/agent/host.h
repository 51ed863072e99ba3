// The agent on a host: serves one controller on two descriptors, one request
// at a time, until it says bye or goes away. Then no VM is left and the
// host's settings are as before.
#pragma once

#include "runner/agent/link.h"
#include "runner/agent/logs.h"
#include "runner/agent/rundir.h"
#include "runner/agent/settings.h"
#include "runner/agent/vm.h"
#include "runner/agent/watch.h"

// KVM or TCG, decided once for `accel: best`.
struct host_best {
	bool decided;
	enum vm_accel accel;
	char note[1024]; // why not KVM; "" when it is
};

struct host {
	struct link ctl;
	struct watch watch;
	struct rundir dir;
	struct settings settings;
	struct vm vm; // the one that is up, if any
	struct logs logs;
	int64_t boot;	 // the plan's number of its boot
	bool vm_has_fio; // its image
	struct host_best best;
};

// `vrun-agent host`: serves until the controller is done. An error is also
// told to the controller.
int host_main(struct err *e) MUST_CHECK;

// A message to the controller. What cannot be sent shows in the next wait.
void host_send(struct host *h, struct js *msg);
// {stage} of request `id`.
void host_stage(struct host *h, int64_t id, const char *stage);

// Whether the guest really boots under KVM, tried once: accel is KVM or TCG.
// A fault when the agent was told to stop meanwhile.
int host_decide_best(struct host *h, const char *qemu, const char *image,
		     struct fault *f) MUST_CHECK;
