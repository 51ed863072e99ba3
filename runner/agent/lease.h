// How this host was before the agent changed it: written to a file before the
// first change, put back at the end, and by the next agent when this one dies
// first. The lease of a living agent is respected. Agents that come, go or take
// at the same moment wait for one another, at most LEASE_LOCK_S.
#pragma once

#include "runner/base/err.h"
#include "runner/base/js.h"

enum {
	LEASE_BYTES_MAX = 1 << 20, // of a lease file
	LEASE_VALUE_MAX = 1024,	   // bytes of one value
	LEASE_LOCK_S = 30,	   // for another agent to put its values back
};

struct lease {
	char *dir;	  // where the leases of this user's agents are
	char *file;	  // own lease file
	struct js *saved; // {path: value before}; NULL: nothing changed
	// What was put back for agents that are dead: [{file, from, to}].
	struct js *restored;
	const char *campaign; // borrowed, for the lease; NULL: not known
};

// Puts back what agents that are dead left changed.
int lease_init(struct lease *l, const char *dir, struct err *e) MUST_CHECK;
// The same again, for agents that died meanwhile.
int lease_recover(struct lease *l, struct err *e) MUST_CHECK;
// Appends the living agents that have changed this host: {pid, campaign,
// changed: [{file, from, to}]}, where `to` is the value before.
int lease_holders(const struct lease *l, struct js *out,
		  struct err *e) MUST_CHECK;
// Frees; does not restore.
void lease_deinit(struct lease *l);

// Call it before a change. Remembers, durably, how the files that are keys of
// `files` are now, unless they are remembered already; before that, those of
// `back` (NULL: none) are put back and stay in the lease. An error, and
// nothing is done, when another living agent has changed this host.
int lease_take(struct lease *l, const struct js *files, const struct js *back,
	       struct err *e) MUST_CHECK;
// All as it was; the file is removed. On failure it stays, for an agent that
// may do more.
int lease_restore(struct lease *l, struct err *e) MUST_CHECK;
