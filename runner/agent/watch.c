#include "runner/agent/watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runner/base/clock.h"
#include "runner/base/fd.h"
#include "runner/base/log.h"

enum slot {
	SLOT_SIGNALS,
	SLOT_CTL_IN,
	SLOT_CTL_OUT,
	SLOT_DOOR,
	SLOT_CHILD,
	SLOT_FD,
	SLOT_COUNT
};

int watch_init(struct watch *w, struct link *ctl, struct err *e)
{
	sigset_t set;

	*w = (struct watch){ .signals = -1, .ctl = ctl };
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0 ||
	    signal(SIGPIPE, SIG_IGN) == SIG_ERR)
		return err_sys(e, ERR_HOST, "signals");
	w->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (w->signals < 0)
		return err_sys(e, ERR_HOST, "signalfd");
	return 0;
}

static void forget_requests(struct watch *w)
{
	for (size_t i = 0; i < w->npending; i++)
		message_deinit(&w->pending[i]);
	w->npending = 0;
	w->stop_id = 0;
}

void watch_deinit(struct watch *w)
{
	fd_closep(&w->signals);
	forget_requests(w);
}

static void stop_all(struct watch *w, const char *why)
{
	if (w->stop != WATCH_STOP_ALL)
		w->why = why;
	w->stop = WATCH_STOP_ALL;
}

static void hang_up(struct watch *w)
{
	fd_closep(&w->ctl->in);
	link_deinit(w->ctl);
	forget_requests(w);
}

void watch_lose_controller(struct watch *w, const char *why)
{
	if (w->door == NULL) {
		stop_all(w, why);
	} else if (w->ctl->in >= 0) {
		hang_up(w);
	}
}

static void stop_trial(struct watch *w, int64_t id)
{
	if (w->stop == WATCH_GO) {
		w->why = "the controller stopped it";
		w->stop = WATCH_STOP_TRIAL;
	}
	w->stop_id = id;
}

static void take_signal(struct watch *w)
{
	struct signalfd_siginfo si;

	if (read(w->signals, &si, sizeof(si)) != (ssize_t)sizeof(si))
		return;
	stop_all(w, strsignal((int)si.ssi_signo));
}

// Stop and bye act at once; other requests wait for their turn.
static void take_message(struct watch *w, struct message *m)
{
	if (m->type == MESSAGE_PING) {
		;
	} else if (m->type == MESSAGE_BYE) {
		w->bye = true;
		stop_all(w, "the controller said bye");
	} else if (m->type == MESSAGE_STOP) {
		stop_trial(w, m->id);
	} else if (w->door != NULL && w->door->joins(w->door->arg, m)) {
		;
	} else if (w->npending == WATCH_PENDING_MAX) {
		watch_lose_controller(w, "the controller queued too many "
					 "requests");
	} else {
		w->pending[w->npending++] = *m;
		m->body = NULL;
	}
	message_deinit(m);
}

static void renew_lease(struct watch *w)
{
	if (w->door != NULL)
		w->door->lease_end_ns = clock_mono_ns() + w->door->lease_ns;
}

static void take_controller(struct watch *w)
{
	struct message m;
	struct err e = { 0 };
	int end = link_read(w->ctl, &e), got;

	while ((got = link_next(w->ctl, &m, &e)) > 0) {
		renew_lease(w);
		take_message(w, &m);
	}
	if (got < 0)
		watch_lose_controller(w, "the controller does not speak the "
					 "protocol");
	if (end != 0)
		watch_lose_controller(w, "the controller is gone");
}

static void say_displaced(struct watch *w)
{
	struct js *msg = message_new(MESSAGE_ERROR, 0);
	struct err ignored;

	js_set_int(msg, "id", 0);
	js_set_str(msg, "message", "a newer connection took its place");
	if (link_send(w->ctl, msg, &ignored) < 0)
		log_info("the controller before is gone already");
	hang_up(w);
}

// The newest controller is the one that counts: the one before may be the
// same, whose connection is dead without knowing it yet.
void watch_admit(struct watch *w)
{
	int fd = accept4(w->door->listener, NULL, NULL,
			 SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	if (w->ctl->in >= 0)
		say_displaced(w);
	link_init(w->ctl, fd, fd, "controller");
	renew_lease(w);
	w->connection++;
	w->door->attached(w->door->arg);
}

static void flush_controller(struct watch *w)
{
	struct err e = { 0 };

	if (link_flush(w->ctl, &e) < 0)
		watch_lose_controller(w, "the controller is gone");
}

static void fill(struct pollfd *p, const struct watch *w,
		 const struct watch_for *what)
{
	bool listen = w->ctl != NULL && w->stop != WATCH_STOP_ALL;
	bool unsent = listen && link_wants_write(w->ctl);

	for (int i = 0; i < SLOT_COUNT; i++)
		p[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
	p[SLOT_SIGNALS].fd = w->signals;
	p[SLOT_CTL_IN].fd = listen ? w->ctl->in : -1;
	p[SLOT_CTL_OUT].fd = unsent ? w->ctl->out : -1;
	p[SLOT_CTL_OUT].events = POLLOUT;
	p[SLOT_DOOR].fd = listen && w->door ? w->door->listener : -1;
	p[SLOT_CHILD].fd = what->child ? what->child->pidfd : -1;
	p[SLOT_FD].fd = what->fd;
	p[SLOT_FD].events = what->write ? POLLOUT : POLLIN;
}

// The deadline or the end of the lease, whichever is first; 0: neither.
static int64_t next_end_ns(const struct watch *w, int64_t deadline_ns)
{
	if (w->door == NULL || w->stop == WATCH_STOP_ALL)
		return deadline_ns;
	return deadline_ns == 0 ? w->door->lease_end_ns
				: MIN(deadline_ns, w->door->lease_end_ns);
}

static int timeout_ms(int64_t deadline_ns)
{
	int64_t left = deadline_ns - clock_mono_ns();

	if (deadline_ns == 0)
		return -1;
	if (left <= 0)
		return 0;
	return (int)MIN(left / NS_PER_MS + 1, (int64_t)1 << 30);
}

static int child_fault(struct child *c, struct fault *f)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	child_describe_end(c, &text);
	return fault_set(f, OUTCOME_FAILED, "%s", text.data);
}

// 1: keep waiting.
static int judge(struct watch *w, struct pollfd *p,
		 const struct watch_for *what, struct fault *f)
{
	if (p[SLOT_SIGNALS].revents)
		take_signal(w);
	if (p[SLOT_CTL_IN].revents)
		take_controller(w);
	if (p[SLOT_CTL_OUT].revents)
		flush_controller(w);
	if (p[SLOT_DOOR].revents)
		watch_admit(w);
	if (w->door != NULL && timeout_ms(w->door->lease_end_ns) == 0)
		stop_all(w, "no controller was heard of within the lease");
	if (w->stop != WATCH_GO)
		return fault_set(f, OUTCOME_LOST, "stopped: %s", w->why);
	if (p[SLOT_FD].revents)
		return 0;
	if (p[SLOT_CHILD].revents && child_has_ended(what->child))
		return child_fault(what->child, f);
	if (timeout_ms(what->deadline_ns) == 0)
		return fault_set(f, OUTCOME_TIMEOUT, "%s did not come in time",
				 what->what);
	return 1;
}

int watch_wait(struct watch *w, const struct watch_for *what, struct fault *f)
{
	struct pollfd p[SLOT_COUNT];
	int rc;

	do {
		fill(p, w, what);
		int ms = timeout_ms(next_end_ns(w, what->deadline_ns));

		if (poll(p, SLOT_COUNT, ms) < 0 && errno != EINTR)
			return fault_set(f, OUTCOME_FAILED, "poll: %s",
					 strerror(errno));
		rc = judge(w, p, what, f);
	} while (rc > 0);
	return rc;
}

int watch_child_end(struct watch *w, struct child *c, int64_t limit_ns,
		    struct fault *f)
{
	const struct watch_for end = {
		.fd = c->pidfd,
		.deadline_ns = clock_mono_ns() + limit_ns,
		.what = c->name,
	};

	if (watch_wait(w, &end, f) < 0)
		return f->outcome != OUTCOME_TIMEOUT
			       ? -1
			       : fault_set(f, OUTCOME_TIMEOUT,
					   "%s did not end within %.3g s",
					   c->name, (double)limit_ns / 1e9);
	return child_has_ended(c) && c->status == 0 ? 0 : child_fault(c, f);
}

int watch_request(struct watch *w, struct message *out, struct err *e)
{
	const struct watch_for anything = { .fd = -1, .what = "a request" };
	struct pollfd p[SLOT_COUNT];
	struct fault f;

	while (w->npending == 0 && w->stop == WATCH_GO) {
		fill(p, w, &anything);
		if (poll(p, SLOT_COUNT, timeout_ms(next_end_ns(w, 0))) < 0 &&
		    errno != EINTR)
			return err_sys(e, ERR_HOST, "poll");
		if (judge(w, p, &anything, &f) < 0)
			break;
	}
	if (w->npending == 0 || w->stop == WATCH_STOP_ALL)
		return 0;
	*out = w->pending[0];
	memmove(w->pending, w->pending + 1,
		--w->npending * sizeof(w->pending[0]));
	return 1;
}
