// What `vrun run`, `vrun resume` and `vrun check` share: the steps from a
// plan to a report. Each step prints what it has to say on standard error;
// only results go to standard output.
#pragma once

#include <stdbool.h>

#include "runner/base/err.h"
#include "runner/campaign/campaign.h"
#include "runner/campaign/preflight.h"
#include "runner/campaign/progress.h"
#include "runner/campaign/store.h"
#include "runner/cmd/cmd.h"
#include "runner/cmd/hosts.h"
#include "runner/cmd/show.h"
#include "runner/cmd/source.h"

// Rows for the table of options of a command that runs trials.
// clang-format off
#define MEASURE_OPTIONS                                                        \
	HOSTS_OPTIONS,                                                         \
	SHOW_OPTIONS,                                                          \
	{ "quiet", 'q', NULL, "no progress" },                                 \
	{ "verbose", 'v', NULL, "say more about what happens" }
// clang-format on

struct measure {
	const struct cmd_args *args;
	const struct source *source; // borrowed
	struct progress *progress;
	struct findings findings;
	char *image; // local directory of the guest image that hosts need
	char *name;  // of the campaign's agents on their hosts; NULL: they end
		     // with the connection
	struct campaign *campaign;
	struct store *store;
	struct journal *journal;
	struct js *hooks; // with their programs
};

// Checks the options, too, before anything is done.
int measure_init(struct measure *m, const struct cmd_args *args,
		 const struct source *source, struct err *e) MUST_CHECK;
void measure_deinit(struct measure *m); // for CLEANUP, too

// Reads the programs of the matrix's hooks, or those that `dir` keeps.
int measure_gather_hooks(struct measure *m, struct err *e) MUST_CHECK;
int measure_reload_hooks(struct measure *m, const char *dir,
			 struct err *e) MUST_CHECK;
// The agents may outlive the connection from now on: under the name that the
// store's hosts.json has, or a new one.
int measure_name(struct measure *m, struct err *e) MUST_CHECK;

// Every host is looked at; the matrix's `require:` is applied.
int measure_preflight(struct measure *m, struct err *e) MUST_CHECK;
// What was found: side by side where there are several hosts.
void measure_print_hosts(const struct measure *m, struct buf *out);
// Prints the findings; ERR_REFUSED when one of them refuses.
int measure_judge(struct measure *m, struct err *e) MUST_CHECK;
// Runs what `log` leaves to be done; NULL: everything.
int measure_run(struct measure *m, const struct journal_log *log,
		struct err *e) MUST_CHECK;
// Writes the reports and the manifest, shows the report; *status is CMD_OK
// when every trial was ok, else CMD_INCOMPLETE.
int measure_report(struct measure *m, int *status, struct err *e) MUST_CHECK;
