// Where the agent of a campaign and its controllers meet: campaign-NAME in
// the agents' private directory, with a lock that the agent holds as long as
// it lives, a socket, and a log of what it says on standard error.
#pragma once

#include <stdbool.h>

#include "runner/base/err.h"

struct meeting {
	char *dir;
	int lock;     // of the agent; -1 elsewhere
	int listener; // likewise; -1 once the agent is leaving
};

// `campaign` is a good name of spool.h. Makes the directories.
int meeting_init(struct meeting *m, const char *campaign,
		 struct err *e) MUST_CHECK;
void meeting_deinit(struct meeting *m); // for CLEANUP, too

// A stream socket to the agent; -1 when none listens.
int meeting_connect(const struct meeting *m);
// Takes the lock and listens: 1. 0: another agent lives, or is just leaving.
int meeting_occupy(struct meeting *m, struct err *e) MUST_CHECK;
// Standard input and output become /dev/null, standard error the log.
int meeting_take_stdio(const struct meeting *m, struct err *e) MUST_CHECK;
// The agent has left: the directory goes, the lock last.
void meeting_leave(struct meeting *m);

// Removes the directories below `base` whose agents died.
void meeting_sweep(const char *base);
