#include "runner/transport/carrier.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runner/base/fd.h"
#include "runner/transport/ssh_pump.h"
#include "runner/transport/ssh_remote.h"
#include "runner/transport/ssh_session.h"

enum {
	STREAM_FD = 3,
	SHELL_CANNOT_RUN = 126,
	SHELL_NOT_FOUND = 127,
};

// The controller's journal, locks and other hosts are none of our business:
// what we held open would outlive it.
static int keep_only(int stream, int errors)
{
	CLEANUP(fd_closep) int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(null, STDOUT_FILENO) < 0 || dup2(errors, STDERR_FILENO) < 0 ||
	    (stream != STREAM_FD && dup3(stream, STREAM_FD, O_CLOEXEC) < 0))
		return -1;
	null = -1; // closed with the rest
	return close_range(STREAM_FD + 1, ~0U, 0);
}

// A server that sends without end, or lies about lengths, ends us alone.
static void limit_memory(void)
{
	struct rlimit limit;
	char line[256];
	unsigned long pages = 0;

	// statm: size resident shared text lib data; in pages
	if (file_read_line("/proc/self/statm", line, sizeof(line)) < 0 ||
	    sscanf(line, "%*u %*u %*u %*u %*u %lu", &pages) != 1 ||
	    getrlimit(RLIMIT_DATA, &limit) < 0)
		return;
	limit.rlim_cur =
		pages * (rlim_t)sysconf(_SC_PAGESIZE) + CARRIER_MEMORY_BYTES;
	setrlimit(RLIMIT_DATA, &limit);
}

// The controller says nothing before the agent has greeted it. Until then
// whatever happens to its end is a hang-up, and SIGIO ends us in any wait.
static int end_with_controller(bool yes)
{
	int flags = fcntl(STREAM_FD, F_GETFL);
	struct pollfd pfd = { .fd = STREAM_FD, .events = POLLIN };

	flags = (flags & ~O_ASYNC) | O_NONBLOCK | (yes ? O_ASYNC : 0);
	if (fcntl(STREAM_FD, F_SETOWN, getpid()) < 0 ||
	    fcntl(STREAM_FD, F_SETFL, flags) < 0)
		return -1;
	return yes && poll(&pfd, 1, 0) > 0 ? -1 : 0;
}

static int carry(struct ssh_host *h, const struct transport_target *t,
		 struct err *e)
{
	ssh_channel channel;
	int status;

	if (ssh_host_open(h, t->destination != NULL ? t->destination : t->name,
			  t->connect_ns, e) < 0)
		return -1;
	channel = ssh_remote_start(h, t, e);
	if (channel == NULL)
		return -1;
	ssh_host_watch(h, 0);
	if (end_with_controller(false) < 0)
		return err_sys(e, ERR_HOST, "the controller's stream");
	status = ssh_pump(h, channel, STREAM_FD, e);
	if (status == SHELL_CANNOT_RUN || status == SHELL_NOT_FOUND) {
		ssh_remote_explain(h, status, e);
		status = -1;
	}
	ssh_channel_free(channel);
	return status;
}

void carrier_main(const void *arg, int stream, int errors)
{
	struct ssh_host h = { 0 };
	struct err e = { 0 };
	int status;

	if (keep_only(stream, errors) < 0 || end_with_controller(true) < 0)
		_exit(CARRIER_FAILED);
	signal(SIGPIPE, SIG_IGN);
	limit_memory();
	h.accept_new =
		((const struct transport_target *)arg)->accept_new_host_key;
	status = carry(&h, arg, &e);
	if (status < 0)
		dprintf(STDERR_FILENO, "%s\n", e.msg);
	ssh_host_close(&h);
	_exit(status < 0 || status > CARRIER_FAILED ? CARRIER_FAILED : status);
}
