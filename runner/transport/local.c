// The agent as a child process on this machine, on one end of a socketpair;
// it leaves when the controller's end is closed, however the controller died.
#include "runner/transport/transport.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/transport/spawn.h"
#include "runner/transport/find.h"

struct transport {
	char *agent; // path of the binary
	struct spawn child;
};

static struct transport *local_open(const struct transport_target *target,
				    struct err *e)
{
	struct transport *t = xcalloc(1, sizeof(*t));

	(void)target;
	(void)e;
	spawn_init(&t->child);
	return t;
}

static int local_push(struct transport *t, struct err *e)
{
	CLEANUP(cleanup_free) char *arch = find_own_arch();

	free(t->agent);
	t->agent = find_agent(arch, e);
	return t->agent == NULL ? -1 : 0;
}

// In the child, between fork and exec: async-signal-safe calls only.
static void become_agent(const void *arg, int stream, int errors)
{
	const char *path = arg;
	char name[] = "vrun-agent", role[] = "host";
	char *argv[] = { name, role, NULL };

	if (dup2(stream, STDIN_FILENO) >= 0 &&
	    dup2(stream, STDOUT_FILENO) >= 0 &&
	    dup2(errors, STDERR_FILENO) >= 0)
		execv(path, argv);
	dprintf(errors, "%s: %s\n", path, strerror(errno));
}

static int local_exec(struct transport *t, struct err *e)
{
	return spawn_start(&t->child, become_agent, t->agent, e);
}

static void local_obituary(struct transport *t, struct buf *out)
{
	spawn_obituary(&t->child, out);
}

static void local_close(struct transport *t, int grace_ms)
{
	if (t == NULL)
		return;
	spawn_deinit(&t->child, grace_ms);
	free(t->agent);
	free(t);
}

const struct transport_ops transport_local = {
	.name = "local",
	.hello_s = 30,
	.open = local_open,
	.push = local_push,
	.exec = local_exec,
	.obituary = local_obituary,
	.close = local_close,
};
