// The inside of a campaign, shared by campaign.c (loop), host.c (one host's
// states), trial.c (one trial on it) and show.c (what people see). Nobody else
// includes this.
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "runner/campaign/campaign.h"
#include "runner/campaign/live.h"
#include "runner/campaign/session.h"

enum {
	HOST_FACTS_S = 60,
	HOST_PREFLIGHT_S = 600, // it boots guests and compacts memory
	HOST_SETTINGS_S = 300,
	HOST_LEAVING_S = 60,	// VM stopped, huge pages given back
	HOST_TRIAL_GRACE_S = 5, // and half of its own time-out, beyond that
	HOST_STOPPING_S = 60,
	HOST_BACKOFF_MS = 250,	     // doubles with each loss...
	HOST_BACKOFF_MAX_MS = 30000, // ... up to this
	HOST_PINGS = 4,		     // in a lease
	HOST_AWAY_GRACE = 4,   // 1/4 beyond the lease, then it is given up
	HOST_GRACE_MS = 10000, // for an agent that was hung up on
	HOST_CARRIER_MS = 200, // for what only leads to one
	HOST_STAGE_MAX = 64,
	HOST_CLOCK_SET_MS = 100, // less is how far two readings are apart
};

enum host_state {
	HOST_GREETING,	// until hello
	HOST_FACTS,	// until facts
	HOST_PREFLIGHT, // until done
	HOST_READY,	// prepared; until campaign_run
	HOST_STOPPING,	// until done: a trial that nobody wants any more
	HOST_SETTINGS,	// until done
	HOST_TRIAL,	// until result
	HOST_RESTING,	// cooldown between trials
	HOST_BACKOFF,	// until the next agent is started
	HOST_LEAVING,	// bye was said; until the connection ends
	HOST_AWAY,	// no more
};

enum campaign_stop {
	CAMPAIGN_GO_ON,
	CAMPAIGN_FINISH_TRIALS,
	CAMPAIGN_STOP_NOW,
};

struct host {
	struct campaign *c;
	const char *name;
	struct transport_target target;
	const char *qemu; // for cells that name none
	uint32_t index;
	uint32_t first_trial;
	enum host_state state;
	int64_t deadline_ns; // of the state; INT64_MAX: none
	int64_t ping_ns;     // when to say next that vrun is here, likewise
	const struct transport_ops *ops;
	struct session *session;
	unsigned losses; // agents in a row that ended without a result
	unsigned tries;	 // to connect again, since it was last heard of
	int64_t lost_ns; // when the first of them began
	char *missing;	 // why it takes no part any more, or NULL
	struct js *facts, *agent;
	bool ready;    // preflight is done
	bool prepared; // this life of the agent has the settings

	struct schedule_step step; // HOST_TRIAL, and while pending
	bool pending; // its trial may go on out of reach, or wait to be handed
		      // over
	bool overdue; // nothing was heard of the trial for too long
	char stage[HOST_STAGE_MAX];
	size_t artifacts, artifact_bytes; // of this attempt so far
	int64_t started_ns;
	char *error;	  // of the last trial that went wrong, or NULL
	size_t measured;  // trials by this run
	int64_t spent_ns; // on them, cooldown included
};

struct campaign {
	const struct plan *plan;
	const struct transport_ops *ops;
	struct progress *progress;
	const struct js *hooks;
	struct host *hosts;
	struct findings *findings; // during campaign_prepare
	struct schedule *schedule;
	struct live *live;
	struct stopping_test boundaries; // with a stopping rule, once attached
	bool decided;			 // it said so
	const struct store *store;	 // once attached
	struct journal *journal;
	enum campaign_stop stop;
	int64_t set_ns; // wall clock less uptime, as of the last record
	bool running;	// campaign_run
	int signals;	// signalfd
	sigset_t former_signals;
};

// host.c. -1 only when the whole campaign has to end (ERR_STORE); a failure
// of the host is a change of its state.
void host_connect(struct host *h);
int host_read(struct host *h, struct err *e) MUST_CHECK;
void host_ping(struct host *h);
int host_time_out(struct host *h, struct err *e) MUST_CHECK;
// What is next in campaign_run: a trial that is pending, settings, a trial.
int host_begin(struct host *h, struct err *e) MUST_CHECK;
void host_enter(struct host *h, enum host_state state, int64_t in_ns);
void host_leave(struct host *h); // says bye
// Hangs up without bye: an agent that outlives it keeps what it holds.
void host_hang_up(struct host *h);
// The agent is no use any more. A trial in hand ends with `o`; on a host whose
// agent outlives the connection, OUTCOME_LOST is only the connection's.
int host_break(struct host *h, enum outcome o, const char *why,
	       struct err *e) MUST_CHECK;
// Whether its agent outlives the connection.
bool host_lasts(const struct host *h);
// Whether the agent said that it has this attempt, done or in hand.
bool host_holds(const struct host *h, const struct schedule_step *step);
// It was heard of: it is as near as ever.
void host_heard(struct host *h);

// trial.c
int trial_next(struct host *h, struct err *e) MUST_CHECK;
// Goes on with the trial that is pending, or records that it is lost.
int trial_rejoin(struct host *h, struct err *e) MUST_CHECK;
int trial_message(struct host *h, const struct message *m,
		  struct err *e) MUST_CHECK;
// Ends the trial in hand without a result of the agent's.
int trial_end(struct host *h, enum outcome o, const char *why,
	      struct err *e) MUST_CHECK;
// What a former run left unfinished: pending where an agent holds it or may
// hold it, else recorded as lost.
int trial_take_unfinished(struct campaign *c, struct err *e) MUST_CHECK;
// How long an agent may be silent in a trial.
int64_t trial_patience_ns(const struct plan *p);

// show.c
void show_fill(void *campaign, struct arena *a, struct view *v);
void show_change(const struct host *h); // the view is out of date
void show_finished(struct host *h, const struct record *r, int64_t took_ns);
