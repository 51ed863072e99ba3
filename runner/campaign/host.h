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
	HOST_BACKOFF_MS = 250,	// doubles with each loss
	HOST_GRACE_MS = 10000,	// for an agent that was hung up on
	HOST_STAGE_MAX = 64,
};

enum host_state {
	HOST_GREETING,	// until hello
	HOST_FACTS,	// until facts
	HOST_PREFLIGHT, // until done
	HOST_READY,	// prepared; until campaign_run
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
	struct session *session;
	unsigned losses; // agents in a row that ended without a result
	char *missing;	 // why it takes no part any more, or NULL
	struct js *facts, *agent;

	struct schedule_step step; // HOST_TRIAL
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
	bool running; // campaign_run
	int signals;  // signalfd
	sigset_t former_signals;
};

// host.c. -1 only when the whole campaign has to end (ERR_STORE); a failure
// of the host is a change of its state.
void host_connect(struct host *h);
int host_read(struct host *h, struct err *e) MUST_CHECK;
int host_time_out(struct host *h, struct err *e) MUST_CHECK;
int host_begin(struct host *h, struct err *e) MUST_CHECK; // of campaign_run
void host_enter(struct host *h, enum host_state state, int64_t in_ns);
void host_leave(struct host *h); // says bye
// The agent is no use any more. A trial in hand ends with `o`.
int host_break(struct host *h, enum outcome o, const char *why,
	       struct err *e) MUST_CHECK;

// trial.c
int trial_next(struct host *h, struct err *e) MUST_CHECK;
int trial_message(struct host *h, const struct message *m,
		  struct err *e) MUST_CHECK;
// Ends the trial in hand without a result of the agent's.
int trial_end(struct host *h, enum outcome o, const char *why,
	      struct err *e) MUST_CHECK;
// Records as lost what a former run left unfinished.
int trial_lose_unfinished(struct campaign *c, struct err *e) MUST_CHECK;

// show.c
void show_fill(void *campaign, struct arena *a, struct view *v);
void show_change(const struct host *h); // the view is out of date
void show_finished(struct host *h, const struct record *r, int64_t took_ns);
