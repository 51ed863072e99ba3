// The environment of a hook: what vrun tells it (hooks/README.md lists it),
// the matrix's own, and of the agent's only PATH, HOME and the like.
#pragma once

#include "runner/agent/hook_run.h"
#include "runner/base/strv.h"

// Adds "NAME=value" for each. `hook` as hook_run.h has it, `artifacts` a
// directory.
void hook_env_add(const struct hook_site *s, const struct js *hook,
		  const char *artifacts, struct strv *env);
