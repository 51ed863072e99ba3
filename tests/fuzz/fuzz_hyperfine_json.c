// hyperfine's output: whatever it holds, runs that are taken are runs.
#include <assert.h>
#include <math.h>

#include "runner/tool/hyperfine_json.h"
#include "tests/fuzz/fuzz.h"

static void check(const struct hyperfine_result *r)
{
	assert(r->command != NULL);
	assert(r->nruns >= 1 && r->nruns <= HYPERFINE_RUNS_MAX);
	assert(r->nparameters <= HYPERFINE_PARAMETERS_MAX);
	for (size_t i = 0; i < r->nruns; i++)
		assert(isfinite(r->runs[i].seconds) && r->runs[i].seconds >= 0);
	for (size_t i = 0; i < r->nparameters; i++)
		assert(r->parameters[i].name != NULL &&
		       r->parameters[i].value != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(js_unrefp) struct js *root = NULL;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct hyperfine h;
	struct err e = { 0 };

	root = js_parse_foreign((const char *)data, size, "fuzz", &e);
	if (root == NULL || !hyperfine_json_is(root))
		return 0;
	if (hyperfine_json_read(root, a, &h, &e) < 0) {
		assert(e.kind == ERR_USAGE && e.msg[0] != '\0');
		return 0;
	}
	assert(h.n >= 1 && h.n <= HYPERFINE_RESULTS_MAX);
	for (size_t i = 0; i < h.n; i++)
		check(&h.results[i]);
	return 0;
}
