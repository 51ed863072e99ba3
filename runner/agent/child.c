#include "runner/agent/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/base/fd.h"

static int limit_files(uint64_t max)
{
	struct rlimit lim;

	if (max == 0)
		return 0;
	if (getrlimit(RLIMIT_FSIZE, &lim) < 0)
		return -1;
	lim.rlim_cur = MIN(max, lim.rlim_cur);
	return setrlimit(RLIMIT_FSIZE, &lim);
}

// In the child: only async-signal-safe calls. Returns on failure, with errno.
static void become(const struct child_spec *spec, int log, pid_t parent)
{
	int in = spec->in_fd > 0 ? spec->in_fd : open("/dev/null", O_RDONLY);
	sigset_t none;

	sigemptyset(&none);
	if (limit_files(spec->file_max) < 0 ||
	    sigprocmask(SIG_SETMASK, &none, NULL) < 0 ||
	    signal(SIGPIPE, SIG_DFL) == SIG_ERR ||
	    signal(SIGXFSZ, SIG_DFL) == SIG_ERR || setpgid(0, 0) < 0 ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return;
	if (getppid() != parent) // it died before the prctl
		_exit(127);
	if (in < 0 || dup2(in, STDIN_FILENO) < 0 ||
	    dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0)
		return;
	if (spec->keep_fd >= 0 && fd_set_cloexec(spec->keep_fd, false) < 0)
		return;
	if (spec->env == NULL)
		execvp(spec->argv[0], spec->argv);
	else
		execve(spec->argv[0], spec->argv, spec->env);
}

// Waits for the exec to succeed (the pipe closes) or to report its errno.
static int exec_result(int fd)
{
	int error = 0;
	ssize_t n = fd_read_some(fd, &error, sizeof(error));

	return n == (ssize_t)sizeof(error) ? error : 0;
}

static pid_t fork_exec(const struct child_spec *spec, int log, int report)
{
	pid_t parent = getpid(), pid = fork();
	int error;

	if (pid != 0)
		return pid;
	become(spec, log, parent);
	error = errno;
	if (write(report, &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

// The group dies first, with what a wrapper script may have left in it: its
// number cannot be reused while the leader is not yet reaped.
static void reap(struct child *c)
{
	kill(-c->pid, SIGKILL);
	while (waitpid(c->pid, &c->status, 0) < 0 && errno == EINTR)
		;
	c->ended = true;
}

static void forget(struct child *c)
{
	fd_closep(&c->pidfd);
	free(c->log);
	*c = (struct child)CHILD_INIT;
}

int child_start(struct child *c, const struct child_spec *spec, struct err *e)
{
	CLEANUP(fd_closep) int log = -1, r = -1, w = -1;
	int fds[2], error;

	log = open(spec->log,
		   O_CREAT | O_TRUNC | O_APPEND | O_WRONLY | O_CLOEXEC, 0644);
	if (log < 0)
		return err_sys(e, ERR_HOST, "%s", spec->log);
	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(e, ERR_HOST, "pipe");
	r = fds[0];
	w = fds[1];
	*c = (struct child){ .pidfd = -1, .name = spec->name };
	c->pid = fork_exec(spec, log, w);
	if (c->pid < 0) {
		c->pid = 0;
		return err_sys(e, ERR_HOST, "%s: fork", spec->name);
	}
	fd_closep(&w);
	c->log = xstrdup(spec->log);
	error = exec_result(r);
	if (error == 0)
		c->pidfd = pidfd_open(c->pid, 0);
	if (c->pidfd >= 0)
		return 0;
	if (error == 0) {
		err_sys(e, ERR_HOST, "%s: pidfd_open; Linux 5.3 has it",
			spec->name);
	} else {
		errno = error;
		err_sys(e, ERR_HOST, "%s: cannot execute \"%s\"", spec->name,
			spec->argv[0]);
	}
	child_stop(c);
	return -1;
}

bool child_running(const struct child *c)
{
	return c->pid > 0 && !c->ended;
}

static bool is_zombie(const struct child *c, int timeout_ms)
{
	struct pollfd p = { .fd = c->pidfd, .events = POLLIN };

	return poll(&p, 1, timeout_ms) > 0;
}

bool child_has_ended(struct child *c)
{
	if (child_running(c) && is_zombie(c, 0))
		reap(c);
	return c->ended;
}

void child_stop(struct child *c)
{
	if (c->pid <= 0)
		return;
	if (!c->ended) {
		kill(-c->pid, SIGTERM);
		is_zombie(c, CHILD_TERM_MS);
		reap(c);
	}
	forget(c);
}

void log_tail(const char *path, size_t bytes, struct buf *out)
{
	CLEANUP(fd_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	off_t from = size > (off_t)bytes ? size - (off_t)bytes : 0;

	if (size <= 0 || lseek(fd, from, SEEK_SET) < 0 ||
	    fd_read_all(fd, &text, 2 * bytes) < 0)
		return;
	for (size_t i = 0; i < text.len; i++) {
		char ch = text.data[i];
		bool more = i + 1 < text.len;

		if (ch == '\n' && more)
			buf_puts(out, " | ");
		else if ((unsigned char)ch >= ' ' && ch != 127)
			buf_putc(out, ch);
	}
}

void child_describe_end(const struct child *c, struct buf *out)
{
	CLEANUP(buf_deinit) struct buf tail = BUF_INIT;
	int sig = WIFSIGNALED(c->status) ? WTERMSIG(c->status) : 0;

	if (sig != 0)
		buf_printf(out, "%s was killed by signal %d (%s)", c->name, sig,
			   strsignal(sig));
	else
		buf_printf(out, "%s exited with status %d", c->name,
			   WEXITSTATUS(c->status));
	log_tail(c->log, CHILD_LOG_TAIL, &tail);
	if (tail.len > 0)
		buf_printf(out, ": %s", tail.data);
}
