#include "runner/cmd/options.h"

#include <assert.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/buf.h"

enum {
	OPTIONS_MAX = 32,
	OPTIONS_HELP = 1000
};

static size_t count_options(const struct cmd *cmd)
{
	size_t n = 0;

	while (cmd->options != NULL && cmd->options[n].name != NULL)
		n++;
	assert(n < OPTIONS_MAX);
	return n;
}

// getopt's own tables, made from the command's. An option's value is its
// index, so that a short and a long name meet.
static void make_tables(const struct cmd *cmd, struct option *longs,
			char *shorts)
{
	size_t n = count_options(cmd);

	*shorts++ = ':';
	*shorts++ = 'h';
	for (size_t i = 0; i < n; i++) {
		const struct cmd_option *o = &cmd->options[i];

		longs[i] = (struct option){
			.name = o->name,
			.has_arg = o->arg ? required_argument : no_argument,
			.val = OPTIONS_HELP + 1 + (int)i,
		};
		if (o->short_name == 0)
			continue;
		*shorts++ = o->short_name;
		if (o->arg != NULL)
			*shorts++ = ':';
	}
	longs[n] = (struct option){ .name = "help", .val = OPTIONS_HELP };
	longs[n + 1] = (struct option){ 0 };
	*shorts = '\0';
}

static const struct cmd_option *by_code(const struct cmd *cmd, int code)
{
	if (code > OPTIONS_HELP)
		return &cmd->options[code - OPTIONS_HELP - 1];
	for (size_t i = 0; i < count_options(cmd); i++) {
		if (cmd->options[i].short_name == code)
			return &cmd->options[i];
	}
	return NULL;
}

static int bad_option(const struct cmd *cmd, int code, const char *arg,
		      struct err *e)
{
	CLEANUP(buf_deinit) struct buf have = BUF_INIT;

	if (code == ':')
		return err_set(e, ERR_USAGE, "%s: option \"%s\" needs a value",
			       cmd->name, arg);
	for (size_t i = 0; i < count_options(cmd); i++)
		buf_printf(&have, "--%s, ", cmd->options[i].name);
	return err_set(e, ERR_USAGE,
		       "%s: unknown option \"%s\" (have %s--help)", cmd->name,
		       arg, buf_str(&have));
}

static void remember(struct options *o, const struct cmd_option *option,
		     const char *value)
{
	size_t i = (size_t)(option - o->args.cmd->options);

	o->values[i] = option->arg != NULL ? value : "";
	o->given[o->args.ngiven++] = (struct cmd_given){ option, value };
}

static int check_operands(const struct options *o, struct err *e)
{
	const struct cmd *cmd = o->args.cmd;
	size_t n = o->args.noperands;

	if (n < cmd->min_operands)
		return err_set(e, ERR_USAGE,
			       "%s: too few arguments; usage: vrun %s "
			       "[OPTION...] %s",
			       cmd->name, cmd->name, cmd->operands);
	if (n > cmd->max_operands)
		return err_set(e, ERR_USAGE,
			       "%s: unexpected argument \"%s\"; usage: vrun %s "
			       "[OPTION...] %s",
			       cmd->name, o->operands[cmd->max_operands],
			       cmd->name, cmd->operands);
	return 0;
}

static void init(struct options *o, const struct cmd *cmd, int argc)
{
	*o = (struct options){ .args.cmd = cmd };
	o->values = xcalloc(count_options(cmd) + 1, sizeof(*o->values));
	o->operands = xcalloc((size_t)argc + 1, sizeof(*o->operands));
	o->given = xcalloc((size_t)argc + 1, sizeof(*o->given));
	o->args.values = o->values;
	o->args.operands = o->operands;
	o->args.given = o->given;
}

int options_parse(const struct cmd *cmd, int argc, char **argv,
		  struct options *out, struct err *e)
{
	char shorts[2 * OPTIONS_MAX + 3];
	struct option longs[OPTIONS_MAX + 2];
	int code;

	init(out, cmd, argc);
	make_tables(cmd, longs, shorts);
	optind = 0; // GNU: start over, rereading POSIXLY_CORRECT
	opterr = 0;
	while ((code = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (code == OPTIONS_HELP || code == 'h') {
			out->help = true;
			return 0;
		}
		if (code == '?' || code == ':')
			return bad_option(cmd, code, argv[optind - 1], e);
		remember(out, by_code(cmd, code), optarg);
	}
	for (int i = optind; i < argc; i++)
		out->operands[out->args.noperands++] = argv[i];
	return check_operands(out, e);
}

void options_deinit(struct options *o)
{
	free(o->values);
	free(o->operands);
	free(o->given);
	*o = (struct options){ 0 };
}

static size_t index_of(const struct cmd *cmd, const char *option)
{
	size_t i = 0;

	while (cmd->options[i].name != NULL &&
	       strcmp(cmd->options[i].name, option) != 0)
		i++;
	assert(cmd->options[i].name != NULL);
	return i;
}

const char *cmd_value(const struct cmd_args *args, const char *option)
{
	return args->values[index_of(args->cmd, option)];
}

bool cmd_has(const struct cmd_args *args, const char *option)
{
	return cmd_value(args, option) != NULL;
}
