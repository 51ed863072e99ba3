// The states of one host: how it is reached, prepared, given up and let go.
#include "runner/campaign/host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/campaign/hooks.h"

typedef int message_fn(struct host *h, const struct message *m, struct err *e);
typedef int time_fn(struct host *h, struct err *e);

static message_fn on_hello, on_facts, on_preflight, on_stopped, on_settings;
static time_fn reconnect, hang_up, look_again;

// What a host may say in a state, how long it may take, and what happens when
// the time is up (by default the agent counts as broken).
static const struct state_row {
	const char *waits_for;
	int seconds; // 0: no limit, or set on entry
	message_fn *on_message;
	time_fn *on_time;
} rows[] = {
	[HOST_GREETING] = { "hello", 0, on_hello, NULL },
	[HOST_FACTS] = { "the host's facts", HOST_FACTS_S, on_facts, NULL },
	[HOST_PREFLIGHT] = { "the end of the preflight", HOST_PREFLIGHT_S,
			     on_preflight, NULL },
	[HOST_READY] = { "nothing", 0, NULL, NULL },
	[HOST_STOPPING] = { "the end of a trial that nobody wants",
			    HOST_STOPPING_S, on_stopped, NULL },
	[HOST_SETTINGS] = { "the end of its settings", HOST_SETTINGS_S,
			    on_settings, NULL },
	[HOST_TRIAL] = { "a result", 0, trial_message, look_again },
	[HOST_RESTING] = { "nothing", 0, NULL, host_begin },
	[HOST_BACKOFF] = { "nothing", 0, NULL, reconnect },
	[HOST_LEAVING] = { "nothing", HOST_LEAVING_S, NULL, hang_up },
	[HOST_AWAY] = { "nothing", 0, NULL, NULL },
};

void host_enter(struct host *h, enum host_state state, int64_t in_ns)
{
	if (in_ns == 0)
		in_ns = rows[state].seconds * NS_PER_S;
	h->state = state;
	h->deadline_ns = in_ns == 0 ? INT64_MAX : clock_mono_ns() + in_ns;
	show_change(h);
}

bool host_lasts(const struct host *h)
{
	return h->ops != NULL && h->ops->lasts && h->target.lease_ns > 0 &&
	       h->target.campaign != NULL;
}

bool host_holds(const struct host *h, const struct schedule_step *step)
{
	const struct js *holds = js_get(h->agent, "holds");

	return holds != NULL &&
	       js_get_int(holds, "trial", -1) == step->trial->id &&
	       js_get_int(holds, "attempt", -1) == step->attempt;
}

void host_heard(struct host *h)
{
	h->tries = 0;
	h->overdue = false;
}

// A carrier has nothing to put in order; an agent that is hung up on has.
static void close_session(struct host *h)
{
	session_close(h->session,
		      host_lasts(h) ? HOST_CARRIER_MS : HOST_GRACE_MS);
	h->session = NULL;
}

void host_hang_up(struct host *h)
{
	close_session(h);
	host_enter(h, HOST_AWAY, 0);
}

static int hang_up(struct host *h, struct err *e)
{
	(void)e;
	host_hang_up(h);
	return 0;
}

// It takes no part any more; the others go on.
static void drop(struct host *h, const char *why)
{
	const char *pending = h->pending ? "; its agent may hold the trial in "
					   "hand: vrun resume asks for it"
					 : "";

	free(h->missing);
	h->missing = xstrdup(why);
	if (h->c->running)
		progress_say(h->c->progress, true,
			     "vrun: host %s is given up: %s%s", h->name, why,
			     pending);
	else
		findings_add(h->c->findings,
			     &(struct finding){ .host = h->name,
						.check = "agent",
						.level = FINDING_WARN,
						.what = why });
	h->pending = false;
	host_enter(h, HOST_AWAY, 0);
}

// Whether it is to be waited for: a trial in hand is, also when no other one
// is to begin.
static bool is_wanted(const struct host *h)
{
	const struct campaign *c = h->c;

	if (c->stop == CAMPAIGN_STOP_NOW || h->losses >= CAMPAIGN_LOSSES_MAX)
		return false;
	if (!c->running && !(host_lasts(h) && h->ready))
		return false;
	return c->stop == CAMPAIGN_GO_ON || h->pending;
}

static bool is_too_long(const struct host *h)
{
	int64_t lease = h->target.lease_ns;

	return clock_mono_ns() - h->lost_ns > lease + lease / HOST_AWAY_GRACE;
}

static int64_t wait_ns(unsigned tries)
{
	int64_t ms = HOST_BACKOFF_MAX_MS;

	if (tries < 8)
		ms = MIN((int64_t)HOST_BACKOFF_MS << tries, ms);
	return ms * NS_PER_MS;
}

static void back_off(struct host *h, const char *why)
{
	if (!host_lasts(h))
		h->losses++;
	else if (h->tries == 0)
		h->lost_ns = clock_mono_ns();
	if (!is_wanted(h) || (host_lasts(h) && is_too_long(h))) {
		drop(h, why);
		return;
	}
	if (h->tries == 0 || !host_lasts(h))
		progress_say(h->c->progress, true,
			     "vrun: host %s: %s; trying again%s", h->name, why,
			     h->pending ? ", its trial goes on there" : "");
	host_enter(h, HOST_BACKOFF,
		   wait_ns(host_lasts(h) ? h->tries++ : h->losses - 1));
}

int host_break(struct host *h, enum outcome o, const char *why, struct err *e)
{
	bool lasts = host_lasts(h);

	if (h->state == HOST_TRIAL && lasts && o == OUTCOME_LOST)
		h->pending = true;
	else if (h->state == HOST_TRIAL && trial_end(h, o, why, e) < 0)
		return -1;
	// That one cannot be reached says nothing about its agent.
	if (lasts && o != OUTCOME_LOST && h->state != HOST_GREETING)
		h->losses++;
	close_session(h);
	h->prepared = h->prepared && lasts;
	back_off(h, why);
	return 0;
}

// The connection may be dead without knowing it, while the trial goes on.
static int look_again(struct host *h, struct err *e)
{
	static const char why[] = "nothing was heard of its trial for too long";
	bool first = host_lasts(h) && !h->overdue;

	h->overdue = true;
	return host_break(h, first ? OUTCOME_LOST : OUTCOME_TIMEOUT, why, e);
}

static const struct transport_ops *ops_of(const struct host *h)
{
	return h->c->ops != NULL ? h->c->ops : transport_for(&h->target);
}

void host_connect(struct host *h)
{
	struct err e = { 0 };

	h->ops = ops_of(h);
	host_enter(h, HOST_GREETING, h->ops->hello_s * NS_PER_S);
	if (session_open(h->ops, &h->target, &h->session, &e) < 0)
		back_off(h, e.msg);
}

static int reconnect(struct host *h, struct err *e)
{
	(void)e;
	host_connect(h);
	return 0;
}

static bool is_same_life(const struct js *before, const struct js *now)
{
	const char *life = js_get_str(now, "life", "");

	return life[0] != '\0' &&
	       strcmp(life, js_get_str(before, "life", "")) == 0;
}

static bool is_busy(const struct host *h)
{
	const struct js *holds = js_get(h->agent, "holds");

	return holds != NULL && !js_get_bool(holds, "done", false);
}

static void get_to_know(struct host *h, const struct js *hello)
{
	const char *warning = js_get_str(hello, "warning", "");

	h->prepared = h->prepared && is_same_life(h->agent, hello);
	js_unref(h->agent);
	h->agent = js_ref(hello);
	if (warning[0] != '\0')
		progress_say(h->c->progress, true, "vrun: host %s: %s", h->name,
			     warning);
}

void host_ping(struct host *h)
{
	h->ping_ns = INT64_MAX;
	if (h->session == NULL || !host_lasts(h))
		return;
	session_ping(h->session);
	h->ping_ns = clock_mono_ns() + h->target.lease_ns / HOST_PINGS;
}

static int on_hello(struct host *h, const struct message *m, struct err *e)
{
	int64_t version = js_get_int(m->body, "version", 0);

	if (version != MESSAGE_VERSION)
		return err_set(e, ERR_HOST,
			       "its agent speaks version %lld of the protocol, "
			       "vrun speaks %d; build both from one source",
			       (long long)version, MESSAGE_VERSION);
	get_to_know(h, m->body);
	host_ping(h);
	if (h->c->running)
		return host_begin(h, e);
	if (h->ready) {
		host_enter(h, HOST_READY, 0);
		return 0;
	}
	session_ask(h->session, MESSAGE_FACTS, NULL);
	// It answers when the trial that a former run left has ended.
	host_enter(h, HOST_FACTS,
		   is_busy(h) ? trial_patience_ns(h->c->plan) : 0);
	return 0;
}

static int unexpected(const struct message *m, struct err *e)
{
	if (m->type == MESSAGE_ERROR)
		return err_set(e, ERR_HOST, "%s",
			       js_get_str(m->body, "message", ""));
	return err_set(e, ERR_HOST, "its agent sent \"%s\" out of turn",
		       message_type_name(m->type));
}

static int on_facts(struct host *h, const struct message *m, struct err *e)
{
	struct js *fields;

	if (m->type != MESSAGE_FACTS)
		return unexpected(m, e);
	js_unref(h->facts);
	h->facts = js_copy(js_get(m->body, "facts"));
	fields = js_object();
	js_set(fields, "needs", preflight_needs(h->c->plan, h->qemu));
	session_ask(h->session, MESSAGE_PREFLIGHT, fields);
	host_enter(h, HOST_PREFLIGHT, 0);
	return 0;
}

static int on_preflight(struct host *h, const struct message *m, struct err *e)
{
	if (m->type == MESSAGE_FINDING)
		return findings_add_message(h->c->findings, h->name, m->body,
					    e);
	if (m->type == MESSAGE_STAGE)
		return 0;
	if (m->type != MESSAGE_DONE)
		return unexpected(m, e);
	h->ready = true;
	host_heard(h);
	host_enter(h, HOST_READY, 0);
	return 0;
}

// Another trial than this campaign wants: it was given up, or is of a run
// whose journal does not know of it.
static int stop_trial(struct host *h)
{
	session_ask(h->session, MESSAGE_STOP, NULL);
	host_enter(h, HOST_STOPPING, 0);
	return 0;
}

static int on_stopped(struct host *h, const struct message *m, struct err *e)
{
	if (m->type != MESSAGE_DONE)
		return unexpected(m, e);
	js_del(h->agent, "holds");
	return host_begin(h, e);
}

static int prepare(struct host *h, struct err *e)
{
	CLEANUP(js_unrefp) struct js *apply = preflight_settings(h->c->plan);
	CLEANUP(js_unrefp) struct js *hooks = NULL;
	struct js *fields;

	schedule_forget_boots(h->c->schedule, h->index);
	hooks = hooks_for_host(h->c->hooks, h->name);
	if (js_len(apply) == 0 && js_len(hooks) == 0) {
		h->prepared = true;
		return trial_next(h, e);
	}
	fields = js_object();
	js_set(fields, "apply", TAKE_PTR(apply));
	js_set(fields, "hooks", TAKE_PTR(hooks));
	session_ask(h->session, MESSAGE_SETTINGS, fields);
	host_enter(h, HOST_SETTINGS, 0);
	return 0;
}

int host_begin(struct host *h, struct err *e)
{
	if (h->pending)
		return trial_rejoin(h, e);
	if (is_busy(h))
		return stop_trial(h);
	if (h->prepared || h->c->stop != CAMPAIGN_GO_ON)
		return trial_next(h, e);
	return prepare(h, e);
}

static int on_settings(struct host *h, const struct message *m, struct err *e)
{
	if (m->type == MESSAGE_STAGE)
		return 0;
	if (m->type != MESSAGE_DONE)
		return unexpected(m, e);
	h->prepared = true;
	host_heard(h);
	return trial_next(h, e);
}

void host_leave(struct host *h)
{
	if (h->session == NULL) {
		host_enter(h, HOST_AWAY, 0);
		return;
	}
	session_ask(h->session, MESSAGE_BYE, NULL);
	host_enter(h, HOST_LEAVING, 0);
}

static int handle(struct host *h, const struct message *m, struct err *e)
{
	message_fn *fn = rows[h->state].on_message;

	return fn != NULL ? fn(h, m, e) : unexpected(m, e);
}

// One message, or the end. *more: there may be another.
static int read_one(struct host *h, bool *more, struct err *e)
{
	struct message m = { 0 };
	struct err why = { 0 };
	enum session_status st = session_next(h->session, &m, &why);
	int rc;

	*more = st == SESSION_MESSAGE;
	if (st == SESSION_QUIET)
		return 0;
	if (st == SESSION_GONE)
		return host_break(h, OUTCOME_LOST, why.msg, e);
	if (st == SESSION_BAD)
		return host_break(h, OUTCOME_FAILED, why.msg, e);
	rc = handle(h, &m, &why);
	message_deinit(&m);
	if (rc == 0)
		return 0;
	*more = false;
	if (why.kind == ERR_HOST)
		return host_break(h, OUTCOME_FAILED, why.msg, e);
	*e = why;
	return -1;
}

int host_read(struct host *h, struct err *e)
{
	bool more = true;

	session_receive(h->session);
	if (h->state == HOST_LEAVING)
		return session_discard(h->session) ? hang_up(h, e) : 0;
	while (more && h->session != NULL && h->state != HOST_LEAVING) {
		if (read_one(h, &more, e) < 0)
			return -1;
	}
	return 0;
}

int host_time_out(struct host *h, struct err *e)
{
	const struct state_row *row = &rows[h->state];
	char why[128];

	if (row->on_time != NULL)
		return row->on_time(h, e);
	snprintf(why, sizeof(why),
		 "its agent was silent for too long; %s was to come",
		 row->waits_for);
	return host_break(h, OUTCOME_TIMEOUT, why, e);
}
