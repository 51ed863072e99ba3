// Subcommands: each is one file with one `const struct cmd`, listed in the
// table in main.c. Parsing, `vrun help`, the man page and shell completion all
// read that table. A command prints its results; errors go to main.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "runner/base/err.h"

enum cmd_status { // exit status of vrun
	CMD_OK = 0,
	CMD_INCOMPLETE = 1, // finished with failed or invalid trials
	CMD_USAGE = 2,
	CMD_REFUSED = 3,
	CMD_STORE = 4,
	CMD_INTERRUPTED = 130,
};

struct cmd_option {
	const char *name; // long name without dashes; NULL ends the table
	char short_name;  // or 0
	const char *arg;  // name of its argument, or NULL for a flag
	const char *help; // one line
};

struct cmd_args {
	const struct cmd *cmd;
	const char *const *operands; // NULL-terminated
	size_t noperands;
	const char *const *values; // per option: last value, "" for a set flag
	const struct cmd_given *given; // every option in the order given
	size_t ngiven;
};

struct cmd_given {
	const struct cmd_option *option;
	const char *value; // NULL for a flag
};

struct cmd {
	const char *name;
	const char *operands; // "MATRIX", "DIR [DIR...]", "" for none
	const char *summary;  // one line
	const char *details;  // for help and the man page; may be NULL
	size_t min_operands, max_operands;
	const struct cmd_option *options;
	// Returns 0 and sets *status, or -1 with an error (its kind gives the
	// exit status).
	int (*run)(const struct cmd_args *args, int *status, struct err *e);
};

bool cmd_has(const struct cmd_args *args, const char *option);
// The last value given, or NULL. Asserts that the command has the option.
const char *cmd_value(const struct cmd_args *args, const char *option);

// Every command, ended by NULL; the first one runs when none is named.
extern const struct cmd *const cmd_table[];

const struct cmd *cmd_find(const char *name); // NULL when there is none

extern const struct cmd cmd_run, cmd_plan, cmd_check, cmd_resume, cmd_watch,
	cmd_restore, cmd_report, cmd_analyze, cmd_compare, cmd_import, cmd_help;
