#include "runner/agent/relay.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runner/base/fd.h"

enum {
	RELAY_BYTES = 64 * 1024, // that wait in one direction
};

struct way {
	int from, to;
	bool ended;
	size_t len, sent;
	char data[RELAY_BYTES];
};

// It is read from while nothing waits, and written to while something does.
static struct pollfd wants(const struct way *w)
{
	bool full = w->len > w->sent;

	if (w->ended)
		return (struct pollfd){ .fd = -1 };
	return (struct pollfd){ .fd = full ? w->to : w->from,
				.events = full ? POLLOUT : POLLIN };
}

static void take(struct way *w)
{
	ssize_t n = fd_read_some(w->from, w->data, sizeof(w->data));

	w->ended = n == 0 || (n < 0 && errno != EAGAIN);
	w->len = n > 0 ? (size_t)n : 0;
	w->sent = 0;
}

static void give(struct way *w)
{
	ssize_t n = write(w->to, w->data + w->sent, w->len - w->sent);

	if (n > 0)
		w->sent += (size_t)n;
	else if (n < 0 && errno != EAGAIN && errno != EINTR)
		w->ended = true;
}

static void step(struct way *w, short revents)
{
	if (revents == 0)
		return;
	if (w->len > w->sent)
		give(w);
	else
		take(w);
}

int relay_run(int in, int out, int socket, struct err *e)
{
	struct way ways[] = { { .from = in, .to = socket },
			      { .from = socket, .to = out } };
	const int fds[] = { in, out, socket };

	for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
		if (fd_set_nonblock(fds[i]) < 0)
			return err_sys(e, ERR_HOST,
				       "standard input and "
				       "output");
	}
	while (!ways[1].ended) {
		struct pollfd p[] = { wants(&ways[0]), wants(&ways[1]) };

		if (poll(p, ARRAY_LEN(p), -1) < 0 && errno != EINTR)
			return err_sys(e, ERR_HOST, "poll");
		for (size_t i = 0; i < ARRAY_LEN(ways); i++)
			step(&ways[i], p[i].revents);
		if (ways[0].ended)
			shutdown(socket, SHUT_WR);
	}
	return 0;
}
