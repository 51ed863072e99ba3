// From argv to struct cmd_args, by the command's own option table and
// getopt_long (GNU habits: options anywhere, --name=value, unique prefixes).
#pragma once

#include "runner/cmd/cmd.h"

struct options {
	struct cmd_args args;
	const char **values;
	const char **operands;
	struct cmd_given *given;
	bool help; // --help was given; nothing else was checked
};

// argv[0] is the command's name. Strings are borrowed from argv.
int options_parse(const struct cmd *cmd, int argc, char **argv,
		  struct options *out, struct err *e) MUST_CHECK;
void options_deinit(struct options *o); // for CLEANUP, too
