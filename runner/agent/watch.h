// Everything that the agent listens to while it waits for one thing: signals,
// the controller (which may take its word back or go away), the end of the
// process it depends on, and the clock. One poll(2), no timer ticks: nothing
// wakes up during a measurement.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "runner/agent/child.h"
#include "runner/agent/fault.h"
#include "runner/agent/link.h"

enum {
	WATCH_PENDING_MAX = 64, // requests that a controller may queue
};

enum watch_stop {
	WATCH_GO,
	WATCH_STOP_TRIAL, // the controller asked for it
	WATCH_STOP_ALL,	  // bye, end of the controller's input, a signal
};

// Of an agent that outlives its controllers: they come one after the other
// through `listener`, the newest is served, and when nothing was heard of any
// for `lease_ns` the agent ends: a connection may be dead for hours without
// knowing it.
struct watch_door {
	int listener; // borrowed
	int64_t lease_ns;
	int64_t lease_end_ns;
	// The link is a new controller's.
	void (*attached)(void *arg);
	// A request that a trial in hand answers: true, and it does not wait.
	bool (*joins)(void *arg, const struct message *m);
	void *arg;
};

struct watch {
	int signals;	  // signalfd of TERM, INT, HUP; -1: none
	struct link *ctl; // the controller, or NULL
	enum watch_stop stop;
	const char *why;	 // "the controller is gone", for messages
	bool bye;		 // it was the controller who wants it
	int64_t stop_id;	 // of the `stop` request to answer; 0: none
	struct watch_door *door; // NULL: the agent ends with its controller
	unsigned connection;	 // counts controllers
	struct message pending[WATCH_PENDING_MAX]; // in order of arrival
	size_t npending;
};

struct watch_for {
	int fd;		     // -1: only for the clock and the child
	bool write;	     // until fd is writable, not readable
	struct child *child; // its end is a fault; or NULL
	int64_t deadline_ns; // clock_mono_ns; 0: none
	const char *what;    // "QMP's greeting", for the message
};

// Lets a controller in that waits at the door, if one does.
void watch_admit(struct watch *w);
// Nobody is at the other end of the link any more, or nobody to talk with.
void watch_lose_controller(struct watch *w, const char *why);

// Blocks TERM, INT, HUP for good and reads them from a descriptor.
int watch_init(struct watch *w, struct link *ctl, struct err *e) MUST_CHECK;
void watch_deinit(struct watch *w);

// Returns 0 when fd is ready (even if the child has ended too: its last
// words come first). Faults: the child ended (failed), the deadline passed
// (timeout), or somebody wants the agent to stop (lost).
int watch_wait(struct watch *w, const struct watch_for *what,
	       struct fault *f) MUST_CHECK;

// Waits so long for the child to end by itself; a fault also when its status
// is not 0.
int watch_child_end(struct watch *w, struct child *c, int64_t limit_ns,
		    struct fault *f) MUST_CHECK;

// The next request of the controller, waiting for it: 1 and *out, or 0 when
// the agent is to end.
int watch_request(struct watch *w, struct message *out,
		  struct err *e) MUST_CHECK;
