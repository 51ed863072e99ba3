#include "runner/campaign/restore.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>

#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/campaign/session.h"

enum asked_state {
	ASKED_HELLO,  // until hello
	ASKED_DONE,   // until done
	ASKED_LEAVES, // bye was said; until the connection ends
	ASKED_OVER,
};

struct asked {
	const char *name;
	enum asked_state state;
	struct session *session;
	int64_t until_ns;  // of the state
	struct js *answer; // once known
	bool force;
};

static void enter(struct asked *a, enum asked_state state, int64_t seconds)
{
	a->state = state;
	a->until_ns = clock_mono_ns() + seconds * NS_PER_S;
}

static void hang_up(struct asked *a)
{
	session_close(a->session, RESTORE_GRACE_MS);
	a->session = NULL;
	enter(a, ASKED_OVER, 0);
}

static void fail(struct asked *a, const char *why)
{
	a->answer = js_object();
	js_set_str(a->answer, "error", why);
	hang_up(a);
}

static void begin(struct asked *a, const struct transport_target *target)
{
	const struct transport_ops *ops = transport_for(target);
	struct err e = { 0 };

	a->name = target->name;
	enter(a, ASKED_HELLO, ops->hello_s);
	if (session_open(ops, target, &a->session, &e) < 0)
		fail(a, e.msg);
}

// --- what it says --------------------------------------------------------

static void on_hello(struct asked *a, const struct message *m)
{
	struct js *fields;

	if (js_get_int(m->body, "version", 0) != MESSAGE_VERSION) {
		fail(a, "its agent is of another vrun");
		return;
	}
	fields = js_object();
	js_set_bool(fields, "force", a->force);
	session_ask(a->session, MESSAGE_RESTORE, fields);
	enter(a, ASKED_DONE, RESTORE_ANSWER_S);
}

static void on_done(struct asked *a, const struct message *m)
{
	static const char *const keys[] = { "restored", "held" };

	a->answer = js_object();
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct js *list = js_get(m->body, keys[i]);

		js_set(a->answer, keys[i],
		       list != NULL ? js_ref(list) : js_array());
	}
	session_ask(a->session, MESSAGE_BYE, NULL);
	enter(a, ASKED_LEAVES, RESTORE_LEAVE_S);
}

static void take(struct asked *a, const struct message *m)
{
	struct err e = { 0 };

	if (a->state == ASKED_HELLO && m->type == MESSAGE_HELLO) {
		on_hello(a, m);
	} else if (a->state == ASKED_DONE && m->type == MESSAGE_DONE) {
		on_done(a, m);
	} else {
		err_set(&e, ERR_HOST, "its agent says: %s",
			js_get_str(m->body, "message",
				   message_type_name(m->type)));
		fail(a, e.msg);
	}
}

// One message, or the end. Whether there may be another.
static bool read_one(struct asked *a)
{
	struct message m = { 0 };
	struct err e = { 0 };

	switch (session_next(a->session, &m, &e)) {
	case SESSION_MESSAGE:
		take(a, &m);
		message_deinit(&m);
		return a->state < ASKED_LEAVES;
	case SESSION_GONE:
	case SESSION_BAD:
		fail(a, e.msg);
		return false;
	case SESSION_QUIET:
		break;
	}
	return false;
}

static void read_all(struct asked *a)
{
	session_receive(a->session);
	if (a->state == ASKED_LEAVES) {
		if (session_discard(a->session))
			hang_up(a);
		return;
	}
	while (read_one(a))
		;
}

// --- all of them ---------------------------------------------------------

static bool all_over(const struct asked *all, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (all[i].state != ASKED_OVER)
			return false;
	}
	return true;
}

static int wait_for_any(const struct asked *all, struct pollfd *pfd, size_t n,
			struct err *e)
{
	int64_t until = INT64_MAX, ms;

	for (size_t i = 0; i < n; i++) {
		const struct session *s = all[i].session;

		pfd[i] = (struct pollfd){ .fd = -1 };
		if (s == NULL)
			continue;
		pfd[i].fd = session_fd(s);
		pfd[i].events = session_events(s);
		until = MIN(until, all[i].until_ns);
	}
	// Rounded up, so that the time has come when poll returns.
	ms = (until - clock_mono_ns() + NS_PER_MS - 1) / NS_PER_MS;
	ms = MIN(MAX(ms, (int64_t)0), (int64_t)INT32_MAX);
	if (poll(pfd, n, (int)ms) >= 0)
		return 0;
	for (size_t i = 0; i < n; i++)
		pfd[i].revents = 0;
	return errno == EINTR ? 0 : err_sys(e, ERR_HOST, "poll");
}

static void serve(struct asked *a, short revents)
{
	if (a->state == ASKED_OVER)
		return;
	if (revents & POLLOUT)
		session_flush(a->session);
	if (revents & ~POLLOUT)
		read_all(a);
	if (a->state == ASKED_OVER || clock_mono_ns() < a->until_ns)
		return;
	if (a->state == ASKED_LEAVES)
		hang_up(a);
	else
		fail(a, "its agent does not answer");
}

static int loop(struct asked *all, size_t n, struct err *e)
{
	CLEANUP(cleanup_free) struct pollfd *pfd = xcalloc(n, sizeof(*pfd));

	while (!all_over(all, n)) {
		if (wait_for_any(all, pfd, n, e) < 0)
			return -1;
		for (size_t i = 0; i < n; i++)
			serve(&all[i], pfd[i].revents);
	}
	return 0;
}

int restore_ask(const struct transport_target *targets, size_t n, bool force,
		struct js **out, struct err *e)
{
	CLEANUP(cleanup_free) struct asked *all = xcalloc(n, sizeof(*all));
	struct js *list = js_array();
	int rc;

	for (size_t i = 0; i < n; i++) {
		all[i].force = force;
		begin(&all[i], &targets[i]);
	}
	rc = loop(all, n, e);
	for (size_t i = 0; i < n; i++) {
		session_close(all[i].session, 0);
		if (all[i].answer == NULL)
			continue;
		js_set_str(all[i].answer, "host", all[i].name);
		js_append(list, all[i].answer);
	}
	if (rc == 0)
		*out = list;
	else
		js_unref(list);
	return rc;
}
