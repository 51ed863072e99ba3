// The environment of a hook: what vrun tells it (hooks/README.md lists it),
// the matrix's own, and of the agent's only PATH, HOME and the like.
#pragma once

#include "runner/agent/hooks.h"
#include "runner/base/strv.h"

// Adds "NAME=value" for each. `hook` is one of hooks.list; `artifacts` a
// directory.
void hook_env_add(const struct hooks_context *c, const struct js *hook,
		  const char *artifacts, struct strv *env);
