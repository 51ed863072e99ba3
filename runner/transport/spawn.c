#include "runner/transport/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/base/clock.h"
#include "runner/base/fd.h"

enum {
	OBITUARY_WAIT_MS = 1000,
	REAP_STEP_MS = 10,
	LAST_WORDS_MAX = 1200,
};

void spawn_init(struct spawn *c)
{
	*c = (struct spawn){ .errors = -1 };
}

// A file in memory that cannot grow past its limit, so that a child that never
// stops complaining costs no more than that.
static int errors_new(struct err *e)
{
	CLEANUP(fd_closep) int fd = -1;

	fd = memfd_create("vrun-child-errors", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0 || ftruncate(fd, SPAWN_ERRORS_MAX) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) < 0)
		return err_sys(e, ERR_HOST, "memory for the agent's messages");
	return TAKE_FD(fd);
}

// Vrun itself ignores SIGPIPE and takes some signals through a descriptor.
static void reset_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
}

int spawn_start(struct spawn *c, spawn_main *run, const void *arg,
		struct err *e)
{
	CLEANUP(fd_closep) int ours = -1, theirs = -1;
	int pair[2];

	c->errors = errors_new(e);
	if (c->errors < 0)
		return -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, ERR_HOST, "socketpair");
	ours = pair[0];
	theirs = pair[1];
	if (fd_set_nonblock(ours) < 0)
		return err_sys(e, ERR_HOST, "socketpair");
	c->pid = fork();
	if (c->pid < 0)
		return err_sys(e, ERR_HOST, "fork");
	if (c->pid == 0) {
		reset_signals();
		setsid();
		run(arg, theirs, c->errors);
		_exit(127);
	}
	return TAKE_FD(ours);
}

bool spawn_reap(struct spawn *c, int ms)
{
	int64_t until = clock_mono_ns() + ms * NS_PER_MS;

	while (c->pid > 0 && !c->ended) {
		c->ended = waitpid(c->pid, &c->status, WNOHANG) == c->pid;
		if (c->ended || clock_mono_ns() >= until)
			break;
		clock_sleep_ns(REAP_STEP_MS * NS_PER_MS);
	}
	return c->ended;
}

bool spawn_last_words(const struct spawn *c, char *out, size_t size)
{
	off_t end = c->errors < 0 ? 0 : lseek(c->errors, 0, SEEK_CUR);
	off_t from = end > (off_t)size - 1 ? end - (off_t)size + 1 : 0;
	ssize_t n = end <= 0 ? 0 : pread(c->errors, out, size - 1, from);

	while (n > 0 && strchr(" \r\n\t", out[n - 1]) != NULL)
		n--;
	out[n > 0 ? n : 0] = '\0';
	for (ssize_t i = 0; i < n; i++) {
		if ((unsigned char)out[i] < ' ')
			out[i] = out[i] == '\n' ? '|' : ' ';
	}
	return n > 0;
}

void spawn_obituary(struct spawn *c, struct buf *out)
{
	char words[LAST_WORDS_MAX];

	if (!spawn_reap(c, OBITUARY_WAIT_MS))
		buf_puts(out, "the agent closed its connection but runs on");
	else if (WIFSIGNALED(c->status))
		buf_printf(out, "the agent was killed by signal %d (%s)",
			   WTERMSIG(c->status), strsignal(WTERMSIG(c->status)));
	else
		buf_printf(out, "the agent ended with status %d",
			   WEXITSTATUS(c->status));
	if (spawn_last_words(c, words, sizeof(words)))
		buf_printf(out, ", saying: %s", words);
}

void spawn_deinit(struct spawn *c, int grace_ms)
{
	if (c->pid > 0 && !spawn_reap(c, grace_ms)) {
		kill(c->pid, SIGKILL);
		waitpid(c->pid, &c->status, 0);
	}
	fd_closep(&c->errors);
	spawn_init(c);
}
