#include "runner/agent/qmp.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runner/base/clock.h"
#include "runner/base/fd.h"

// 1: *line is the next whole line, cut out of the buffer by the caller.
static int peek_line(struct qmp *q, size_t *len, struct fault *f)
{
	const char *text = buf_str(&q->got);
	const char *end = memchr(text, '\n', q->got.len);

	if (end == NULL && q->got.len > QMP_LINE_MAX)
		return fault_set(f, OUTCOME_FAILED,
				 "QMP: a line of more than %d bytes",
				 QMP_LINE_MAX);
	if (end == NULL)
		return 0;
	*len = (size_t)(end - text) + 1;
	return 1;
}

// 1: more may follow; 0: nothing there now.
static int read_more(struct qmp *q, struct fault *f)
{
	char chunk[16384];
	ssize_t n = fd_read_some(q->fd, chunk, sizeof(chunk));

	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n < 0)
		return fault_set(f, OUTCOME_FAILED, "QMP: read: %s",
				 strerror(errno));
	if (n == 0)
		return fault_set(f, OUTCOME_FAILED,
				 "QMP: QEMU closed the connection");
	buf_add(&q->got, chunk, (size_t)n);
	return 1;
}

// 1: *out is the next message, 0: none is whole yet.
static int next(struct qmp *q, struct js **out, struct fault *f)
{
	size_t len = 0;
	int rc = peek_line(q, &len, f);

	if (rc <= 0)
		return rc;
	*out = js_parse(q->got.data, len, "QMP", &f->err);
	buf_consume(&q->got, len);
	if (*out == NULL)
		return fault_from_err(f, OUTCOME_FAILED);
	return 1;
}

// When QEMU ends, its socket closes a little before it can be reaped: its
// exit status and last words say more than the closed socket.
static int closed(struct qmp *q, struct fault *f)
{
	const struct watch_for end = {
		.fd = -1,
		.child = q->child,
		.deadline_ns = clock_mono_ns() + NS_PER_S,
		.what = "QMP's next line: QEMU closed the connection, its end",
	};

	return q->child == NULL ? -1 : watch_wait(q->watch, &end, f);
}

static int wait_message(struct qmp *q, int64_t deadline_ns, const char *what,
			struct js **out, struct fault *f)
{
	const struct watch_for readable = {
		.fd = q->fd,
		.child = q->child,
		.deadline_ns = deadline_ns,
		.what = what,
	};
	int rc;

	while ((rc = next(q, out, f)) == 0) {
		if (watch_wait(q->watch, &readable, f) < 0)
			return -1;
		if (read_more(q, f) < 0)
			return closed(q, f);
	}
	return rc < 0 ? -1 : 0;
}

static void take_event(struct qmp *q, const struct js *msg)
{
	snprintf(q->last_event, sizeof(q->last_event), "%s",
		 js_get_str(msg, "event", ""));
}

static int send_command(struct qmp *q, const char *name, struct js *args,
			struct fault *f)
{
	CLEANUP(js_unrefp) struct js *msg = js_object();
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	js_set_str(msg, "execute", name);
	js_set(msg, "arguments", args);
	js_print(msg, &text);
	buf_putc(&text, '\n');
	// Commands are short and one at a time: the socket's buffer holds one.
	if (fd_write_all(q->fd, text.data, text.len) < 0) {
		fault_set(f, OUTCOME_FAILED, "QMP: %s: write: %s", name,
			  strerror(errno));
		return errno == EPIPE ? closed(q, f) : -1;
	}
	return 0;
}

static int answer_of(const struct js *msg, const char *name, struct js **ret,
		     struct fault *f)
{
	const struct js *error = js_get(msg, "error");

	if (error != NULL)
		return fault_set(f, OUTCOME_FAILED, "QMP: %s: %s", name,
				 js_get_str(error, "desc", "unknown error"));
	*ret = js_ref(js_get(msg, "return"));
	return 0;
}

static bool is_answer(const struct js *msg)
{
	return js_get(msg, "return") != NULL || js_get(msg, "error") != NULL;
}

int qmp_command(struct qmp *q, const char *name, struct js *args,
		struct js **ret, struct fault *f)
{
	int64_t deadline = clock_mono_ns() + QMP_ANSWER_S * NS_PER_S;

	if (send_command(q, name, args, f) < 0)
		return -1;
	for (int i = 0; i < QMP_EVENTS_MAX; i++) {
		CLEANUP(js_unrefp) struct js *msg = NULL;

		if (wait_message(q, deadline, "QMP's answer", &msg, f) < 0)
			return fault_wrap(f, "QMP: %s", name);
		if (is_answer(msg))
			return answer_of(msg, name, ret, f);
		take_event(q, msg);
	}
	return fault_set(f, OUTCOME_FAILED, "QMP: %s: no answer in %d messages",
			 name, QMP_EVENTS_MAX);
}

static int greet(struct qmp *q, int64_t deadline_ns, struct fault *f)
{
	CLEANUP(js_unrefp) struct js *msg = NULL, *ret = NULL;
	const struct js *v, *n;

	if (wait_message(q, deadline_ns, "QMP's greeting", &msg, f) < 0)
		return -1;
	v = js_get(js_get(msg, "QMP"), "version");
	n = js_get(v, "qemu");
	if (n == NULL)
		return fault_set(f, OUTCOME_FAILED,
				 "QMP: the greeting has no version");
	snprintf(q->version, sizeof(q->version), "%d.%d.%d %s",
		 (int)js_get_int(n, "major", 0), (int)js_get_int(n, "minor", 0),
		 (int)js_get_int(n, "micro", 0), js_get_str(v, "package", ""));
	return qmp_command(q, "qmp_capabilities", NULL, &ret, f);
}

int qmp_open(struct qmp *q, const struct qmp_peer *peer, struct fault *f)
{
	*q = (struct qmp){
		.fd = peer->fd,
		.watch = peer->watch,
		.child = peer->child,
	};
	if (greet(q, peer->deadline_ns, f) == 0)
		return 0;
	qmp_close(q);
	return -1;
}

void qmp_close(struct qmp *q)
{
	fd_closep(&q->fd);
	buf_deinit(&q->got);
}
