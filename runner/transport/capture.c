#include "runner/transport/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/base/fd.h"

enum {
	CANNOT_RUN = 127, // as a shell has it
};

// A carrier's own bound of memory is not meant for others.
static void lift_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_DATA, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_DATA, &limit);
}

// alarm(2) outlives exec.
static void become(char *const *argv, int out)
{
	lift_limit();
	alarm(CAPTURE_S);
	if (dup2(out, STDOUT_FILENO) >= 0)
		execvp(argv[0], argv);
	dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
	_exit(CANNOT_RUN);
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int capture(char *const *argv, struct buf *out, size_t limit, struct err *e)
{
	CLEANUP(fd_closep) int from = -1, to = -1;
	int fds[2], rc, status;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(e, ERR_HOST, "pipe");
	from = fds[0];
	to = fds[1];
	pid = fork();
	if (pid < 0)
		return err_sys(e, ERR_HOST, "fork");
	if (pid == 0)
		become(argv, to);
	fd_closep(&to);
	rc = fd_read_all(from, out, limit);
	fd_closep(&from);
	status = wait_for(pid);
	if (rc == 0 && status >= 0)
		return status;
	return err_set(e, ERR_HOST,
		       "%s: was killed, printed more than %zu bytes, or did "
		       "not end within %d s",
		       argv[0], limit, CAPTURE_S);
}
