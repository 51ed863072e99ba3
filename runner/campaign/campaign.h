// One run of a plan over its hosts: a state machine per host, and one poll
// loop for all of them. First every host is prepared (connect, facts,
// preflight), then the trials run; what happens is in the journal before
// anything else happens on that host.
//
// Ctrl-C (and a closed terminal) lets the trials in hand end and stops;
// a second one, and SIGTERM, stop at once. Either way what was measured is
// kept and the campaign can be resumed.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "runner/base/err.h"
#include "runner/base/js.h"
#include "runner/campaign/journal.h"
#include "runner/campaign/preflight.h"
#include "runner/campaign/progress.h"
#include "runner/campaign/schedule.h"
#include "runner/campaign/store.h"
#include "runner/plan/plan.h"
#include "runner/transport/transport.h"

enum {
	CAMPAIGN_LOSSES_MAX = 3, // agents in a row that ended without a result
};

struct campaign;

// Borrows plan, progress and the texts of `targets` until campaign_free.
// targets[i] says how host i of the plan is reached; NULL: by its name alone.
// `ops` serves every host; NULL: each target tells. Takes over SIGINT, SIGTERM
// and SIGHUP.
struct campaign *campaign_new(const struct plan *plan,
			      const struct transport_target *targets,
			      const struct transport_ops *ops,
			      struct progress *progress);
// The QEMU of host i of the plan, for cells that name none; "": of its PATH.
// Borrowed. Before campaign_prepare.
void campaign_set_qemu(struct campaign *c, size_t i, const char *qemu);
// Hangs up on every host. The signals are as before.
void campaign_free(struct campaign *c);
void campaign_freep(struct campaign **c);

// The hooks with their programs (hooks.h), borrowed until campaign_free.
void campaign_set_hooks(struct campaign *c, const struct js *hooks);

// Connects to every host, asks for its facts and looks whether it can do what
// the plan needs; adds what was found. A host that cannot be reached is a
// finding, too. Fails when interrupted, or when no host is left (ERR_HOST).
int campaign_prepare(struct campaign *c, struct findings *f,
		     struct err *e) MUST_CHECK;

// {"host":, "agent":, "facts":, "findings":} of each host, for hosts.json.
struct js *campaign_hosts(const struct campaign *c, const struct findings *f);

// Where the trials go, and what happened before. `log` is NULL for a new
// campaign. Of its trials that never ended, those that an agent holds are
// collected by campaign_run; those of hosts that are away, whose agents may
// hold them, stay open; the others are recorded as lost here.
int campaign_attach(struct campaign *c, const struct store *store,
		    struct journal *journal, const struct journal_log *log,
		    struct err *e) MUST_CHECK;
// Runs what is left of the plan on the prepared hosts, then lets the agents
// put their hosts back as they were. Fails when interrupted (ERR_INTERRUPTED)
// and when the store fails (ERR_STORE); a host that fails is named and counts.
int campaign_run(struct campaign *c, struct err *e) MUST_CHECK;
// Lets the agents go without running anything.
void campaign_dismiss(struct campaign *c);

struct schedule_counts campaign_count(const struct campaign *c);
size_t campaign_missing(const struct campaign *c); // hosts that dropped out
