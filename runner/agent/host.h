// The agent on a host: serves one controller, one request at a time, until it
// says bye or goes away; with a post, until it stays away for longer than the
// lease. Then no VM is left and the host's settings are as before.
#pragma once

#include "runner/agent/hooks.h"
#include "runner/agent/link.h"
#include "runner/agent/logs.h"
#include "runner/agent/rundir.h"
#include "runner/agent/settings.h"
#include "runner/agent/spool.h"
#include "runner/agent/vm.h"
#include "runner/agent/watch.h"

// KVM or TCG, decided once for `accel: best`.
struct host_best {
	bool decided;
	enum vm_accel accel;
	char note[1024]; // why not KVM; "" when it is
};

enum {
	HOST_LIFE_CHARS = 32,
	HOST_STAGE_MAX = 64,
};

// Where an agent stands that outlives its controllers.
struct host_post {
	const char *campaign;
	int64_t lease_ns;
	int listener; // borrowed
};

struct host {
	struct link ctl;
	struct watch watch;
	struct watch_door door; // with a post
	struct spool spool;
	char life[HOST_LIFE_CHARS + 1];
	struct buf warning; // for hello
	// The request that is being served: its id, and the connection that
	// asked. Answers to one that is gone are dropped.
	int64_t asked;
	unsigned asker;
	char stage[HOST_STAGE_MAX]; // of the trial in hand
	struct rundir dir;
	struct settings settings;
	struct vm vm; // the one that is up, if any
	struct qemu_sums sums;
	struct logs logs;
	struct hooks hooks;
	int64_t boot;	 // the plan's number of its boot
	bool vm_has_fio; // its image
	struct host_best best;
};

// Serves on standard input and output until the controller is done, or at a
// post. An error is also told to the controller.
int host_main(const struct host_post *post, struct err *e) MUST_CHECK;

// An answer to the request that is being served; the id is set here. What
// cannot be sent shows in the next wait.
void host_answer(struct host *h, enum message_type t, struct js *fields);
// {stage} of the trial in hand.
void host_stage(struct host *h, const char *stage);

// Whether the guest really boots under KVM, tried once: accel is KVM or TCG.
// A fault when the agent was told to stop meanwhile.
int host_decide_best(struct host *h, const char *qemu, const char *image,
		     struct fault *f) MUST_CHECK;
