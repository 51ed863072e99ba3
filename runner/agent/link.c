#include "runner/agent/link.h"

#include <errno.h>
#include <unistd.h>

#include "runner/base/fd.h"
#include "runner/proto/frame.h"

void link_init(struct link *l, int in, int out, const char *peer)
{
	*l = (struct link){ .in = in, .out = out, .peer = peer };
}

void link_deinit(struct link *l)
{
	buf_deinit(&l->got);
	buf_deinit(&l->unsent);
	l->in = l->out = -1;
}

int link_read(struct link *l, struct err *e)
{
	char chunk[65536];
	ssize_t n;

	// One whole frame may wait here while the next one arrives.
	while (l->got.len <= 2 * (size_t)FRAME_BODY_MAX) {
		n = fd_read_some(l->in, chunk, sizeof(chunk));
		if (n == 0)
			return 1;
		if (n < 0 && errno == EAGAIN)
			return 0;
		if (n < 0)
			return err_sys(e, ERR_HOST, "%s: read", l->peer);
		buf_add(&l->got, chunk, (size_t)n);
	}
	return 0;
}

int link_next(struct link *l, struct message *out, struct err *e)
{
	const char *body;
	size_t len, used;
	int rc;

	switch (frame_peek(buf_str(&l->got), l->got.len, &body, &len, &used)) {
	case FRAME_OK:
		rc = message_decode(body, len, l->peer, out, e);
		buf_consume(&l->got, used);
		return rc < 0 ? -1 : 1;
	case FRAME_MORE:
		return 0;
	case FRAME_BAD:
		break;
	}
	return err_set(e, ERR_HOST,
		       "%s: sent a frame that is empty or larger than %d "
		       "bytes; it does not speak this protocol",
		       l->peer, FRAME_BODY_MAX);
}

int link_flush(struct link *l, struct err *e)
{
	while (l->unsent.len > 0) {
		ssize_t n = write(l->out, l->unsent.data, l->unsent.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return 0;
		if (n < 0)
			return err_sys(e, ERR_HOST, "%s: write", l->peer);
		buf_consume(&l->unsent, (size_t)n);
	}
	return 0;
}

int link_send(struct link *l, struct js *msg, struct err *e)
{
	message_append(&l->unsent, msg);
	if (link_flush(l, e) < 0)
		return -1;
	if (l->unsent.len > LINK_UNSENT_MAX)
		return err_set(e, ERR_HOST, "%s: has stopped reading", l->peer);
	return 0;
}

bool link_wants_write(const struct link *l)
{
	return l->unsent.len > 0;
}
