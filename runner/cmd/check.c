// vrun check MATRIX: only the preflight.
#include "runner/cmd/cmd.h"

#include <stdio.h>
#include <unistd.h>

#include "runner/campaign/campaign.h"
#include "runner/cmd/measure.h"

static const struct cmd_option check_options[] = {
	SOURCE_OPTIONS,
	HOSTS_OPTIONS,
	{ "results", 0, "DIR", "where results would go (default: results)" },
	{ "json", 0, NULL, "the findings as JSON" },
	{ NULL, 0, NULL, NULL },
};

static void print_findings(const struct findings *f, bool json)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	if (json) {
		CLEANUP(js_unrefp) struct js *j = js_object();

		js_set(j, "findings", findings_to_js(f, NULL));
		js_print_pretty(j, &text);
	} else {
		findings_print(f, FINDING_OK, &text);
	}
	fputs(buf_str(&text), stdout);
}

static int look(struct measure *m, const char *root, struct err *e)
{
	if (preflight_store(m->source->plan, root, &m->findings, e) < 0 ||
	    measure_preflight(m, e) < 0)
		return -1;
	campaign_dismiss(m->campaign);
	return 0;
}

static int check(const struct cmd_args *args, int *status, struct err *e)
{
	CLEANUP(source_deinit) struct source source = { 0 };
	CLEANUP(measure_deinit) struct measure m = { .args = args };
	const char *root = cmd_value(args, "results");

	if (source_load(args, &source, e) < 0)
		return -1;
	m.source = &source;
	m.progress = progress_new(STDERR_FILENO, PROGRESS_QUIET);
	findings_init(&m.findings);
	if (look(&m, root != NULL ? root : "results", e) < 0)
		return -1;
	print_findings(&m.findings, cmd_has(args, "json"));
	if (findings_count(&m.findings, FINDING_REFUSE) > 0)
		*status = CMD_REFUSED;
	return 0;
}

const struct cmd cmd_check = {
	.name = "check",
	.operands = "MATRIX",
	.summary = "look whether the hosts can run a matrix, and run nothing",
	.details =
		"Checks every host for what the plan needs: a guest that\n"
		"boots, huge pages, QEMU, io_uring, room, and what disturbs\n"
		"a measurement. Each finding is ok, warn or refuse, with the\n"
		"fix. Whatever it touches is put back. Exit status 3 when\n"
		"something refuses.",
	.min_operands = 1,
	.max_operands = 1,
	.options = check_options,
	.run = check,
};
