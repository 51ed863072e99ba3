#include "runner/campaign/session.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "runner/base/alloc.h"
#include "runner/base/fd.h"
#include "runner/proto/frame.h"

// The other end, in messages whose reader knows the host.
static const char peer[] = "agent";

struct session {
	const struct transport_ops *ops;
	struct transport *transport;
	int fd;
	bool ended; // no more input will come
	bool greeted;
	struct buf in, out;
	int64_t asked; // id of the open request; 0: none yet
	unsigned answers;
};

static void session_freep(struct session **s)
{
	session_close(*s, 0);
}

int session_open(const struct transport_ops *ops,
		 const struct transport_target *target, struct session **out,
		 struct err *e)
{
	CLEANUP(session_freep) struct session *s = xcalloc(1, sizeof(*s));

	s->ops = ops;
	s->fd = -1;
	s->transport = ops->open(target, e);
	if (s->transport == NULL || ops->push(s->transport, e) < 0)
		return -1;
	s->fd = ops->exec(s->transport, e);
	if (s->fd < 0)
		return -1;
	*out = TAKE_PTR(s);
	return 0;
}

int session_fd(const struct session *s)
{
	return s->fd;
}

short session_events(const struct session *s)
{
	return (short)(POLLIN | (s->out.len > 0 ? POLLOUT : 0));
}

void session_flush(struct session *s)
{
	while (s->out.len > 0) {
		ssize_t n = send(s->fd, s->out.data, s->out.len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			buf_clear(&s->out); // its end is read next
		if (n < 0)
			return;
		buf_consume(&s->out, (size_t)n);
	}
}

void session_ask(struct session *s, enum message_type t, struct js *fields)
{
	struct js *msg = message_new(t, ++s->asked), *value;
	const char *key;

	JS_FOREACH (fields, key, value)
		js_set(msg, key, js_ref(value));
	js_unref(fields);
	s->answers = 0;
	message_append(&s->out, msg);
	session_flush(s);
}

void session_ping(struct session *s)
{
	message_append(&s->out, message_new(MESSAGE_PING, 0));
	session_flush(s);
}

void session_receive(struct session *s)
{
	ssize_t n;

	buf_reserve(&s->in, SESSION_READ_BYTES);
	n = fd_read_some(s->fd, s->in.data + s->in.len, SESSION_READ_BYTES);
	if (n > 0) {
		s->in.len += (size_t)n;
		s->in.data[s->in.len] = '\0';
	} else if (n == 0 || errno != EAGAIN) {
		s->ended = true;
	}
}

static enum session_status gone(struct session *s, struct err *e)
{
	CLEANUP(buf_deinit) struct buf how = BUF_INIT;

	s->ops->obituary(s->transport, &how);
	err_set(e, ERR_HOST, "%s%s", buf_str(&how),
		s->in.len > 0 ? " in the middle of a message" : "");
	return SESSION_GONE;
}

// Hello comes first and once; everything else answers the open request.
static int check_turn(struct session *s, const struct message *m, struct err *e)
{
	const char *type = message_type_name(m->type);

	if ((m->type == MESSAGE_HELLO) == s->greeted)
		return err_set(e, ERR_HOST, "%s: \"%s\" out of turn", peer,
			       type);
	s->greeted = true;
	if (m->type == MESSAGE_HELLO)
		return 0;
	if (m->id != s->asked)
		return err_set(e, ERR_HOST,
			       "%s: \"%s\" answers request %lld, which is not "
			       "open",
			       peer, type, (long long)m->id);
	if (++s->answers > SESSION_ANSWERS_MAX)
		return err_set(e, ERR_HOST,
			       "%s: more than %d answers to one request", peer,
			       SESSION_ANSWERS_MAX);
	return 0;
}

static bool are_last_words(const struct message *m)
{
	return m->type == MESSAGE_ERROR && m->id == 0;
}

static enum session_status take(struct session *s, const char *body, size_t len,
				struct message *out, struct err *e)
{
	struct message m = { 0 };

	if (message_decode(body, len, peer, &m, e) < 0)
		return SESSION_BAD;
	if (are_last_words(&m)) {
		err_set(e, ERR_HOST, "%s: %s", peer,
			js_get_str(m.body, "message", ""));
		message_deinit(&m);
		return SESSION_GONE;
	}
	if (check_turn(s, &m, e) < 0) {
		message_deinit(&m);
		return SESSION_BAD;
	}
	*out = m;
	return SESSION_MESSAGE;
}

enum session_status session_next(struct session *s, struct message *out,
				 struct err *e)
{
	enum session_status st;
	const char *body;
	size_t len, used;

	switch (frame_peek(buf_str(&s->in), s->in.len, &body, &len, &used)) {
	case FRAME_MORE:
		return s->ended ? gone(s, e) : SESSION_QUIET;
	case FRAME_BAD:
		err_set(e, ERR_HOST, "%s: what it sends is not the protocol",
			peer);
		return SESSION_BAD;
	case FRAME_OK:
		break;
	}
	st = take(s, body, len, out, e);
	buf_consume(&s->in, used);
	return st;
}

bool session_discard(struct session *s)
{
	buf_clear(&s->in);
	return s->ended;
}

void session_close(struct session *s, int grace_ms)
{
	if (s == NULL)
		return;
	fd_closep(&s->fd);
	if (s->transport != NULL)
		s->ops->close(s->transport, grace_ms);
	buf_deinit(&s->in);
	buf_deinit(&s->out);
	free(s);
}
