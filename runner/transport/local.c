// The agent as a child process on this machine, on one end of a socketpair.
// It has a session of its own, so that Ctrl-C in the terminal reaches only
// the controller; it leaves when the controller's end is closed, however the
// controller died.
#include "runner/transport/transport.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"

enum {
	OBITUARY_WAIT_MS = 1000,
	REAP_STEP_MS = 10,
	LAST_WORDS_MAX = 400,
};

struct transport {
	char *agent; // path of the binary
	pid_t pid;   // 0: not running
	int status;  // of wait(2), once `ended`
	bool ended;
	int errors; // sealed memfd: the agent's standard error
};

static struct transport *local_open(const struct transport_target *target,
				    struct err *e)
{
	struct transport *t = xcalloc(1, sizeof(*t));

	(void)target;
	(void)e;
	t->errors = -1;
	return t;
}

// The directory of the running vrun, allocated; NULL with errno.
static char *own_dir(void)
{
	CLEANUP(cleanup_free) char *self = realpath("/proc/self/exe", NULL);

	return self == NULL ? NULL : xstrdup(dirname(self));
}

// $VRUN_AGENT, beside vrun in a build tree, or where `make install` puts it.
static char *find_agent(struct err *e)
{
	static const char *const places[] = { "vrun-agent",
					      "../libexec/vrun/vrun-agent" };
	const char *given = getenv("VRUN_AGENT");
	CLEANUP(cleanup_free) char *dir = own_dir();

	if (given != NULL && given[0] != '\0') {
		if (access(given, X_OK) == 0)
			return xstrdup(given);
		err_sys(e, ERR_HOST, "VRUN_AGENT: %s", given);
		return NULL;
	}
	for (size_t i = 0; dir != NULL && i < ARRAY_LEN(places); i++) {
		char *path = xasprintf("%s/%s", dir, places[i]);

		if (access(path, X_OK) == 0)
			return path;
		free(path);
	}
	err_set(e, ERR_HOST,
		"no vrun-agent beside vrun in %s nor in ../libexec/vrun; run "
		"`make`, or name it in VRUN_AGENT",
		dir != NULL ? dir : "?");
	return NULL;
}

static int local_push(struct transport *t, struct err *e)
{
	free(t->agent);
	t->agent = find_agent(e);
	return t->agent == NULL ? -1 : 0;
}

// A file in memory that cannot grow past its limit, so that an agent that
// never stops complaining costs no more than that.
static int errors_new(struct err *e)
{
	CLEANUP(fd_closep) int fd = -1;

	fd = memfd_create("vrun-agent-errors", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0 || ftruncate(fd, TRANSPORT_ERRORS_MAX) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) < 0)
		return err_sys(e, ERR_HOST, "memory for the agent's messages");
	return TAKE_FD(fd);
}

// In the child, between fork and exec: async-signal-safe calls only.
static void become_agent(const char *path, int stream, int errors)
{
	char name[] = "vrun-agent", role[] = "host";
	char *argv[] = { name, role, NULL };
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL); // vrun ignores both
	signal(SIGXFSZ, SIG_DFL);
	setsid();
	if (dup2(stream, STDIN_FILENO) >= 0 &&
	    dup2(stream, STDOUT_FILENO) >= 0 &&
	    dup2(errors, STDERR_FILENO) >= 0)
		execv(path, argv);
	dprintf(errors, "%s: %s\n", path, strerror(errno));
	_exit(127);
}

static int local_exec(struct transport *t, struct err *e)
{
	CLEANUP(fd_closep) int ours = -1, theirs = -1;
	int pair[2];

	t->errors = errors_new(e);
	if (t->errors < 0)
		return -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, ERR_HOST, "socketpair");
	ours = pair[0];
	theirs = pair[1];
	if (fd_set_nonblock(ours) < 0)
		return err_sys(e, ERR_HOST, "socketpair");
	t->pid = fork();
	if (t->pid < 0)
		return err_sys(e, ERR_HOST, "fork");
	if (t->pid == 0)
		become_agent(t->agent, theirs, t->errors);
	return TAKE_FD(ours);
}

// Whether the agent ended, waiting at most `ms` for it.
static bool reap(struct transport *t, int ms)
{
	int64_t until = clock_mono_ns() + ms * NS_PER_MS;

	while (t->pid > 0 && !t->ended) {
		t->ended = waitpid(t->pid, &t->status, WNOHANG) == t->pid;
		if (t->ended || clock_mono_ns() >= until)
			break;
		clock_sleep_ns(REAP_STEP_MS * NS_PER_MS);
	}
	return t->ended;
}

// The end of what the agent wrote to standard error; false when nothing.
static bool last_words(const struct transport *t, char *out, size_t size)
{
	off_t end = t->errors < 0 ? 0 : lseek(t->errors, 0, SEEK_CUR);
	off_t from = end > (off_t)size - 1 ? end - (off_t)size + 1 : 0;
	ssize_t n = end <= 0 ? 0 : pread(t->errors, out, size - 1, from);

	while (n > 0 && strchr(" \r\n\t", out[n - 1]) != NULL)
		n--;
	out[n > 0 ? n : 0] = '\0';
	for (char *p = out; *p != '\0'; p++) {
		if ((unsigned char)*p < ' ')
			*p = *p == '\n' ? '|' : ' ';
	}
	return n > 0;
}

static void local_obituary(struct transport *t, struct buf *out)
{
	char words[LAST_WORDS_MAX];

	if (!reap(t, OBITUARY_WAIT_MS))
		buf_puts(out, "the agent closed its connection but runs on");
	else if (WIFSIGNALED(t->status))
		buf_printf(out, "the agent was killed by signal %d (%s)",
			   WTERMSIG(t->status), strsignal(WTERMSIG(t->status)));
	else
		buf_printf(out, "the agent ended with status %d",
			   WEXITSTATUS(t->status));
	if (last_words(t, words, sizeof(words)))
		buf_printf(out, ", saying: %s", words);
}

static void local_close(struct transport *t, int grace_ms)
{
	if (t == NULL)
		return;
	if (t->pid > 0 && !reap(t, grace_ms)) {
		kill(t->pid, SIGKILL);
		waitpid(t->pid, &t->status, 0);
	}
	fd_closep(&t->errors);
	free(t->agent);
	free(t);
}

const struct transport_ops transport_local = {
	.name = "local",
	.open = local_open,
	.push = local_push,
	.exec = local_exec,
	.obituary = local_obituary,
	.close = local_close,
};
