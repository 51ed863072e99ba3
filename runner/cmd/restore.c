// vrun restore [HOST...]: puts back what agents that died left changed.
#include "runner/cmd/cmd.h"

#include <stdio.h>

#include "runner/base/alloc.h"
#include "runner/base/arena.h"
#include "runner/base/js.h"
#include "runner/base/plain.h"
#include "runner/campaign/restore.h"
#include "runner/cmd/hosts.h"

enum {
	FILES_SHOWN = 4, // of a host; --json has all
};

static const struct cmd_option restore_options[] = {
	HOSTS_OPTIONS,
	{ "force", 0, NULL, "end the agent that holds a host, then restore" },
	{ "json", 0, NULL, "what was restored, as JSON" },
	{ NULL, 0, NULL, NULL },
};

// --- telling -------------------------------------------------------------

static void print_changes(const struct js *list, struct buf *out)
{
	size_t n = js_len(list), shown = n > FILES_SHOWN ? FILES_SHOWN - 1 : n;

	for (size_t i = 0; i < shown; i++) {
		const struct js *c = js_at(list, i);

		buf_printf(out, "%s%s from \"%s\" back to \"%s\"",
			   i > 0 ? ", " : "", js_get_str(c, "file", "?"),
			   js_get_str(c, "from", "?"),
			   js_get_str(c, "to", "?"));
	}
	if (shown < n)
		buf_printf(out, ", and %zu other files", n - shown);
}

static void print_holder(const struct js *h, struct buf *out)
{
	const char *campaign = js_get_str(h, "campaign", "");

	buf_printf(out,
		   "held by the agent %lld%s%s, which has %zu files changed; "
		   "wait for its campaign, or give --force",
		   (long long)js_get_int(h, "pid", 0),
		   campaign[0] != '\0' ? " of campaign " : "", campaign,
		   js_len(js_get(h, "changed")));
}

// One line.
static void print_host(const struct js *host)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	const char *error = js_get_str(host, "error", NULL);
	const struct js *restored = js_get(host, "restored");
	const struct js *held = js_get(host, "held");

	print_changes(restored, &text);
	for (size_t i = 0; i < js_len(held); i++) {
		buf_puts(&text, text.len > 0 ? "; " : "");
		print_holder(js_at(held, i), &text);
	}
	if (error != NULL)
		buf_printf(&text, "cannot be restored: %s", error);
	else if (text.len == 0)
		buf_puts(&text, "nothing to restore");
	plain_text(text.data);
	printf("%s: %s\n", js_get_str(host, "host", ""), text.data);
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

static int ask(const struct cmd_args *args, const struct inventory_host *known,
	       size_t n, struct js **out, struct err *e)
{
	CLEANUP(cleanup_free)
	struct transport_target *targets = xcalloc(n, sizeof(*targets));

	for (size_t i = 0; i < n; i++) {
		targets[i] = hosts_target(&known[i]);
		targets[i].lease_ns = 0; // to end with the connection
		targets[i].accept_new_host_key =
			cmd_has(args, "accept-new-host-key");
	}
	return restore_ask(targets, n, cmd_has(args, "force"), out, e);
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
	CLEANUP(js_unrefp) struct js *hosts = NULL;
	struct matrix m = { .arena = a };
	struct inventory_host *known;

	name_hosts(args, &m);
	if (hosts_resolve(".", &m, &known, e) < 0 ||
	    ask(args, known, m.nhosts, &hosts, e) < 0)
		return -1;
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
		"changed, does it for them, and says in a line for each host\n"
		"which files had which value and have which now. All hosts\n"
		"are asked at once. Any vrun that begins on a host does the\n"
		"same, and a reboot needs no restoring.\n"
		"\n"
		"A host that a living agent holds is left alone. With --force\n"
		"that agent is told to end: it stops its VM, puts back what\n"
		"it changed, and its campaign can be resumed.\n"
		"\n"
		"Exit status 0 when every host is as it was, 1 when one\n"
		"cannot be reached or restored, else 3 when one is held.",
	.min_operands = 0,
	.max_operands = INVENTORY_HOSTS_MAX,
	.options = restore_options,
	.run = restore,
};
