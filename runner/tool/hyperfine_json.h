// hyperfine's --export-json to runs: each time that a command took is one.
// Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "runner/base/arena.h"
#include "runner/base/err.h"
#include "runner/base/js.h"

enum {
	HYPERFINE_RESULTS_MAX = 10000,
	HYPERFINE_RUNS_MAX = 1000 * 1000,
	HYPERFINE_PARAMETERS_MAX = 64,
};

struct hyperfine_parameter { // of --parameter-list and the like
	const char *name, *value;
};

struct hyperfine_run {
	double seconds;
	bool failed; // exit status not 0, or ended by a signal
};

struct hyperfine_result {
	const char *command; // as shown: its --command-name, if it has one
	struct hyperfine_parameter *parameters;
	size_t nparameters;
	struct hyperfine_run *runs; // in the order in which they ran
	size_t nruns;
};

struct hyperfine {
	struct hyperfine_result *results;
	size_t n;
};

// Whether the tree looks like hyperfine's output.
bool hyperfine_json_is(const struct js *root);
// Everything hangs on `a`.
int hyperfine_json_read(const struct js *root, struct arena *a,
			struct hyperfine *out, struct err *e) MUST_CHECK;
