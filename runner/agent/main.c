// vrun-agent: the command table.

#include <stdio.h>
#include <string.h>

#include "runner/agent/host.h"

static int run_host(int argc, char **argv)
{
	(void)argv;
	if (argc == 1)
		return host_main();
	fprintf(stderr, "vrun-agent: host takes no arguments; it speaks "
			"frames on standard input and output\n");
	return 2;
}

static int print_version(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return puts("vrun-agent " VRUN_VERSION) < 0;
}

static const struct command {
	const char *name, *what;
	int (*run)(int argc, char **argv); // argv[0] is the command's name
} commands[] = {
	{ "host", "serve a controller on standard input and output", run_host },
	{ "--version", "print the version", print_version },
};

static int usage(void)
{
	fputs("usage: vrun-agent COMMAND\n", stderr);
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		fprintf(stderr, "  %-24s %s\n", commands[i].name,
			commands[i].what);
	return 2;
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < ARRAY_LEN(commands); i++) {
		if (strcmp(commands[i].name, argv[1]) == 0)
			return commands[i].run(argc - 1, argv + 1);
	}
	return usage();
}
