#include "runner/agent/guest.h"

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/agent/guest_facts.h"
#include "runner/agent/guest_worker.h"
#include "runner/agent/hook_run.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"

enum {
	UNCONNECTED_MS = 50, // between looks at a port nobody is connected to
	WORKERS_MAX = 1 + HOOKS_MAX,
};

struct guest {
	struct link peer;
	struct guest_worker workers[WORKERS_MAX];
	bool is_port; // a character device: may be connected again
	bool bye;
};

static void guest_deinit(struct guest *g)
{
	for (size_t i = 0; i < WORKERS_MAX; i++)
		guest_worker_stop(&g->workers[i]);
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

// One run at a time; hooks beside it, each under its own number.
static struct guest_worker *find_worker(struct guest *g, enum message_type type,
					int64_t id)
{
	for (size_t i = 0; i < WORKERS_MAX; i++) {
		struct guest_worker *w = &g->workers[i];

		if (w->pid > 0 && w->type == type &&
		    (type == MESSAGE_RUN || w->id == id))
			return w;
	}
	return NULL;
}

static struct guest_worker *find_room(struct guest *g)
{
	for (size_t i = 0; i < WORKERS_MAX; i++) {
		if (g->workers[i].pid == 0)
			return &g->workers[i];
	}
	return NULL;
}

static int start_worker(struct guest *g, const struct message *m, struct err *e)
{
	struct guest_worker *w = find_worker(g, m->type, m->id);
	struct err why = { 0 };

	if (w != NULL && w->answered) // it is only about to exit
		guest_worker_stop(w);
	else if (w != NULL)
		return send_error(g, m, "it is under way already", e);
	w = find_room(g);
	if (w == NULL)
		return send_error(g, m, "too many hooks are under way", e);
	if (guest_worker_start(w, m, &why) < 0)
		return send_error(g, m, why.msg, e);
	return 0;
}

// One that has ended by itself has sent its result.
static int end_hook(struct guest *g, const struct message *m)
{
	struct guest_worker *w = find_worker(g, MESSAGE_HOOK, m->id);

	if (w != NULL)
		guest_worker_end(w);
	return 0;
}

static int handle(struct guest *g, const struct message *m, struct err *e)
{
	switch ((int)m->type) {
	case MESSAGE_RUN:
	case MESSAGE_HOOK:
		return start_worker(g, m, e);
	case MESSAGE_END:
		return end_hook(g, m);
	case MESSAGE_FACTS:
		return send_facts(g, m, e);
	case MESSAGE_BYE:
		g->bye = true;
		return 0;
	default:
		return send_error(g, m,
				  "the guest agent takes run, hook, end, "
				  "facts and bye",
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

static int serve_workers(struct guest *g, const struct pollfd *fds,
			 struct err *e)
{
	for (size_t i = 0; i < WORKERS_MAX; i++) {
		if (fds[i].revents != 0 &&
		    guest_worker_serve(&g->workers[i], &g->peer, e) < 0)
			return -1;
	}
	return 0;
}

// Sleeps until there is something to do: nothing ticks while a run measures.
static int step(struct guest *g, struct err *e)
{
	struct pollfd fds[1 + WORKERS_MAX] = {
		{ .fd = g->peer.in, .events = POLLIN },
	};

	for (size_t i = 0; i < WORKERS_MAX; i++)
		fds[1 + i] = (struct pollfd){ .fd = g->workers[i].fd,
					      .events = POLLIN };
	if (link_wants_write(&g->peer))
		fds[0].events |= POLLOUT;
	if (poll(fds, ARRAY_LEN(fds), -1) < 0)
		return 0; // interrupted
	if ((fds[0].revents & POLLOUT) && link_flush(&g->peer, e) < 0)
		return -1;
	if (serve_workers(g, fds + 1, e) < 0)
		return -1;
	if (fds[0].revents & ~POLLOUT)
		return serve_peer(g, e);
	return 0;
}

int guest_main(int fd, struct err *e)
{
	CLEANUP(guest_deinit) struct guest g = { 0 };
	struct stat st;

	for (size_t i = 0; i < WORKERS_MAX; i++)
		g.workers[i] = (struct guest_worker)GUEST_WORKER_INIT;
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
