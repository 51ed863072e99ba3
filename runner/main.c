// vrun: finds the subcommand, runs it, prints its error, gives its status.

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runner/base/js.h"
#include "runner/base/plain.h"
#include "runner/cmd/cmd.h"
#include "runner/cmd/options.h"

const struct cmd *const cmd_table[] = {
	&cmd_run,     &cmd_plan,    &cmd_check,	 &cmd_resume,
	&cmd_watch,   &cmd_restore, &cmd_report, &cmd_compare,
	&cmd_analyze, &cmd_import,  &cmd_help,	 NULL,
};

const struct cmd *cmd_find(const char *name)
{
	for (const struct cmd *const *c = cmd_table; *c != NULL; c++) {
		if (strcmp((*c)->name, name) == 0)
			return *c;
	}
	return NULL;
}

static int status_of(enum err_kind kind)
{
	switch (kind) {
	case ERR_NONE:
	case ERR_HOST:
		return CMD_INCOMPLETE;
	case ERR_USAGE:
		return CMD_USAGE;
	case ERR_REFUSED:
		return CMD_REFUSED;
	case ERR_STORE:
		return CMD_STORE;
	case ERR_INTERRUPTED:
		return CMD_INTERRUPTED;
	}
	return CMD_INCOMPLETE;
}

// Whether a program reads standard output: --json, --format json. Options that
// could not be parsed count, too.
static bool wants_json(char **argv)
{
	const char *before = "";

	for (; argv != NULL && *argv != NULL && strcmp(*argv, "--") != 0;
	     before = *argv++) {
		if (strcmp(*argv, "--json") == 0 ||
		    strcmp(*argv, "--format=json") == 0 ||
		    (strcmp(before, "--format") == 0 &&
		     strcmp(*argv, "json") == 0))
			return true;
	}
	return false;
}

// In place of the document that was asked for: commands print theirs last,
// when nothing can fail any more.
static void print_json(const char *message, int status)
{
	CLEANUP(js_unrefp) struct js *j = js_object();
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct js *error = js_object();

	js_set_str(error, "message", message);
	js_set_int(error, "status", status);
	js_set(j, "error", error);
	js_print_pretty(j, &text);
	fputs(buf_str(&text), stdout);
	fflush(stdout);
}

// Each line of the message is an error of its own. Words of other machines
// and of files may be in it.
static int fail(const struct err *e, char **argv)
{
	struct err plain = *e;
	char *rest = plain.msg, *line;

	plain_lines(plain.msg);
	if (wants_json(argv))
		print_json(plain.msg, status_of(e->kind));
	while ((line = strsep(&rest, "\n")) != NULL)
		fprintf(stderr, "vrun: %s\n", line);
	return status_of(e->kind);
}

// Results that could not be written are lost results.
static int flush_output(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	if (errno == EPIPE)
		return status; // `| head` has what it wanted
	perror("vrun: standard output");
	return CMD_STORE;
}

static int show_help(const char *topic)
{
	const char *operands[] = { topic, NULL };
	struct cmd_args args = {
		.cmd = &cmd_help,
		.operands = operands,
		.noperands = topic != NULL,
	};
	struct err e = { 0 };
	int status = CMD_OK;

	if (cmd_help.run(&args, &status, &e) < 0)
		return fail(&e, NULL);
	return flush_output(status);
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
	CLEANUP(options_deinit) struct options o = { 0 };
	struct err e = { 0 };
	int status = CMD_OK;

	if (options_parse(cmd, argc, argv, &o, &e) < 0)
		return fail(&e, argv);
	if (o.help)
		return show_help(cmd->name);
	if (cmd->run(&o.args, &status, &e) < 0) {
		flush_output(0);
		return fail(&e, argv);
	}
	return flush_output(status);
}

// Neither a command nor a file: most likely a misspelt command.
static int unknown_command(const char *word, char **argv)
{
	struct err e = { .kind = ERR_USAGE };

	err_set(&e, ERR_USAGE,
		"\"%s\" is neither a command nor a matrix file; commands:",
		word);
	for (const struct cmd *const *c = cmd_table; *c != NULL; c++) {
		size_t used = strlen(e.msg);

		snprintf(e.msg + used, sizeof(e.msg) - used, " %s", (*c)->name);
	}
	return fail(&e, argv);
}

// A descriptor of ours must not take the place of one that was closed: what
// is printed would end up in it.
static int fill_standard_descriptors(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	const struct cmd *cmd;

	if (fill_standard_descriptors() < 0)
		return CMD_USAGE; // and nowhere to say why
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); // a limit on files is a full disk
	if (argc < 2) {
		show_help(NULL);
		return CMD_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return show_help(NULL);
	if (strcmp(argv[1], "--version") == 0) {
		printf("vrun %s\n", VRUN_VERSION);
		return flush_output(CMD_OK);
	}
	cmd = cmd_find(argv[1]);
	if (cmd != NULL)
		return run(cmd, argc - 1, argv + 1);
	if (argv[1][0] != '-' && access(argv[1], F_OK) < 0)
		return unknown_command(argv[1], argv);
	return run(cmd_table[0], argc, argv); // vrun MATRIX
}
