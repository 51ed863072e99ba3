#include "runner/transport/ssh_pump.h"

#include <errno.h>
#include <libssh/callbacks.h>
#include <libssh/server.h> // ssh_send_keepalive
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"
#include "runner/transport/spawn.h"

enum {
	ALIVE_S = 15, // without ServerAliveInterval in ~/.ssh/config
	ALIVE_MAX = 3,
	LEAVE_S = 90, // for an agent whose controller has gone
	// Bytes that an agent may say beside its frames: they leave room for
	// what the carrier has to say of it.
	ERRORS_MAX = SPAWN_ERRORS_MAX / 2,
	CLOSE_S = 10,	// from the end of its output to its status
	MOVES_MAX = 64, // before the clock is looked at again
};

struct lane {
	char data[PUMP_BYTES];
	size_t from, to; // what waits is data[from..to)
};

struct pump {
	struct ssh_host *host;
	ssh_channel channel;
	int stream;
	struct lane up, down; // to the agent, to the controller
	bool up_ended;	      // the controller hung up
	bool up_told;	      // and the agent knows
	bool down_ended;
	int64_t end_ns;	  // no longer than that
	int64_t alive_ns; // interval
	int64_t asked_ns; // since when nothing came
	int64_t unanswered, alive_max;
	size_t errors;	// bytes of standard error so far
	uint64_t heard; // bytes from the server when it was last looked at
	struct ssh_counter_struct counter;
};

static size_t room(const struct lane *l)
{
	return sizeof(l->data) - l->to;
}

static size_t waiting(const struct lane *l)
{
	return l->to - l->from;
}

static void took(struct lane *l, size_t n)
{
	l->from += n;
	if (l->from == l->to)
		l->from = l->to = 0;
}

static int lost(const struct pump *p, struct err *e)
{
	return err_set(e, ERR_HOST, "%s: the connection was lost: %.200s",
		       p->host->at, ssh_get_error(p->host->session));
}

// --- four moves; each returns whether it moved something, -1 on an error

static int read_stream(struct pump *p)
{
	ssize_t n;

	if (p->up_ended || room(&p->up) == 0)
		return 0;
	n = fd_read_some(p->stream, p->up.data + p->up.to, room(&p->up));
	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n > 0) {
		p->up.to += (size_t)n;
		return 1;
	}
	p->up_ended = true;
	p->end_ns = clock_mono_ns() + LEAVE_S * NS_PER_S;
	return 1;
}

static int write_channel(struct pump *p, struct err *e)
{
	int n;

	if (waiting(&p->up) == 0 || p->down_ended)
		return 0;
	n = ssh_channel_write(p->channel, p->up.data + p->up.from,
			      (uint32_t)waiting(&p->up));
	if (n < 0)
		return ssh_channel_is_eof(p->channel) ? 0 : lost(p, e);
	took(&p->up, (size_t)n);
	return n > 0;
}

static int read_channel(struct pump *p, struct err *e)
{
	int n;

	if (p->down_ended || room(&p->down) == 0)
		return 0;
	n = ssh_channel_read_nonblocking(p->channel, p->down.data + p->down.to,
					 (uint32_t)room(&p->down), 0);
	if (n > 0) {
		p->down.to += (size_t)n;
		return 1;
	}
	if (n == SSH_ERROR)
		return lost(p, e);
	if (n != SSH_EOF && !ssh_channel_is_eof(p->channel))
		return 0;
	p->down_ended = true;
	p->end_ns = MIN(p->end_ns, clock_mono_ns() + CLOSE_S * NS_PER_S);
	return 1;
}

// A controller that has gone takes nothing; the rest is dropped.
static int write_stream(struct pump *p)
{
	ssize_t n;

	if (waiting(&p->down) == 0)
		return 0;
	n = send(p->stream, p->down.data + p->down.from, waiting(&p->down),
		 MSG_NOSIGNAL);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	took(&p->down, n < 0 ? waiting(&p->down) : (size_t)n);
	return 1;
}

// The memory behind standard error takes what it can hold and no more.
static int read_errors(struct pump *p, struct err *e)
{
	char chunk[4096];
	int n = ssh_channel_read_nonblocking(p->channel, chunk, sizeof(chunk),
					     1);

	if (n <= 0)
		return 0;
	p->errors += (size_t)n;
	if (p->errors > ERRORS_MAX)
		return err_set(e, ERR_HOST,
			       "%s: printed more than %d bytes on standard "
			       "error; that is no vrun-agent",
			       p->host->at, ERRORS_MAX);
	if (write(STDERR_FILENO, chunk, (size_t)n) < 0)
		return 1;
	return 1;
}

static int tell_end(struct pump *p)
{
	if (!p->up_ended || p->up_told || waiting(&p->up) > 0)
		return 0;
	p->up_told = true;
	ssh_channel_send_eof(p->channel);
	return 1;
}

// Whether anything moved; -1 on an error.
static int move_once(struct pump *p, struct err *e)
{
	int others = read_stream(p) | tell_end(p) | write_stream(p);
	int errors, up, down;

	errors = read_errors(p, e);
	up = errors < 0 ? -1 : write_channel(p, e);
	down = up < 0 ? -1 : read_channel(p, e);
	return down < 0 ? -1 : others + errors + up + down > 0;
}

// Until nothing moves any more, 0; or for a while: 1. Time must pass for a
// peer that never stops, too.
static int move(struct pump *p, struct err *e)
{
	int rc = 1;

	for (int i = 0; i < MOVES_MAX && rc > 0; i++)
		rc = move_once(p, e);
	return rc;
}

// --- keeping alive ------------------------------------------------------

static int check_alive(struct pump *p, int64_t now, struct err *e)
{
	if (p->heard != p->counter.in_bytes) {
		p->heard = p->counter.in_bytes;
		p->unanswered = 0;
		p->asked_ns = now;
	}
	if (now < p->asked_ns + p->alive_ns)
		return 0;
	if (p->unanswered++ >= p->alive_max)
		return err_set(e, ERR_HOST,
			       "%s: the connection was lost: no answer for "
			       "%lld s",
			       p->host->at,
			       (long long)((p->alive_max + 1) * p->alive_ns /
					   NS_PER_S));
	// Once to take leave of the former answer, once to ask anew.
	ssh_send_keepalive(p->host->session);
	ssh_send_keepalive(p->host->session);
	p->asked_ns = now;
	return 0;
}

// --- loop ---------------------------------------------------------------

static bool is_over(const struct pump *p, int64_t now)
{
	return now >= p->end_ns || (p->down_ended && waiting(&p->down) == 0 &&
				    ssh_channel_is_closed(p->channel));
}

static void wait_for_more(const struct pump *p, int64_t now)
{
	struct pollfd pfd[2] = { { .fd = ssh_get_fd(p->host->session) },
				 { .fd = p->stream } };
	int64_t until = MIN(p->asked_ns + p->alive_ns, p->end_ns);
	int64_t ms = (until - now + NS_PER_MS - 1) / NS_PER_MS;

	if (room(&p->down) > 0)
		pfd[0].events = POLLIN;
	if (ssh_get_poll_flags(p->host->session) & SSH_WRITE_PENDING)
		pfd[0].events |= POLLOUT;
	if (pfd[0].events == 0)
		pfd[0].fd = -1; // its end would be reported over and over
	if (!p->up_ended && room(&p->up) > 0)
		pfd[1].events = POLLIN;
	if (waiting(&p->down) > 0)
		pfd[1].events |= POLLOUT;
	if (pfd[1].events == 0)
		pfd[1].fd = -1;
	poll(pfd, ARRAY_LEN(pfd), ms < 0 ? 0 : (int)MIN(ms, INT32_MAX));
}

static int loop(struct pump *p, struct err *e)
{
	int64_t now;
	int more;

	for (;;) {
		more = move(p, e);
		if (more < 0)
			return -1;
		now = clock_mono_ns();
		if (is_over(p, now))
			return ssh_channel_get_exit_status(p->channel);
		if (!ssh_is_connected(p->host->session))
			return lost(p, e);
		if (check_alive(p, now, e) < 0)
			return -1;
		if (more == 0)
			wait_for_more(p, now);
	}
}

static void choose_interval(struct pump *p)
{
	const struct ssh_config *c = &p->host->config;

	p->alive_ns = (c->alive_s > 0 ? c->alive_s : ALIVE_S) * NS_PER_S;
	p->alive_max = c->alive_max > 0 ? c->alive_max : ALIVE_MAX;
}

int ssh_pump(struct ssh_host *h, ssh_channel channel, int stream, struct err *e)
{
	CLEANUP(cleanup_free) struct pump *p = xcalloc(1, sizeof(*p));
	int status;

	p->host = h;
	p->channel = channel;
	p->stream = stream;
	p->end_ns = INT64_MAX;
	p->asked_ns = clock_mono_ns();
	choose_interval(p);
	ssh_set_counters(h->session, &p->counter, NULL);
	ssh_set_blocking(h->session, 0);
	status = loop(p, e);
	ssh_set_counters(h->session, NULL, NULL);
	ssh_set_blocking(h->session, 1);
	if (status < 0 && e->kind == ERR_NONE)
		err_set(e, ERR_HOST, "%s: the agent was killed", h->at);
	return status;
}
