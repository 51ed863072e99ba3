// QEMU's machine protocol: JSON lines over a Unix socket, one command at a
// time. What QEMU sends is bounded and checked; events are counted, and one
// that says the guest cannot go on is remembered.
// Contract: docs/interop/qmp-spec of QEMU.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "runner/agent/watch.h"
#include "runner/base/buf.h"
#include "runner/base/js.h"

enum {
	QMP_LINE_MAX = 1 << 20,
	QMP_EVENTS_MAX = 10000, // between a command and its answer
	QMP_ANSWER_S = 10,
};

struct qmp {
	int fd; // owned; -1: closed
	struct buf got;
	char version[64];    // "7.2.22 (Debian 1:7.2+dfsg-7)"
	char last_event[64]; // "STOP", or ""
	struct watch *watch; // borrowed
	struct child *child; // QEMU; borrowed
};

struct qmp_peer {
	int fd; // a connected non-blocking socket
	struct watch *watch;
	struct child *child; // NULL: only the socket tells of its end
	int64_t deadline_ns; // for the greeting
};

// Takes over the socket; reads the greeting and negotiates capabilities.
// Closes it on failure.
int qmp_open(struct qmp *q, const struct qmp_peer *peer,
	     struct fault *f) MUST_CHECK;
void qmp_close(struct qmp *q);

// Sends a command and waits for its answer, at most QMP_ANSWER_S. `args` is
// taken over (NULL: none). *ret (js_unref it) is the "return" value. QEMU's
// own error is a fault that quotes it.
int qmp_command(struct qmp *q, const char *name, struct js *args,
		struct js **ret, struct fault *f) MUST_CHECK;
