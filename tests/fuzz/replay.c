// A main for a fuzz target that runs it once on every file of the directories
// given: for compilers without libFuzzer, and for `make check`.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/buf.h"
#include "runner/base/fd.h"
#include "tests/fuzz/fuzz.h"

enum {
	REPLAY_FILE_MAX = 64 << 20
};

static int replay_file(const char *path)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	CLEANUP(cleanup_free) uint8_t *exact = NULL;
	struct err e = { 0 };

	if (file_read(path, REPLAY_FILE_MAX, &text, ERR_USAGE, &e) < 0) {
		fprintf(stderr, "%s\n", e.msg);
		return -1;
	}
	printf("%s\n", path);
	fflush(stdout);		   // names the input that crashes
	exact = xmalloc(text.len); // not one byte more, so that ASan sees it
	memcpy(exact, buf_str(&text), text.len);
	LLVMFuzzerTestOneInput(exact, text.len);
	return 0;
}

static int replay_dir(const char *path)
{
	struct dirent **names = NULL;
	int n = scandir(path, &names, NULL, alphasort), rc = 0;

	if (n < 0) {
		perror(path);
		return -1;
	}
	for (int i = 0; i < n; i++) {
		CLEANUP(cleanup_free) struct dirent *name = names[i];
		CLEANUP(cleanup_free) char *file = NULL;

		if (name->d_name[0] == '.')
			continue;
		file = xasprintf("%s/%s", path, name->d_name);
		if (replay_file(file) < 0)
			rc = -1;
	}
	free(names);
	return rc;
}

int main(int argc, char **argv)
{
	int rc = EXIT_SUCCESS;

	for (int i = 1; i < argc; i++) {
		if (replay_dir(argv[i]) < 0)
			rc = EXIT_FAILURE;
	}
	return rc;
}
