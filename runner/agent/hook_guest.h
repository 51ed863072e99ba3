// A hook that runs in the guest, as the host sees it: its program goes there
// over the agent's port, the guest agent runs it (guest_hook.h), and what it
// gave comes back: files one by one, then its result.
#pragma once

#include "runner/agent/hook_run.h"
#include "runner/agent/vm.h"

struct hook_guest {
	const struct js *hook; // with its program in `data`
	struct vm *vm;
	int64_t id; // below 0: no trial's request has such a number
	bool around;
};

// `on: guest`.
bool hook_guest_is_meant(const struct js *hook);
// Whether a guest is there that could run it: a VM's, not the host itself.
bool hook_guest_is_possible(struct vm *vm);

int hook_guest_start(struct hook_guest *g, const struct hook_site *s,
		     struct fault *f) MUST_CHECK;
int hook_guest_wait_ready(struct hook_guest *g, const struct hook_site *s,
			  struct fault *f) MUST_CHECK;
// Its figures, notes and files join those of `s`; a hook that failed there is
// a fault here.
int hook_guest_finish(struct hook_guest *g, const struct hook_site *s,
		      struct fault *f) MUST_CHECK;

// A message that came while something else was awaited: a fault when it ends
// a hook, which nobody has told to end.
int hook_guest_take_early(const struct message *m, struct fault *f) MUST_CHECK;
