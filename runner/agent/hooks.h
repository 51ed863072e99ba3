// The hooks of a campaign that run on this host or in its guest: programs that
// the controller sent, run at stages of a campaign (hook_run.h). A hook that
// fails, or takes longer than it may, fails its trial.
#pragma once

#include "runner/agent/fault.h"
#include "runner/base/arena.h"
#include "runner/base/err.h"
#include "runner/base/js.h"
#include "runner/proto/artifact.h"
#include "runner/record/result.h"

struct host;

struct hooks {
	struct js *list; // [{stage, on, name, path, args, env, timeout_ns}];
			 // of the guest's `data` instead of `path`
	char *dir;	 // where the programs are
	int64_t block;	 // for which before-block has run; -1: none
	bool begun;	 // before-campaign has run
};

// What a hook is run for. Outside a trial `request`, `result` and `artifacts`
// are NULL.
struct hooks_context {
	struct host *host;
	const struct js *request; // body of the trial's
	struct arena *arena;
	struct result *result;
	struct artifacts *artifacts;
};

// `list` as the controller sends it: [{stage, on, name, data: base64 of the
// program, args: [text], env: {NAME: text}, timeout_ns}]. The programs are
// written below `rundir`. A second list replaces the first.
int hooks_load(struct hooks *h, const struct js *list, const char *rundir,
	       struct err *e) MUST_CHECK;
void hooks_deinit(struct hooks *h);

// Runs the hooks of a stage one after the other; nothing when it has none.
int hooks_run(const struct hooks_context *c, const char *stage,
	      struct fault *f) MUST_CHECK;
// before-block, when the trial is the first of another block.
int hooks_enter_block(const struct hooks_context *c,
		      struct fault *f) MUST_CHECK;

// Hooks around the workload: started, and waited for until each has said
// "ready"; at the end their standard input is closed and they finish.
struct hooks_around {
	struct hooks_started *running;
	size_t n;
};
int hooks_begin(const struct hooks_context *c, struct hooks_around *a,
		struct fault *f) MUST_CHECK;
int hooks_end(const struct hooks_context *c, struct hooks_around *a,
	      struct fault *f) MUST_CHECK;
// Kills what still runs; nothing after hooks_end.
void hooks_abandon(struct hooks_around *a);
