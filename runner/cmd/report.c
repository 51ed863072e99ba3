// vrun report DIR: what the campaign in a results directory proves, so far or
// in the end.
#include <stdio.h>
#include <string.h>

#include "runner/campaign/index.h"
#include "runner/campaign/results.h"
#include "runner/campaign/store.h"
#include "runner/cmd/cmd.h"
#include "runner/cmd/show.h"

static const struct cmd_option options[] = {
	SHOW_OPTIONS,
	{ "index", 0, NULL, "list the campaigns of DIR in DIR/index.html" },
	{ "accept-confounded", 0, NULL,
	  "let the order pass as no reason for doubt; the report says so" },
	{ NULL, 0, NULL, NULL },
};

// Options that ask for a report, which a list of campaigns is not.
static int check_alone(const struct cmd_args *args, struct err *e)
{
	for (size_t i = 0; i < args->ngiven; i++) {
		const char *name = args->given[i].option->name;

		if (strcmp(name, "index") != 0)
			return err_set(e, ERR_USAGE,
				       "--index and --%s exclude each other",
				       name);
	}
	return 0;
}

static int write_index(const struct cmd_args *args, struct err *e)
{
	const char *root = args->noperands > 0 ? args->operands[0] : "results";

	if (check_alone(args, e) < 0 || index_write(root, e) < 0)
		return -1;
	printf("%s/" INDEX_FILE "\n", root);
	return 0;
}

static int run(const struct cmd_args *args, int *status, struct err *e)
{
	CLEANUP(results_freep) struct results *r = NULL;

	*status = CMD_OK;
	if (cmd_has(args, "index"))
		return write_index(args, e);
	if (args->noperands == 0)
		return err_set(e, ERR_USAGE,
			       "report: DIR is missing; it is one of those in "
			       "results/");
	if (store_check(args->operands[0], e) < 0)
		return -1;
	if (results_load(args->operands[0],
			 cmd_has(args, "accept-confounded")
				 ? RESULTS_ACCEPT_CONFOUNDED
				 : 0,
			 &r, e) != 0)
		return -1;
	*status = results_is_whole(r) ? CMD_OK : CMD_INCOMPLETE;
	return show_report(args, &r->report, e);
}

const struct cmd cmd_report = {
	.name = "report",
	.operands = "[DIR]",
	.summary = "print the report of a campaign, finished or not",
	.details = "DIR is a results directory. A campaign may be running in "
		   "it: the report is of the trials that are over. The exit "
		   "status is 1 when trials are missing, failed or invalid, "
		   "or none has ended yet.\n\n"
		   "With --index, DIR is a directory of many of them (results "
		   "unless named): its index.html lists them with question, "
		   "answer and date, as every run does at its end.",
	.min_operands = 0,
	.max_operands = 1,
	.options = options,
	.run = run,
};
