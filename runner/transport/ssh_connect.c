#include "runner/transport/ssh_connect.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"

// --- TCP ----------------------------------------------------------------

static int family_of(const struct ssh_config *c)
{
	if (c->address_family == NULL)
		return AF_UNSPEC;
	if (strcmp(c->address_family, "inet") == 0)
		return AF_INET;
	return strcmp(c->address_family, "inet6") == 0 ? AF_INET6 : AF_UNSPEC;
}

static int resolve(const struct ssh_config *c, const char *name,
		   const char *port, struct addrinfo **out)
{
	struct addrinfo want = {
		.ai_family = family_of(c),
		.ai_socktype = SOCK_STREAM,
	};

	return getaddrinfo(name, port, &want, out);
}

static int bind_to(int fd, const struct ssh_config *c)
{
	struct addrinfo *list;
	int rc;

	if (c->bind_address == NULL)
		return 0;
	if (resolve(c, c->bind_address, NULL, &list) != 0) {
		errno = EADDRNOTAVAIL;
		return -1;
	}
	rc = bind(fd, list->ai_addr, list->ai_addrlen);
	freeaddrinfo(list);
	return rc;
}

// 0, or -1 with errno.
static int finish_connect(int fd, int64_t deadline_ns)
{
	struct pollfd pfd = { .fd = fd, .events = POLLOUT };
	int64_t ms = (deadline_ns - clock_mono_ns()) / NS_PER_MS;
	int error = 0;
	socklen_t len = sizeof(error);
	int n = poll(&pfd, 1, ms > 0 ? (int)ms : 0);

	if (n == 0)
		errno = ETIMEDOUT;
	if (n <= 0 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
		return -1;
	errno = error;
	return error == 0 ? 0 : -1;
}

static int try_address(const struct ssh_config *c, const struct addrinfo *a,
		       int64_t deadline_ns)
{
	CLEANUP(fd_closep) int fd = -1;
	int on = 1;

	fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
		    a->ai_protocol);
	if (fd < 0 || bind_to(fd, c) < 0)
		return -1;
	if (connect(fd, a->ai_addr, a->ai_addrlen) < 0 &&
	    (errno != EINPROGRESS || finish_connect(fd, deadline_ns) < 0))
		return -1;
	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) < 0)
		return -1;
	return TAKE_FD(fd);
}

static int refused(const struct ssh_config *c, int64_t waited_ns, struct err *e)
{
	switch (errno) {
	case ECONNREFUSED:
		return err_set(e, ERR_HOST,
			       "%s port %s: connection refused; is sshd "
			       "running there, on this port?",
			       c->hostname, c->port);
	case ETIMEDOUT:
		return err_set(
			e, ERR_HOST,
			"%s port %s: no answer within %.0f s; is it up, "
			"does a firewall drop the packets? (connect-timeout "
			"in hosts.yaml, ConnectTimeout in ~/.ssh/config "
			"give it longer)",
			c->hostname, c->port,
			(double)waited_ns / (double)NS_PER_S);
	default:
		return err_sys(e, ERR_HOST, "%s port %s", c->hostname, c->port);
	}
}

static int connect_tcp(const struct ssh_config *c, int64_t deadline_ns,
		       struct err *e)
{
	int64_t began = clock_mono_ns();
	struct addrinfo *list;
	int fd = -1, rc = resolve(c, c->hostname, c->port, &list);

	if (rc != 0)
		return err_set(e, ERR_HOST,
			       "%s does not resolve (%s); is the name right, "
			       "has ~/.ssh/config a HostName for it?",
			       c->hostname, gai_strerror(rc));
	for (const struct addrinfo *a = list; a != NULL && fd < 0;
	     a = a->ai_next)
		fd = try_address(c, a, deadline_ns);
	if (fd < 0)
		refused(c, clock_mono_ns() - began, e);
	freeaddrinfo(list);
	return fd;
}

// --- proxies ------------------------------------------------------------

// ProxyJump a,b: through a to b, from where the host is reached. OpenSSH does
// it, in another process, with the same configuration.
static void jump_command(const struct ssh_config *c, bool accept_new,
			 struct strv *argv)
{
	const char *last = strrchr(c->proxy_jump, ',');

	strv_add(argv, "ssh");
	strv_add(argv, "-oBatchMode=yes");
	strv_addf(argv, "-oStrictHostKeyChecking=%s",
		  accept_new ? "accept-new" : "yes");
	if (c->connect_s > 0)
		strv_addf(argv, "-oConnectTimeout=%lld",
			  (long long)c->connect_s);
	if (last != NULL)
		strv_addf(argv, "-J%.*s", (int)(last - c->proxy_jump),
			  c->proxy_jump);
	strv_addf(argv, "-W[%s]:%s", c->hostname, c->port);
	strv_add(argv, "--");
	last = last == NULL ? c->proxy_jump : last + 1;
	strv_addf(argv, "%s%s",
		  strchr(last, ':') == NULL || strncmp(last, "ssh:", 4) == 0
			  ? ""
			  : "ssh://",
		  last);
}

// The user's own command, for the user's shell, as ssh_config(5) has it.
static void proxy_command(const struct ssh_config *c, struct strv *argv)
{
	const char *shell = getenv("SHELL");
	CLEANUP(buf_deinit) struct buf line = BUF_INIT;

	buf_puts(&line, "exec ");
	ssh_config_expand(c, c->proxy_command, &line);
	strv_add(argv, shell != NULL && shell[0] == '/' ? shell : "/bin/sh");
	strv_add(argv, "-c");
	strv_add(argv, buf_str(&line));
}

static int connect_proxy(const struct strv *argv, struct err *e)
{
	CLEANUP(fd_closep) int ours = -1, theirs = -1;
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, ERR_HOST, "socketpair");
	ours = pair[0];
	theirs = pair[1];
	pid = fork();
	if (pid < 0)
		return err_sys(e, ERR_HOST, "fork");
	if (pid == 0) {
		if (dup2(theirs, STDIN_FILENO) >= 0 &&
		    dup2(theirs, STDOUT_FILENO) >= 0)
			execvp(argv->v[0], argv->v);
		dprintf(STDERR_FILENO, "%s: %s\n", argv->v[0], strerror(errno));
		_exit(127);
	}
	if (fd_set_nonblock(ours) < 0)
		return err_sys(e, ERR_HOST, "socketpair");
	return TAKE_FD(ours);
}

int ssh_connect_stream(const struct ssh_config *c, bool accept_new,
		       int64_t deadline_ns, struct err *e)
{
	CLEANUP(strv_deinit) struct strv argv = STRV_INIT;

	if (c->proxy_jump != NULL)
		jump_command(c, accept_new, &argv);
	else if (c->proxy_command != NULL)
		proxy_command(c, &argv);
	else
		return connect_tcp(c, deadline_ns, e);
	return connect_proxy(&argv, e);
}
