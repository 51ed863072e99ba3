// The hooks of a campaign as the controller has them: their programs, read
// once and kept with the results, so that a campaign that is resumed runs the
// same ones; sent to each host, and run here where the matrix says so.
#pragma once

#include "runner/base/err.h"
#include "runner/base/js.h"
#include "runner/base/strv.h"
#include "runner/plan/plan.h"

enum {
	HOOK_PROGRAM_MAX = 1 << 20,  // bytes of one
	HOOK_PROGRAMS_MAX = 6 << 20, // of all, in base64: they fit in a frame
};

// The plan's hooks with their programs: [{stage, on, name, data: base64, args,
// env, timeout_ns}]. A `run` with a slash is a file, from `beside` on if it is
// relative; another is looked up in `beside`/hooks, then in vrun's own hooks.
// NULL with an error: what was looked for and where.
struct js *hooks_gather(const struct plan *p, const char *beside,
			struct err *e);

// Those that run on hosts and in their guests, as the agent of this host takes
// them.
struct js *hooks_for_host(const struct js *hooks, const char *host);

// Runs the controller's hooks of a stage, one after the other, in `dir` (the
// results directory) with `env` ("NAME=value") added to their environment.
int hooks_run_here(const struct js *hooks, const char *stage, const char *dir,
		   const struct strv *env, struct err *e) MUST_CHECK;
