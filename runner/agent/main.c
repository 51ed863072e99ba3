// vrun-agent: the command table. The only printer of errors.

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/agent/attach.h"
#include "runner/agent/guest.h"
#include "runner/agent/host.h"
#include "runner/agent/qmp_tool.h"
#include "runner/agent/work.h"
#include "runner/base/fd.h"

static int run_host(int argc, char **argv, struct err *e)
{
	(void)argv;
	if (argc == 1)
		return host_main(NULL, e);
	return err_set(e, ERR_USAGE,
		       "host: takes no arguments; it speaks frames on standard "
		       "input and output");
}

static int open_port(const char *path, struct err *e)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	return fd >= 0 ? fd : err_sys(e, ERR_HOST, "guest: %s", path);
}

static int inherited(const char *text, struct err *e)
{
	char *end;
	long fd;

	errno = 0;
	fd = strtol(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || fd < 0 ||
	    fd > INT_MAX || fd_set_cloexec((int)fd, true) < 0)
		return err_set(e, ERR_USAGE,
			       "guest: --fd \"%s\" is no open descriptor",
			       text);
	return (int)fd;
}

static int run_guest(int argc, char **argv, struct err *e)
{
	CLEANUP(fd_closep) int fd = -1;

	if (argc == 3 && strcmp(argv[1], "--port") == 0)
		fd = open_port(argv[2], e);
	else if (argc == 3 && strcmp(argv[1], "--fd") == 0)
		fd = inherited(argv[2], e);
	else
		err_set(e, ERR_USAGE, "guest: give --port PATH or --fd N");
	return fd < 0 ? -1 : guest_main(fd, e);
}

static int print_version(int argc, char **argv, struct err *e)
{
	(void)argc;
	(void)argv;
	if (puts("vrun-agent " VRUN_VERSION) < 0 || fflush(stdout) != 0)
		return err_sys(e, ERR_HOST, "standard output");
	return 0;
}

static const struct command {
	const char *name, *operands, *what;
	int (*run)(int argc, char **argv, struct err *e);
} commands[] = {
	{ "host", "", "serve a controller on standard input and output",
	  run_host },
	{ "attach", "--campaign NAME --lease SECONDS",
	  "serve one that outlives the connection", attach_main },
	{ "guest", "--port PATH | --fd N", "serve a host's agent", run_guest },
	{ "work", "FILE", "run the workloads of a file here, print the result",
	  work_main },
	{ "qmp", "SOCKET COMMAND [ARGUMENTS]", "ask QEMU, print its answer",
	  qmp_tool_main },
	{ "--version", "", "print the version", print_version },
};

static int usage(void)
{
	fputs("usage: vrun-agent COMMAND\n", stderr);
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		fprintf(stderr, "  %s %-33s %s\n", commands[i].name,
			commands[i].operands, commands[i].what);
	return 2;
}

int main(int argc, char **argv)
{
	struct err e = { 0 };

	// A file that would grow over `ulimit -f` is an error of its writer.
	signal(SIGXFSZ, SIG_IGN);
	for (size_t i = 0; argc > 1 && i < ARRAY_LEN(commands); i++) {
		if (strcmp(commands[i].name, argv[1]) != 0)
			continue;
		if (commands[i].run(argc - 1, argv + 1, &e) == 0)
			return 0;
		fprintf(stderr, "vrun-agent: %s\n", e.msg);
		return e.kind == ERR_USAGE ? 2 : 1;
	}
	return usage();
}
