// vrun report DIR: what the campaign in a results directory proves, so far or
// in the end.
#include "runner/campaign/results.h"
#include "runner/campaign/store.h"
#include "runner/cmd/cmd.h"
#include "runner/cmd/show.h"

static const struct cmd_option options[] = {
	SHOW_OPTIONS,
	{ "accept-confounded", 0, NULL,
	  "let the order pass as no reason for doubt; the report says so" },
	{ NULL, 0, NULL, NULL },
};

static int run(const struct cmd_args *args, int *status, struct err *e)
{
	CLEANUP(results_freep) struct results *r = NULL;

	if (store_check(args->operands[0], e) < 0)
		return -1;
	if (results_load(args->operands[0], cmd_has(args, "accept-confounded"),
			 &r, e) != 0)
		return -1;
	*status = results_is_whole(r) ? CMD_OK : CMD_INCOMPLETE;
	return show_report(args, &r->report, e);
}

const struct cmd cmd_report = {
	.name = "report",
	.operands = "DIR",
	.summary = "print the report of a campaign, finished or not",
	.details = "DIR is a results directory. A campaign may be running in "
		   "it: the report is of the trials that are over. The exit "
		   "status is 1 when trials are missing, failed or invalid.",
	.min_operands = 1,
	.max_operands = 1,
	.options = options,
	.run = run,
};
