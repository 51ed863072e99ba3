// The fake agent as a row of the transport table: a child process on a
// socketpair. fake_script tells each agent that is started what to do.
#pragma once

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "runner/base/alloc.h"
#include "runner/transport/transport.h"
#include "tests/fake/agent.h"

struct transport {
	pid_t pid;
};

static const char *fake_script = "good";
static unsigned fake_started; // agents so far

static struct transport *fake_open(const struct transport_target *target,
				   struct err *e)
{
	(void)target;
	(void)e;
	return xcalloc(1, sizeof(struct transport));
}

static int fake_push(struct transport *t, struct err *e)
{
	(void)t;
	bool deaf = fake_memory != NULL && fake_memory->deaf > 0;

	if (deaf)
		fake_memory->deaf--;
	if (deaf || strcmp(fake_script, "unreachable") == 0)
		return err_set(e, ERR_HOST, "no route to host");
	return 0;
}

static int fake_exec(struct transport *t, struct err *e)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, ERR_HOST, "socketpair");
	fake_started++;
	t->pid = fork();
	if (t->pid == 0) {
		close(pair[0]);
		_exit(fake_agent(pair[1], fake_script));
	}
	close(pair[1]);
	if (fd_set_nonblock(pair[0]) < 0)
		return err_sys(e, ERR_HOST, "socketpair");
	return pair[0];
}

static void fake_obituary(struct transport *t, struct buf *out)
{
	(void)t;
	buf_puts(out, "the fake agent ended");
}

static void fake_close(struct transport *t, int grace_ms)
{
	(void)grace_ms;
	if (t->pid > 0) {
		kill(t->pid, SIGKILL);
		waitpid(t->pid, NULL, 0);
	}
	free(t);
}

static const struct transport_ops fake_ops = {
	.name = "fake",
	.hello_s = 30,
	.open = fake_open,
	.push = fake_push,
	.exec = fake_exec,
	.obituary = fake_obituary,
	.close = fake_close,
};
