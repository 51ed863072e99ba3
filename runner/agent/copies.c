#include "runner/agent/copies.h"

#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/fd.h"

// Whether the word is PATH=...; then *bundle is what stands behind it.
static bool is_about(const char *word, const char *path, const char **bundle)
{
	size_t n = strlen(path);

	for (size_t i = 0; i < n; i++) {
		char hex[3];

		snprintf(hex, sizeof(hex), "%02x", (unsigned char)path[i]);
		if (strncmp(word + 2 * i, hex, 2) != 0)
			return false;
	}
	*bundle = word + 2 * n + 1;
	return word[2 * n] == '=';
}

static bool is_bundle(const char *name, const char *kind)
{
	return strncmp(name, kind, strlen(kind)) == 0 &&
	       strchr(name, '/') == NULL;
}

// What was told about that path: allocated, or NULL.
static char *told_bundle(const char *path)
{
	const char *told = getenv(COPIES_ENV), *bundle;
	CLEANUP(cleanup_free) char *copy = xstrdup(told != NULL ? told : "");
	char *rest = NULL;

	for (char *word = strtok_r(copy, " ", &rest); word != NULL;
	     word = strtok_r(NULL, " ", &rest)) {
		if (is_about(word, path, &bundle))
			return xstrdup(bundle);
	}
	return NULL;
}

char *copies_find(const char *path, const char *kind, bool *nowhere)
{
	CLEANUP(cleanup_free) char *bundle = told_bundle(path);
	CLEANUP(cleanup_free) char *own = file_own_dir();

	*nowhere = bundle != NULL && !is_bundle(bundle, kind);
	if (bundle == NULL || *nowhere)
		return NULL;
	return xasprintf("%s/%s", dirname(own), bundle);
}
