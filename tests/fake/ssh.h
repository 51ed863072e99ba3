// An `ssh` of the test's own, first in PATH.
#pragma once

#include <stdlib.h>
#include <sys/stat.h>

#include "tests/fake/root.h"

// `script` is for sh(1).
static inline void fake_ssh(const char *dir, const char *script)
{
	static char *usual; // PATH as it was
	CLEANUP(cleanup_free) char *text = xasprintf("#!/bin/sh\n%s\n", script);
	CLEANUP(cleanup_free) char *file = xasprintf("%s/ssh", dir);
	CLEANUP(cleanup_free) char *path = NULL;

	if (usual == NULL)
		usual = xstrdup(getenv("PATH"));
	fake_root_put(dir, "/ssh", text);
	path = xasprintf("%s:%s", dir, usual);
	if (chmod(file, 0700) < 0 || setenv("PATH", path, 1) < 0)
		exit(1);
}
