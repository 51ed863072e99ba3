// Files below a directory that stands for /, for code that reads /proc and
// /sys.
#pragma once

#include <libgen.h>
#include <string.h>

#include "tests/fake/dir.h"

// Writes a file below root, with the directories above it.
static inline void fake_root_put(const char *root, const char *path,
				 const char *text)
{
	CLEANUP(cleanup_free) char *full = xasprintf("%s%s", root, path);
	CLEANUP(cleanup_free) char *dir = xstrdup(full);
	FILE *f;

	if (dir_make_all(dirname(dir)) < 0 || (f = fopen(full, "w")) == NULL) {
		perror(full);
		exit(1);
	}
	fputs(text, f);
	fclose(f);
}

// Whether the file holds just this text.
static inline bool fake_root_has(const char *root, const char *path,
				 const char *text)
{
	CLEANUP(cleanup_free) char *full = xasprintf("%s%s", root, path);
	char now[256];

	return file_read_line(full, now, sizeof(now)) == 0 &&
	       strcmp(now, text) == 0;
}
