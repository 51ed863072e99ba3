// vrun help [TOPIC]: commands, the matrix, and what is generated from both.
#include "runner/cmd/cmd.h"

#include <stdio.h>
#include <string.h>

#include "runner/base/buf.h"
#include "runner/base/js.h"
#include "runner/cmd/manual.h"
#include "runner/matrix/doc.h"

enum {
	OPTION_COLUMNS = 24,
};

static void print_schema(struct buf *out)
{
	CLEANUP(js_unrefp) struct js *j = doc_schema();

	js_print_pretty(j, out);
}

static void print_hosts_schema(struct buf *out)
{
	CLEANUP(js_unrefp) struct js *j = doc_hosts_schema();

	js_print_pretty(j, out);
}

static const struct {
	const char *name, *help;
	void (*print)(struct buf *out);
} topics[] = {
	{ "matrix", "every key and parameter of a matrix", doc_text },
	{ "hosts", "every key of a host in hosts.yaml", doc_hosts },
	{ "markdown", "both, as matrices/README.md has it", doc_markdown },
	{ "schema", "a JSON Schema of a matrix, for editors", print_schema },
	{ "hosts-schema", "one of hosts.yaml", print_hosts_schema },
	{ "man", "the man page, vrun(1)", manual_man },
	{ "bash", "completion for bash", manual_bash },
	{ "zsh", "completion for zsh", manual_zsh },
};

static void print_overview(struct buf *out)
{
	buf_puts(out, "Usage: vrun [OPTION...] MATRIX\n"
		      "       vrun COMMAND [OPTION...] [ARGUMENT...]\n\n"
		      "Runs performance experiments on virtual machines and "
		      "says what they prove.\n\nCommands:\n");
	for (const struct cmd *const *c = cmd_table; *c != NULL; c++)
		buf_printf(out, "  %-12s %s\n", (*c)->name, (*c)->summary);
	buf_puts(out, "\nvrun help COMMAND tells more of a command; other "
		      "topics of vrun help:\n");
	for (size_t i = 0; i < ARRAY_LEN(topics); i++)
		buf_printf(out, "  %-12s %s\n", topics[i].name, topics[i].help);
}

static void print_option(struct buf *out, const struct cmd_option *o)
{
	CLEANUP(buf_deinit) struct buf left = BUF_INIT;

	if (o->short_name != 0)
		buf_printf(&left, "  -%c, --%s", o->short_name, o->name);
	else
		buf_printf(&left, "      --%s", o->name);
	if (o->arg != NULL)
		buf_printf(&left, "=%s", o->arg);
	buf_printf(out, "%-*s", OPTION_COLUMNS, buf_str(&left));
	if (left.len + 1 > OPTION_COLUMNS)
		buf_printf(out, "\n%*s", OPTION_COLUMNS, "");
	buf_printf(out, "%s\n", o->help);
}

static void print_command(const struct cmd *cmd, struct buf *out)
{
	bool options = cmd->options != NULL && cmd->options->name != NULL;

	buf_printf(out, "Usage: vrun %s%s%s%s\n\n", cmd->name,
		   options ? " [OPTION...]" : "", cmd->operands[0] ? " " : "",
		   cmd->operands);
	buf_printf(out, "%s: %s\n", cmd->name, cmd->summary);
	if (cmd->details != NULL)
		buf_printf(out, "\n%s\n", cmd->details);
	if (options)
		buf_puts(out, "\nOptions:\n");
	for (const struct cmd_option *o = cmd->options;
	     options && o->name != NULL; o++)
		print_option(out, o);
}

void help_names(struct buf *out)
{
	for (const struct cmd *const *c = cmd_table; *c != NULL; c++)
		buf_printf(out, " %s", (*c)->name);
	for (size_t i = 0; i < ARRAY_LEN(topics); i++)
		buf_printf(out, " %s", topics[i].name);
}

static int unknown_topic(const char *name, struct err *e)
{
	CLEANUP(buf_deinit) struct buf have = BUF_INIT;

	help_names(&have);
	return err_set(e, ERR_USAGE, "help: no topic \"%.64s\" (have%s)", name,
		       buf_str(&have));
}

static int print_topic(const char *name, struct buf *out, struct err *e)
{
	const struct cmd *cmd = cmd_find(name);

	if (cmd != NULL) {
		print_command(cmd, out);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(topics); i++) {
		if (strcmp(topics[i].name, name) == 0) {
			topics[i].print(out);
			return 0;
		}
	}
	return unknown_topic(name, e);
}

static int run(const struct cmd_args *args, int *status, struct err *e)
{
	CLEANUP(buf_deinit) struct buf out = BUF_INIT;

	if (args->noperands == 0)
		print_overview(&out);
	else if (print_topic(args->operands[0], &out, e) < 0)
		return -1;
	fputs(buf_str(&out), stdout);
	*status = CMD_OK;
	return 0;
}

static const struct cmd_option help_options[] = {
	{ NULL, 0, NULL, NULL },
};

const struct cmd cmd_help = {
	.name = "help",
	.operands = "[TOPIC]",
	.summary = "tell about a command, the matrix and its parameters",
	.details = "Topics are the commands, and matrix, hosts, markdown,\n"
		   "schema, hosts-schema, man, bash and zsh.",
	.min_operands = 0,
	.max_operands = 1,
	.options = help_options,
	.run = run,
};
