// vrun check MATRIX: only the preflight.
#include "runner/cmd/cmd.h"

#include <stdio.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/campaign/campaign.h"
#include "runner/cmd/measure.h"

static const struct cmd_option check_options[] = {
	SOURCE_OPTIONS,
	HOSTS_OPTIONS,
	{ "results", 0, "DIR", "where results would go (default: results)" },
	{ "json", 0, NULL, "the findings as JSON" },
	{ NULL, 0, NULL, NULL },
};

// {"hosts": [{host, agent, facts, missing, findings, takes_ns}], "findings"}.
static void print_json(const struct measure *m, struct buf *out)
{
	const struct plan *plan = m->source->plan;
	struct js *hosts = campaign_hosts(m->campaign, &m->findings);
	CLEANUP(cleanup_free)
	uint64_t *takes_ns = xcalloc(plan->nhosts, sizeof(*takes_ns));
	CLEANUP(js_unrefp) struct js *j = js_object();

	plan_estimate_hosts(plan, PLAN_BOOT_NS, takes_ns);
	for (size_t i = 0; i < js_len(hosts); i++)
		js_set_int(js_at(hosts, i), "takes_ns", (int64_t)takes_ns[i]);
	js_set(j, "hosts", hosts);
	js_set(j, "findings", findings_to_js(&m->findings, NULL));
	js_print_pretty(j, out);
}

static void print_hosts(const struct measure *m)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	if (cmd_has(m->args, "json"))
		print_json(m, &text);
	else
		measure_print_hosts(m, &text);
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
	if (measure_gather_hooks(&m, e) < 0 ||
	    look(&m, root != NULL ? root : "results", e) < 0)
		return -1;
	print_hosts(&m);
	if (findings_count(&m.findings, FINDING_REFUSE) > 0)
		*status = CMD_REFUSED;
	else if (campaign_missing(m.campaign) > 0)
		*status = CMD_INCOMPLETE;
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
		"fix. Whatever it touches is put back. Several hosts stand\n"
		"side by side, with the time that the plan takes on each at\n"
		"3s a boot, and each finding once for all hosts it is true\n"
		"of. Exit status 3 when something refuses, else 1 when a\n"
		"host cannot be reached.",
	.min_operands = 1,
	.max_operands = 1,
	.options = check_options,
	.run = check,
};
