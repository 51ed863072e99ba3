#include "runner/cmd/manual.h"

#include <string.h>

#include "runner/cmd/cmd.h"

// A line of text in roff: the dashes of options stay dashes, a leading dot or
// quote is no macro.
static void roff_text(struct buf *out, const char *s)
{
	if (*s == '.' || *s == '\'')
		buf_puts(out, "\\&");
	for (; *s != '\0'; s++) {
		if (*s == '-')
			buf_puts(out, "\\-");
		else if (*s == '\\')
			buf_puts(out, "\\e");
		else
			buf_putc(out, *s);
		if (*s == '\n' && (s[1] == '.' || s[1] == '\''))
			buf_puts(out, "\\&");
	}
}

static void man_option(struct buf *out, const struct cmd_option *o)
{
	buf_puts(out, ".TP\n\\fB");
	if (o->short_name != 0)
		buf_printf(out, "\\-%c\\fR, \\fB", o->short_name);
	buf_puts(out, "\\-\\-");
	roff_text(out, o->name);
	buf_puts(out, "\\fR");
	if (o->arg != NULL) {
		buf_puts(out, "=\\fI");
		roff_text(out, o->arg);
		buf_puts(out, "\\fR");
	}
	buf_putc(out, '\n');
	roff_text(out, o->help);
	buf_putc(out, '\n');
}

static void man_command(struct buf *out, const struct cmd *cmd)
{
	buf_printf(out, ".SS vrun %s [OPTION...] %s\n", cmd->name,
		   cmd->operands);
	roff_text(out, cmd->summary);
	buf_putc(out, '\n');
	if (cmd->details != NULL) {
		buf_puts(out, ".PP\n");
		roff_text(out, cmd->details);
		buf_putc(out, '\n');
	}
	for (const struct cmd_option *o = cmd->options;
	     o != NULL && o->name != NULL; o++)
		man_option(out, o);
}

static const char man_head[] =
	".TH VRUN 1 \"\" \"vrun " VRUN_VERSION "\" \"User Commands\"\n"
	".SH NAME\n"
	"vrun \\- run virtualization performance experiments and say what "
	"they prove\n"
	".SH SYNOPSIS\n"
	".B vrun\n[\\fIOPTION\\fR...] \\fIMATRIX\\fR\n.br\n"
	".B vrun\n\\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]\n"
	".SH DESCRIPTION\n"
	"A matrix is a YAML file that names factors, levels and workloads. "
	"vrun boots a virtual machine for each trial, runs the trials in a "
	"randomized, interleaved order, checks that each level took effect, "
	"keeps every record, and reports ratios with confidence intervals and "
	"Welch tests. \\fBvrun help matrix\\fR lists every key.\n"
	".SH COMMANDS\n"
	"A word that is no command is taken for a matrix to run.\n";

static const char man_tail[] =
	".SH EXIT STATUS\n"
	".TP\n0\nall trials ok\n"
	".TP\n1\nfinished with failed or invalid trials, or a host failed\n"
	".TP\n2\nbad usage, matrix or data\n"
	".TP\n3\npreflight refused: nothing was run\n"
	".TP\n4\nresults could not be stored\n"
	".TP\n130\ninterrupted; \\fBvrun resume\\fR \\fIDIR\\fR goes on\n"
	".PP\nErrors are sentences on standard error. With \\fB\\-\\-json\\fR "
	"one is also printed on standard output, in place of the document: "
	"{\"error\": {\"message\": ..., \"status\": ...}}; the message has a "
	"line for each thing that is wrong.\n"
	".SH ENVIRONMENT\n";

// Everything that vrun and its agent read; tests/lint/environment.sh compares.
// What hooks are given is in hooks/README.md.
static const struct {
	const char *name, *help;
} environment[] = {
	{ "HOME", "where ~ leads: ~/.config, ~/.cache and ~/.local/state, as "
		  "below" },
	{ "NO_COLOR", "when set, no colour on a terminal" },
	{ "PATH", "where QEMU, fio, modprobe and ssh are looked for" },
	{ "SHELL", "runs ProxyCommand of ~/.ssh/config" },
	{ "SSH_AUTH_SOCK", "ssh-agent, for hosts over SSH" },
	{ "TERM", "\"dumb\": plain lines, no colour, no live view" },
	{ "TMPDIR", "where an agent lets fio work (/tmp)" },
	{ "VRUN_AGENT", "the agent's program for this machine and hosts like "
			"it, instead of the one beside vrun" },
	{ "VRUN_AGENT_DIR", "where the agents' programs are, instead of beside "
			    "vrun: vrun-agent, and vrun-agent-ARCH for hosts "
			    "of other architectures" },
	{ "VRUN_GUEST", "the directory of the built-in guest image" },
	{ "VRUN_RUNDIR", "an agent's private directory (/run/vrun for root, "
			 "else $XDG_RUNTIME_DIR/vrun or /tmp/vrun-UID)" },
	{ "VRUN_STATEDIR",
	  "where an agent keeps a result that nobody has taken "
	  "yet (/var/lib/vrun for root, else "
	  "$XDG_STATE_HOME/vrun, which is ~/.local/state/vrun)" },
	{ "XDG_CACHE_HOME", "holds vrun/: boundaries of stopping rules; on "
			    "hosts over SSH agent, image and QEMU (~/.cache)" },
	{ "XDG_CONFIG_HOME", "holds vrun/hosts.yaml, where no hosts.yaml is "
			     "beside the matrix (~/.config)" },
	{ "XDG_RUNTIME_DIR", "see VRUN_RUNDIR" },
	{ "XDG_STATE_HOME", "see VRUN_STATEDIR" },
};

static const char man_end[] =
	".PP\nThe agent of a host over SSH has the environment of a login "
	"there.\n"
	".SH FILES\n"
	".TP\n\\fIresults/NAME\\-TIME\\-ID/\\fR\none campaign: the matrix, the "
	"plan, every trial's record, artifacts and reports\n"
	".SH SEE ALSO\n"
	".BR qemu (1),\n.BR fio (1),\n.BR io_uring (7)\n";

void manual_man(struct buf *out)
{
	buf_puts(out, man_head);
	for (const struct cmd *const *c = cmd_table; *c != NULL; c++)
		man_command(out, *c);
	buf_puts(out, man_tail);
	for (size_t i = 0; i < ARRAY_LEN(environment); i++) {
		buf_printf(out, ".TP\n\\fB%s\\fR\n", environment[i].name);
		roff_text(out, environment[i].help);
		buf_putc(out, '\n');
	}
	buf_puts(out, man_end);
}

static void option_words(struct buf *out, const struct cmd *cmd)
{
	for (const struct cmd_option *o = cmd->options;
	     o != NULL && o->name != NULL; o++)
		buf_printf(out, "--%s%s ", o->name, o->arg ? "=" : "");
	buf_puts(out, "--help");
}

// Options are offered after a dash, else commands and files.
void manual_bash(struct buf *out)
{
	buf_puts(out, "# bash completion for vrun; made by `vrun help bash`\n"
		      "_vrun()\n{\n"
		      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} words= names= "
		      "cmd=run files=1\n"
		      "\tcase ${COMP_WORDS[1]} in\n");
	for (const struct cmd *const *c = cmd_table; *c != NULL; c++)
		buf_printf(out, "\t%s) cmd=%s ;;\n", (*c)->name, (*c)->name);
	buf_puts(out, "\tesac\n\tcase $cmd in\n");
	for (const struct cmd *const *c = cmd_table; *c != NULL; c++) {
		buf_printf(out, "\t%s) words='", (*c)->name);
		option_words(out, *c);
		buf_puts(out, "' ;;\n");
	}
	buf_puts(out, "\tesac\n\t[ $cmd != help ] || files= names='");
	help_names(out);
	buf_puts(out, "'\n\tif ((COMP_CWORD == 1)); then\n"
		      "\t\tfiles=1 names='");
	for (const struct cmd *const *c = cmd_table; *c != NULL; c++)
		buf_printf(out, " %s", (*c)->name);
	buf_puts(out, "'\n\tfi\n"
		      "\tcase $cur in\n"
		      "\t-*) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- "
		      "\"$cur\") ;;\n"
		      "\t*) mapfile -t COMPREPLY < <(compgen -W \"$names\" -- "
		      "\"$cur\"\n"
		      "\t\t[ -z \"$files\" ] || compgen -f -- \"$cur\") ;;\n"
		      "\tesac\n"
		      "\t[[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace\n"
		      "}\ncomplete -o filenames -F _vrun vrun\n");
}

// Text inside single quotes of a zsh specification.
static void zsh_text(struct buf *out, const char *s)
{
	for (; *s != '\0'; s++) {
		if (*s == '\'')
			buf_puts(out, "'\\''");
		else if (strchr("[]:\\", *s) != NULL)
			buf_printf(out, "\\%c", *s);
		else
			buf_putc(out, *s);
	}
}

static void zsh_command(struct buf *out, const struct cmd *cmd)
{
	buf_printf(out, "\t%s)\n\t\t_arguments", cmd->name);
	for (const struct cmd_option *o = cmd->options;
	     o != NULL && o->name != NULL; o++) {
		buf_printf(out, " \\\n\t\t\t'--%s%s[", o->name,
			   o->arg ? "=" : "");
		zsh_text(out, o->help);
		buf_putc(out, ']');
		if (o->arg != NULL) {
			buf_putc(out, ':');
			zsh_text(out, o->arg);
			buf_puts(out, ":_files");
		}
		buf_putc(out, '\'');
	}
	buf_puts(out, " \\\n\t\t\t'*:file:_files'\n\t\t;;\n");
}

void manual_zsh(struct buf *out)
{
	buf_puts(out, "#compdef vrun\n# made by `vrun help zsh`\n"
		      "local -a commands=(\n");
	for (const struct cmd *const *c = cmd_table; *c != NULL; c++) {
		buf_printf(out, "\t'%s:", (*c)->name);
		zsh_text(out, (*c)->summary);
		buf_puts(out, "'\n");
	}
	buf_puts(out, ")\nif ((CURRENT == 2)); then\n"
		      "\t_describe command commands\n\t_files\n\treturn\nfi\n"
		      "local cmd=$words[2]\n"
		      "(($+commands[(r)$cmd:*])) || cmd=run\n"
		      "shift words\n((CURRENT--))\ncase $cmd in\n");
	for (const struct cmd *const *c = cmd_table; *c != NULL; c++)
		zsh_command(out, *c);
	buf_puts(out, "esac\n");
}
