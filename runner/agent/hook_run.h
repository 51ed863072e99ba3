// One run of one hook, on the host by its agent or in the guest by the agent
// there: the program, its environment (hooks/README.md), its time-out, what it
// printed and left behind. "metric NAME VALUE UNIT" joins the result under the
// hook's name; what it prints and leaves in $VRUN_ARTIFACTS is kept.
#pragma once

#include "runner/agent/child.h"
#include "runner/agent/fault.h"
#include "runner/agent/watch.h"
#include "runner/base/arena.h"
#include "runner/proto/artifact.h"
#include "runner/record/result.h"

struct vm;

enum {
	HOOKS_MAX = 64,		    // of a campaign
	HOOK_PROGRAM_MAX = 1 << 20, // bytes
	HOOK_OUTPUT_MAX = 1 << 20,  // of each file that it writes
	HOOK_ARGS_MAX = 64,
};

// Where a hook runs and what for. Outside a trial `told`, `result` and
// `artifacts` are NULL.
struct hook_site {
	struct watch *watch;
	// {trial, attempt, block, label, levels, vars, accel}
	const struct js *told;
	const struct vm *vm; // of the host's; NULL in the guest
	const char *rundir;  // with the VM's sockets
	struct arena *arena;
	struct result *result;
	struct artifacts *artifacts;
};

// hook: {stage, name, host, path, args: [text], env: {NAME: text}, timeout_ns};
// its log and artifacts stand beside `path`.
struct hook_run {
	const struct js *hook;
	struct child child;
	int input;  // its standard input; closed when it is to finish
	char *name; // "hook kvm-exits (around-workload)", for messages
	char *log, *artifacts;
};

#define HOOK_RUN_INIT                            \
	{                                        \
		.child = CHILD_INIT, .input = -1 \
	}

// What a peer sends is a hook: {stage, name, data, timeout_ns, ...}.
int hook_check(const struct js *hook, struct err *e) MUST_CHECK;
// The program in its `data` becomes a file.
int hook_write_program(const struct js *hook, const char *path,
		       struct err *e) MUST_CHECK;

// `around`: its standard input is a pipe whose other end is kept. Whatever
// comes of it, hook_run_deinit it.
int hook_run_start(struct hook_run *r, const struct hook_site *s,
		   const struct js *hook, bool around,
		   struct fault *f) MUST_CHECK;
// Until it has printed the line "ready", for at most its time-out.
int hook_run_wait_ready(struct hook_run *r, const struct hook_site *s,
			struct fault *f) MUST_CHECK;
// Closes its standard input, waits for its end, and takes what it gave.
int hook_run_finish(struct hook_run *r, const struct hook_site *s,
		    struct fault *f) MUST_CHECK;
// Kills it if it still runs, and removes its files; for CLEANUP, too.
void hook_run_deinit(struct hook_run *r);
