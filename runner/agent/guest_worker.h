// One run of workloads, or of a hook, in a process of its own.
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "runner/agent/link.h"
#include "runner/agent/workload.h"

struct guest_worker {
	enum message_type type; // of the request: run or hook
	pid_t pid;		// also its process group; 0: none
	int fd;			// its messages come here; -1: none
	struct link link;	// over fd
	int64_t id;		// of the request
	char *stage;		// the last one it told; owned
	bool answered;		// its result has been passed on
};

#define GUEST_WORKER_INIT \
	{                 \
		.fd = -1  \
	}

// Starts what a `run` or `hook` message asks for.
int guest_worker_start(struct guest_worker *w, const struct message *request,
		       struct err *e) MUST_CHECK;

// Takes what the worker sent and passes it on to `to`. When the worker has
// ended without a result, makes one that says how. 1: it has ended and been
// reaped; 0: go on; -1: `to` is gone.
int guest_worker_serve(struct guest_worker *w, struct link *to,
		       struct err *e) MUST_CHECK;

// Tells it that there is nothing more to wait for (`end`).
void guest_worker_end(struct guest_worker *w);

// Kills and reaps it; for CLEANUP, too.
void guest_worker_stop(struct guest_worker *w);

// In the worker: where its messages go.
struct guest_sender {
	int fd; // ends when it is told to
	int64_t id;
};
// Blocking: the agent always reads. When it is gone, so is this process.
void guest_send(const struct guest_sender *s, struct js *msg);
void guest_send_stage(const struct guest_sender *s, const char *stage);

// The place of a trial from a `run` message or a file of the same keys.
struct workload_place guest_place(const struct js *body);
