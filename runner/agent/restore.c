#include "runner/agent/restore.h"

#include <errno.h>
#include <signal.h>

#include "runner/base/clock.h"

enum {
	LOOK_MS = 50, // between looks whether an agent has ended
};

static int end_holders(const struct js *held, struct err *e)
{
	for (size_t i = 0; i < js_len(held); i++) {
		pid_t pid = (pid_t)js_get_int(js_at(held, i), "pid", 0);

		if (kill(pid, SIGTERM) < 0 && errno != ESRCH)
			return err_sys(e, ERR_HOST, "agent %d", (int)pid);
	}
	return 0;
}

static void note_restored(struct js *restored, const struct js *held)
{
	for (size_t i = 0; i < js_len(held); i++) {
		const struct js *list = js_get(js_at(held, i), "changed");

		for (size_t k = 0; k < js_len(list); k++)
			js_append(restored, js_ref(js_at(list, k)));
	}
}

// Until nobody holds the host. Its controller may go away meanwhile.
static int wait_ended(struct host *h, struct fault *f)
{
	int64_t until = clock_mono_ns() + RESTORE_WAIT_S * NS_PER_S;

	for (;;) {
		CLEANUP(js_unrefp) struct js *held = js_array();
		const struct watch_for look = {
			.fd = -1,
			.deadline_ns = clock_mono_ns() + LOOK_MS * NS_PER_MS,
			.what = "the end of an agent",
		};

		if (lease_holders(&h->settings.lease, held, &f->err) < 0)
			return fault_from_err(f, OUTCOME_FAILED);
		if (js_len(held) == 0)
			return 0;
		if (clock_mono_ns() > until)
			return fault_set(
				f, OUTCOME_TIMEOUT,
				"agent %d does not end within %d s",
				(int)js_get_int(js_at(held, 0), "pid", 0),
				RESTORE_WAIT_S);
		if (watch_wait(&h->watch, &look, f) < 0 &&
		    f->outcome != OUTCOME_TIMEOUT)
			return -1;
	}
}

static int force(struct host *h, const struct js *held, struct fault *f)
{
	struct lease *l = &h->settings.lease;

	if (end_holders(held, &f->err) < 0)
		return fault_from_err(f, OUTCOME_FAILED);
	if (wait_ended(h, f) < 0)
		return -1;
	note_restored(l->restored, held);
	return lease_recover(l, &f->err) == 0
		       ? 0
		       : fault_from_err(f, OUTCOME_FAILED);
}

static void answer_error(struct host *h, const char *text)
{
	struct js *fields = js_object();

	js_set_str(fields, "message", text);
	host_answer(h, MESSAGE_ERROR, fields);
}

void restore_serve(struct host *h, const struct message *m)
{
	struct lease *l = &h->settings.lease;
	CLEANUP(js_unrefp) struct js *held = js_array();
	struct fault f = { 0 };
	struct js *fields;
	bool by_force = js_get_bool(m->body, "force", false);

	if (lease_holders(l, held, &f.err) < 0 ||
	    (by_force && js_len(held) > 0 && force(h, held, &f) < 0)) {
		answer_error(h, f.err.msg);
		return;
	}
	fields = js_object();
	js_set(fields, "restored", js_ref(l->restored));
	js_set(fields, "held", by_force ? js_array() : js_ref(held));
	host_answer(h, MESSAGE_DONE, fields);
}
