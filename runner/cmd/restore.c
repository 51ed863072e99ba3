// vrun restore [HOST...]: puts back what agents that died left changed.
#include "runner/cmd/cmd.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "runner/base/arena.h"
#include "runner/base/clock.h"
#include "runner/base/js.h"
#include "runner/base/plain.h"
#include "runner/campaign/session.h"
#include "runner/cmd/hosts.h"

enum {
	ANSWER_S = 90, // the agent may wait for another to end
	GRACE_MS = 2000,
};

static const struct cmd_option restore_options[] = {
	HOSTS_OPTIONS,
	{ "force", 0, NULL, "end the agent that holds a host, then restore" },
	{ "json", 0, NULL, "what was restored, as JSON" },
	{ NULL, 0, NULL, NULL },
};

// --- asking one host -----------------------------------------------------

static int wait_readable(const struct session *s, int64_t until_ns,
			 struct err *e)
{
	struct pollfd p = { .fd = session_fd(s), .events = session_events(s) };
	int64_t left_ms = (until_ns - clock_mono_ns()) / NS_PER_MS;

	if (left_ms <= 0)
		return err_set(e, ERR_HOST, "its agent does not answer");
	if (poll(&p, 1, (int)left_ms) < 0 && errno != EINTR)
		return err_sys(e, ERR_HOST, "poll");
	return 0;
}

// The next message, whatever it is.
static int receive(struct session *s, int64_t until_ns, struct message *m,
		   struct err *e)
{
	for (;;) {
		switch (session_next(s, m, e)) {
		case SESSION_MESSAGE:
			return 0;
		case SESSION_GONE:
		case SESSION_BAD:
			return -1;
		case SESSION_QUIET:
			break;
		}
		if (wait_readable(s, until_ns, e) < 0)
			return -1;
		session_flush(s);
		session_receive(s);
	}
}

// The body of the message, which must be of this type; NULL with an error.
static struct js *expect(struct session *s, enum message_type type,
			 int64_t seconds, struct err *e)
{
	struct message m = { 0 };
	struct js *body;

	if (receive(s, clock_mono_ns() + seconds * NS_PER_S, &m, e) < 0)
		return NULL;
	if (m.type == type) {
		body = m.body;
		m.body = NULL;
		return body;
	}
	err_set(e, ERR_HOST, "its agent says: %s",
		js_get_str(m.body, "message", message_type_name(m.type)));
	message_deinit(&m);
	return NULL;
}

static struct js *converse(struct session *s, unsigned hello_s, bool force,
			   struct err *e)
{
	CLEANUP(js_unrefp)
	struct js *hello = expect(s, MESSAGE_HELLO, hello_s, e);
	struct js *fields, *done;

	if (hello == NULL)
		return NULL;
	if (js_get_int(hello, "version", 0) != MESSAGE_VERSION) {
		err_set(e, ERR_HOST, "its agent is of another vrun");
		return NULL;
	}
	fields = js_object();
	js_set_bool(fields, "force", force);
	session_ask(s, MESSAGE_RESTORE, fields);
	done = expect(s, MESSAGE_DONE, ANSWER_S, e);
	if (done != NULL)
		session_ask(s, MESSAGE_BYE, NULL);
	return done;
}

// {restored, held}; NULL with an error.
static struct js *ask(const struct transport_target *target, bool force,
		      struct err *e)
{
	const struct transport_ops *ops = transport_for(target);
	struct session *s = NULL;
	struct js *done;

	if (session_open(ops, target, &s, e) < 0)
		return NULL;
	done = converse(s, ops->hello_s, force, e);
	session_close(s, GRACE_MS);
	return done;
}

// --- telling -------------------------------------------------------------

static void print_change(const struct js *c, const char *host, struct buf *out)
{
	buf_printf(out, "%s: %s: \"%s\" back to \"%s\"\n", host,
		   js_get_str(c, "file", "?"), js_get_str(c, "from", "?"),
		   js_get_str(c, "to", "?"));
}

static void print_holder(const struct js *h, const char *host, struct buf *out)
{
	const char *campaign = js_get_str(h, "campaign", "");

	buf_printf(out,
		   "%s: held by the agent %lld%s%s, which has %zu files "
		   "changed; wait for its campaign, or give --force\n",
		   host, (long long)js_get_int(h, "pid", 0),
		   campaign[0] != '\0' ? " of campaign " : "", campaign,
		   js_len(js_get(h, "changed")));
}

static void print_host(const struct js *host)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	const char *name = js_get_str(host, "host", "");
	const char *error = js_get_str(host, "error", NULL);
	const struct js *restored = js_get(host, "restored");
	const struct js *held = js_get(host, "held");

	for (size_t i = 0; i < js_len(restored); i++)
		print_change(js_at(restored, i), name, &text);
	for (size_t i = 0; i < js_len(held); i++)
		print_holder(js_at(held, i), name, &text);
	if (error != NULL)
		buf_printf(&text, "%s: cannot be restored: %s\n", name, error);
	else if (text.len == 0)
		buf_printf(&text, "%s: nothing to restore\n", name);
	plain_lines(text.data);
	fputs(text.data, stdout);
}

static void print_all(const struct js *hosts, bool json)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	if (json) {
		js_print_pretty(hosts, &text);
		fputs(buf_str(&text), stdout);
		return;
	}
	for (size_t i = 0; i < js_len(hosts); i++)
		print_host(js_at(hosts, i));
}

static int status_of(const struct js *hosts)
{
	int status = CMD_OK;

	for (size_t i = 0; i < js_len(hosts); i++) {
		if (js_get(js_at(hosts, i), "error") != NULL)
			return CMD_INCOMPLETE;
		if (js_len(js_get(js_at(hosts, i), "held")) > 0)
			status = CMD_REFUSED;
	}
	return status;
}

// --- the command ---------------------------------------------------------

// {host, restored, held}, or {host, error}.
static struct js *restore_one(const struct cmd_args *args,
			      const struct inventory_host *h)
{
	struct transport_target target = hosts_target(h);
	struct err e = { 0 };
	struct js *out;

	target.lease_ns = 0; // this agent is to end with the connection
	target.accept_new_host_key = cmd_has(args, "accept-new-host-key");
	out = ask(&target, cmd_has(args, "force"), &e);
	if (out == NULL) {
		out = js_object();
		js_set_str(out, "error", e.msg);
	}
	js_del(out, "type");
	js_del(out, "id");
	js_set_str(out, "host", h->name);
	return out;
}

// The operands stand for the hosts of a matrix in this directory.
static void name_hosts(const struct cmd_args *args, struct matrix *m)
{
	size_t n = args->noperands > 0 ? args->noperands : 1;

	m->hosts = arena_array(m->arena, n, sizeof(*m->hosts));
	m->hosts_at = arena_array(m->arena, n, sizeof(*m->hosts_at));
	for (m->nhosts = 0; m->nhosts < n; m->nhosts++)
		m->hosts[m->nhosts] = args->noperands > 0
					      ? args->operands[m->nhosts]
					      : INVENTORY_LOCAL;
}

static int restore(const struct cmd_args *args, int *status, struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(js_unrefp) struct js *hosts = js_array();
	struct matrix m = { .arena = a };
	struct inventory_host *known;

	name_hosts(args, &m);
	if (hosts_resolve(".", &m, &known, e) < 0)
		return -1;
	for (size_t i = 0; i < m.nhosts; i++)
		js_append(hosts, restore_one(args, &known[i]));
	print_all(hosts, cmd_has(args, "json"));
	*status = status_of(hosts);
	return 0;
}

const struct cmd cmd_restore = {
	.name = "restore",
	.operands = "[HOST...]",
	.summary = "put back host settings that a dead agent left changed",
	.details =
		"Looks on each host (this one when none is named; names of\n"
		"hosts.yaml here or in ~/.config/vrun, or SSH destinations)\n"
		"for agents that died before they could put back what they\n"
		"changed, does it for them, and says each file with its value\n"
		"then and now. Any vrun that begins on the host does the same,\n"
		"and a reboot needs no restoring.\n"
		"\n"
		"A host that a living agent holds is left alone, exit status\n"
		"3. With --force that agent is told to end: it stops its VM,\n"
		"puts back what it changed, and its campaign can be resumed.\n"
		"Exit status 1 when a host cannot be restored or reached.",
	.min_operands = 0,
	.max_operands = INVENTORY_HOSTS_MAX,
	.options = restore_options,
	.run = restore,
};
