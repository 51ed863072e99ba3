// A directory of the test's own, under $TMPDIR or /tmp.
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "runner/base/alloc.h"
#include "runner/base/fd.h"

static char *fake_dir_new(void)
{
	const char *base = getenv("TMPDIR");
	char *path = xasprintf("%s/vrun-test-XXXXXX", base ? base : "/tmp");

	if (mkdtemp(path) == NULL) {
		perror(path);
		exit(1);
	}
	return path;
}

// For CLEANUP.
static void fake_dir_freep(char **path)
{
	dir_remove_all(*path);
	free(*path);
}
