#include "runner/agent/guest.h"

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/agent/guest_facts.h"
#include "runner/agent/guest_worker.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"

enum {
	UNCONNECTED_MS = 50, // between looks at a port nobody is connected to
};

struct guest {
	struct link peer;
	struct guest_worker worker;
	bool is_port; // a character device: may be connected again
	bool bye;
};

static void guest_deinit(struct guest *g)
{
	guest_worker_stop(&g->worker);
	link_deinit(&g->peer);
}

static int send_hello(struct guest *g, struct err *e)
{
	struct js *msg = message_new(MESSAGE_HELLO, 0);

	js_set_int(msg, "version", MESSAGE_VERSION);
	js_set_str(msg, "arch", guest_facts_arch());
	js_set(msg, "facts", guest_facts());
	return link_send(&g->peer, msg, e);
}

static int send_facts(struct guest *g, const struct message *m, struct err *e)
{
	struct js *msg = message_new(MESSAGE_FACTS, m->id);

	js_set(msg, "facts", guest_facts());
	return link_send(&g->peer, msg, e);
}

static int send_error(struct guest *g, const struct message *m,
		      const char *text, struct err *e)
{
	struct js *msg = message_new(MESSAGE_ERROR, m->id);

	js_set_str(msg, "message", text);
	return link_send(&g->peer, msg, e);
}

static int start_run(struct guest *g, const struct message *m, struct err *e)
{
	struct err why = { 0 };

	if (g->worker.answered) // it is only about to exit
		guest_worker_stop(&g->worker);
	if (g->worker.pid > 0)
		return send_error(g, m, "a run is under way already", e);
	if (guest_worker_start(&g->worker, m, &why) < 0)
		return send_error(g, m, why.msg, e);
	return 0;
}

static int handle(struct guest *g, const struct message *m, struct err *e)
{
	switch ((int)m->type) {
	case MESSAGE_RUN:
		return start_run(g, m, e);
	case MESSAGE_FACTS:
		return send_facts(g, m, e);
	case MESSAGE_BYE:
		g->bye = true;
		return 0;
	default:
		return send_error(g, m,
				  "the guest agent takes run, facts and "
				  "bye",
				  e);
	}
}

static int serve_peer(struct guest *g, struct err *e)
{
	int end = link_read(&g->peer, e), rc;
	struct message m;

	if (end < 0)
		return -1;
	while (!g->bye && (rc = link_next(&g->peer, &m, e)) != 0) {
		if (rc < 0)
			return -1;
		rc = handle(g, &m, e);
		message_deinit(&m);
		if (rc < 0)
			return -1;
	}
	if (end && !g->is_port)
		g->bye = true;
	else if (end)
		clock_sleep_ns(UNCONNECTED_MS * NS_PER_MS);
	return 0;
}

static int serve_worker(struct guest *g, struct err *e)
{
	return guest_worker_serve(&g->worker, &g->peer, e) < 0 ? -1 : 0;
}

// Sleeps until there is something to do: nothing ticks while a run measures.
static int step(struct guest *g, struct err *e)
{
	struct pollfd fds[2] = {
		{ .fd = g->peer.in, .events = POLLIN },
		{ .fd = g->worker.fd, .events = POLLIN },
	};

	if (link_wants_write(&g->peer))
		fds[0].events |= POLLOUT;
	if (poll(fds, 2, -1) < 0)
		return 0; // interrupted
	if ((fds[0].revents & POLLOUT) && link_flush(&g->peer, e) < 0)
		return -1;
	if (fds[1].revents != 0 && serve_worker(g, e) < 0)
		return -1;
	if (fds[0].revents & ~POLLOUT)
		return serve_peer(g, e);
	return 0;
}

int guest_main(int fd, struct err *e)
{
	CLEANUP(guest_deinit)
	struct guest g = { .worker = GUEST_WORKER_INIT };
	struct stat st;

	signal(SIGPIPE, SIG_IGN);
	if (fstat(fd, &st) < 0 || fd_set_nonblock(fd) < 0)
		return err_sys(e, ERR_HOST, "agent port");
	g.is_port = S_ISCHR(st.st_mode);
	link_init(&g.peer, fd, fd, "host agent");
	if (send_hello(&g, e) < 0)
		return -1;
	while (!g.bye) {
		if (step(&g, e) < 0)
			return -1;
	}
	return link_flush(&g.peer, e);
}
