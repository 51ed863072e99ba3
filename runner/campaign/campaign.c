#include "runner/campaign/campaign.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"
#include "runner/campaign/host.h"

// What was ignored when vrun began stays ignored: nohup(1), and a shell's own
// habit for jobs in the background.
static void add_unless_ignored(sigset_t *set, int sig)
{
	struct sigaction sa;

	if (sigaction(sig, NULL, &sa) == 0 && sa.sa_handler != SIG_IGN)
		sigaddset(set, sig);
}

static void take_signals(struct campaign *c, sigset_t *former)
{
	sigset_t set;

	sigemptyset(&set);
	add_unless_ignored(&set, SIGINT);
	add_unless_ignored(&set, SIGTERM);
	add_unless_ignored(&set, SIGHUP);
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, former);
	c->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

struct campaign *campaign_new(const struct plan *plan,
			      const struct transport_target *targets,
			      const struct transport_ops *ops,
			      struct progress *progress)
{
	struct campaign *c = xcalloc(1, sizeof(*c));

	c->plan = plan;
	c->ops = ops;
	c->progress = progress;
	c->schedule = schedule_new(plan);
	c->live = live_new(plan);
	c->set_ns = clock_apart_ns(clock_wall_ns, clock_boot_ns);
	c->hosts = xcalloc(plan->nhosts, sizeof(*c->hosts));
	for (size_t i = plan->ntrials; i-- > 0;)
		c->hosts[plan->trials[i].host].first_trial = (uint32_t)i;
	for (size_t i = 0; i < plan->nhosts; i++) {
		c->hosts[i].c = c;
		c->hosts[i].name = plan->hosts[i];
		c->hosts[i].target.name = plan->hosts[i];
		if (targets != NULL)
			c->hosts[i].target = targets[i];
		c->hosts[i].qemu = "";
		c->hosts[i].index = (uint32_t)i;
		c->hosts[i].state = HOST_AWAY;
		c->hosts[i].deadline_ns = INT64_MAX;
		c->hosts[i].ping_ns = INT64_MAX;
	}
	take_signals(c, &c->former_signals);
	return c;
}

void campaign_set_qemu(struct campaign *c, size_t i, const char *qemu)
{
	c->hosts[i].qemu = qemu;
}

static void host_deinit(struct host *h)
{
	session_close(h->session,
		      host_lasts(h) ? HOST_CARRIER_MS : HOST_GRACE_MS);
	js_unref(h->facts);
	js_unref(h->agent);
	free(h->missing);
	free(h->error);
}

void campaign_free(struct campaign *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < c->plan->nhosts; i++)
		host_deinit(&c->hosts[i]);
	free(c->hosts);
	schedule_free(c->schedule);
	live_free(c->live);
	boundaries_deinit(&c->boundaries);
	fd_closep(&c->signals);
	sigprocmask(SIG_SETMASK, &c->former_signals, NULL);
	free(c);
}

void campaign_freep(struct campaign **c)
{
	campaign_free(*c);
	*c = NULL;
}

static bool is_in_trial(const struct host *h)
{
	return h->state == HOST_TRIAL || h->pending;
}

// At once. A trial out of reach stays with its agent: vrun resume asks for it.
static int cut_short(struct host *h, struct err *e)
{
	if (h->pending) {
		progress_say(h->c->progress, true,
			     "vrun: host %s: out of reach; its trial goes on "
			     "there, and its agent ends by its lease",
			     h->name);
		h->pending = false;
		host_hang_up(h);
		return 0;
	}
	if (h->state == HOST_TRIAL &&
	    trial_end(h, OUTCOME_LOST, "vrun was stopped in it", e) < 0)
		return -1;
	host_leave(h);
	return 0;
}

// Sends every host that has no trial in hand away; with `now`, the others,
// too, whose trials are lost.
static int send_away(struct campaign *c, bool now, struct err *e)
{
	for (size_t i = 0; i < c->plan->nhosts; i++) {
		struct host *h = &c->hosts[i];

		if (h->state == HOST_AWAY || h->state == HOST_LEAVING)
			continue;
		if (!is_in_trial(h))
			host_leave(h);
		else if (now && cut_short(h, e) < 0)
			return -1;
	}
	return 0;
}

static bool any_in_trial(const struct campaign *c)
{
	for (size_t i = 0; i < c->plan->nhosts; i++) {
		if (is_in_trial(&c->hosts[i]))
			return true;
	}
	return false;
}

static int on_signal(struct campaign *c, int sig, struct err *e)
{
	bool now;

	if (sig == SIGWINCH) {
		progress_show(c->progress, clock_mono_ns());
		return 0;
	}
	now = sig == SIGTERM || c->stop != CAMPAIGN_GO_ON || !c->running;
	c->stop = now ? CAMPAIGN_STOP_NOW : CAMPAIGN_FINISH_TRIALS;
	if (now)
		progress_say(c->progress, true,
			     "vrun: %s: stopping at once; the hosts are put "
			     "back as they were",
			     strsignal(sig));
	else if (any_in_trial(c))
		progress_say(c->progress, true,
			     "vrun: %s: stopping when the trial in hand has "
			     "ended (once more to stop at once)",
			     strsignal(sig));
	return send_away(c, now, e);
}

static int read_signals(struct campaign *c, struct err *e)
{
	struct signalfd_siginfo si;

	while (read(c->signals, &si, sizeof(si)) == sizeof(si)) {
		if (on_signal(c, (int)si.ssi_signo, e) < 0)
			return -1;
	}
	return 0;
}

static int64_t next_deadline(const struct campaign *c)
{
	int64_t at = progress_due_ns(c->progress);

	for (size_t i = 0; i < c->plan->nhosts; i++) {
		at = MIN(at, c->hosts[i].deadline_ns);
		at = MIN(at, c->hosts[i].ping_ns);
	}
	return at;
}

static int poll_timeout_ms(int64_t at_ns)
{
	int64_t ms;

	if (at_ns == INT64_MAX)
		return -1;
	// Rounded up, so that the time has come when poll returns.
	ms = (at_ns - clock_mono_ns() + NS_PER_MS - 1) / NS_PER_MS;
	return (int)MIN(MAX(ms, (int64_t)0), (int64_t)INT32_MAX);
}

static int pass_time(struct campaign *c, struct err *e)
{
	int64_t now = clock_mono_ns();

	progress_tick(c->progress, now);
	for (size_t i = 0; i < c->plan->nhosts; i++) {
		struct host *h = &c->hosts[i];

		if (now >= h->ping_ns)
			host_ping(h);
		if (now >= h->deadline_ns && host_time_out(h, e) < 0)
			return -1;
	}
	return 0;
}

// pfd[i] belongs to host i, the last one to the signals.
static void list_descriptors(const struct campaign *c, struct pollfd *pfd)
{
	size_t n = c->plan->nhosts;

	for (size_t i = 0; i < n; i++) {
		const struct session *s = c->hosts[i].session;

		pfd[i] = (struct pollfd){ .fd = -1 };
		if (s != NULL)
			pfd[i] = (struct pollfd){ .fd = session_fd(s),
						  .events = session_events(s) };
	}
	pfd[n] = (struct pollfd){ .fd = c->signals, .events = POLLIN };
}

static int serve(struct campaign *c, const struct pollfd *pfd, struct err *e)
{
	size_t n = c->plan->nhosts;

	if (pfd[n].revents != 0 && read_signals(c, e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct host *h = &c->hosts[i];

		if (pfd[i].revents == 0 || h->session == NULL)
			continue;
		if (pfd[i].revents & POLLOUT)
			session_flush(h->session);
		if ((pfd[i].revents & ~POLLOUT) && host_read(h, e) < 0)
			return -1;
	}
	return pass_time(c, e);
}

static bool all_settled(const struct campaign *c)
{
	for (size_t i = 0; i < c->plan->nhosts; i++) {
		enum host_state state = c->hosts[i].state;

		if (state != HOST_AWAY && (state != HOST_READY || c->running))
			return false;
	}
	return true;
}

// Until every host is away, or prepared when nothing runs yet.
static int loop(struct campaign *c, struct err *e)
{
	nfds_t n = c->plan->nhosts + 1;
	CLEANUP(cleanup_free) struct pollfd *pfd = xcalloc(n, sizeof(*pfd));

	while (!all_settled(c)) {
		list_descriptors(c, pfd);
		if (poll(pfd, n, poll_timeout_ms(next_deadline(c))) < 0) {
			if (errno == EINTR)
				continue;
			return err_sys(e, ERR_HOST, "poll");
		}
		if (serve(c, pfd, e) < 0)
			return -1;
	}
	return 0;
}

static int interrupted(const struct campaign *c, struct err *e)
{
	struct schedule_counts n = schedule_count(c->schedule);

	return err_set(e, ERR_INTERRUPTED, "stopped after %zu of %zu trials",
		       n.over, n.trials);
}

// The hosts that dropped out, as one error.
static int all_missing(const struct campaign *c, struct err *e)
{
	*e = (struct err){ 0 };
	for (size_t i = 0; i < c->plan->nhosts; i++) {
		CLEANUP(cleanup_free)
		char *line = xasprintf("host %s: %s", c->hosts[i].name,
				       c->hosts[i].missing);

		err_add_line(e, ERR_HOST, line);
	}
	return -1;
}

void campaign_set_hooks(struct campaign *c, const struct js *hooks)
{
	c->hooks = hooks;
}

int campaign_prepare(struct campaign *c, struct findings *f, struct err *e)
{
	int rc;

	c->findings = f;
	progress_watch(c->progress, show_fill, c);
	for (size_t i = 0; i < c->plan->nhosts; i++)
		host_connect(&c->hosts[i]);
	rc = loop(c, e);
	progress_clear(c->progress);
	progress_watch(c->progress, NULL, NULL);
	if (rc < 0)
		return -1;
	c->findings = NULL;
	if (c->stop != CAMPAIGN_GO_ON)
		return interrupted(c, e);
	return campaign_missing(c) == c->plan->nhosts ? all_missing(c, e) : 0;
}

struct js *campaign_hosts(const struct campaign *c, const struct findings *f)
{
	struct js *list = js_array();

	for (size_t i = 0; i < c->plan->nhosts; i++) {
		const struct host *h = &c->hosts[i];
		struct js *j = js_object();

		js_set_str(j, "host", h->name);
		js_set_str(j, "missing", h->missing);
		if (h->agent != NULL)
			js_set(j, "agent", js_ref(h->agent));
		if (h->facts != NULL)
			js_set(j, "facts", js_ref(h->facts));
		js_set(j, "findings", findings_to_js(f, h->name));
		js_append(list, j);
	}
	return list;
}

int campaign_attach(struct campaign *c, const struct store *store,
		    struct journal *journal, const struct journal_log *log,
		    struct err *e)
{
	c->store = store;
	c->journal = journal;
	if (c->plan->has_stop) {
		if (boundaries_load(store->dir, c->plan, &c->boundaries, e) < 0)
			return -1;
		live_watch(c->live, &c->boundaries);
	}
	for (size_t i = 0; log != NULL && i < log->n; i++) {
		if (schedule_note(c->schedule, &log->records[i], e) < 0)
			return err_wrap(e, "%s/" STORE_TRIALS ":%zu",
					store->dir, i + 1);
		live_add(c->live, &log->records[i]);
	}
	if (trial_take_unfinished(c, e) < 0)
		return -1;
	for (uint32_t i = 0; i < c->plan->nhosts; i++)
		schedule_forget_boots(c->schedule, i);
	return 0;
}

static bool is_over(const struct campaign *c)
{
	struct schedule_counts n = schedule_count(c->schedule);

	return n.over == n.trials;
}

// What could not be recorded stays with the agents that can keep it.
static void keep_trials(struct campaign *c)
{
	for (size_t i = 0; i < c->plan->nhosts; i++) {
		struct host *h = &c->hosts[i];

		if (is_in_trial(h) && host_lasts(h))
			host_hang_up(h);
		h->pending = false;
	}
}

int campaign_run(struct campaign *c, struct err *e)
{
	int rc = 0;

	c->running = true;
	progress_watch(c->progress, show_fill, c);
	for (size_t i = 0; i < c->plan->nhosts && rc == 0; i++) {
		if (c->hosts[i].state == HOST_READY)
			rc = host_begin(&c->hosts[i], e);
	}
	if (rc == 0)
		rc = loop(c, e);
	progress_clear(c->progress);
	progress_watch(c->progress, NULL, NULL);
	if (rc < 0) {
		keep_trials(c);
		campaign_dismiss(c);
	} else if (c->stop != CAMPAIGN_GO_ON && !c->decided && !is_over(c))
		rc = interrupted(c, e);
	return rc;
}

void campaign_dismiss(struct campaign *c)
{
	struct err e = { 0 };

	c->running = true;
	for (size_t i = 0; i < c->plan->nhosts; i++) {
		if (c->hosts[i].state != HOST_AWAY)
			host_leave(&c->hosts[i]);
	}
	if (loop(c, &e) < 0)
		progress_say(c->progress, true, "vrun: %s", e.msg);
}

struct schedule_counts campaign_count(const struct campaign *c)
{
	return schedule_count(c->schedule);
}

size_t campaign_missing(const struct campaign *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->plan->nhosts; i++)
		n += c->hosts[i].missing != NULL;
	return n;
}
