#include "runner/tool/hyperfine_json.h"

#include <math.h>

// Beyond these a time is no figure, and its square might be none.
static const double seconds_min = 1e-12, seconds_max = 1e12;

bool hyperfine_json_is(const struct js *root)
{
	return js_kind(js_get(root, "results")) == JS_ARRAY;
}

// hyperfine before 1.12 has no exit codes: it ended at the first failure.
static bool has_failed(const struct js *codes, size_t i)
{
	if (codes == NULL)
		return false;
	return js_int_value(js_at(codes, i), -1) != 0; // null: a signal
}

static int read_runs(const struct js *r, struct arena *a,
		     struct hyperfine_result *out, struct err *e)
{
	const struct js *times = js_get(r, "times");
	const struct js *codes = js_get(r, "exit_codes");

	out->nruns = js_len(times);
	if (js_kind(times) != JS_ARRAY || out->nruns == 0 ||
	    out->nruns > HYPERFINE_RUNS_MAX)
		return err_set(e, ERR_USAGE,
			       "hyperfine: \"%s\" has no list of 1 to %d times",
			       out->command, HYPERFINE_RUNS_MAX);
	if (codes != NULL && js_len(codes) != out->nruns)
		return err_set(e, ERR_USAGE,
			       "hyperfine: \"%s\" has %zu times but %zu exit "
			       "codes",
			       out->command, out->nruns, js_len(codes));
	out->runs = arena_array(a, out->nruns, sizeof(*out->runs));
	for (size_t i = 0; i < out->nruns; i++) {
		double s = js_real_value(js_at(times, i), NAN);

		if (s != 0 && !(s >= seconds_min && s <= seconds_max))
			return err_set(e, ERR_USAGE,
				       "hyperfine: \"%s\": time %zu is none",
				       out->command, i + 1);
		out->runs[i] =
			(struct hyperfine_run){ s, has_failed(codes, i) };
	}
	return 0;
}

static int read_parameters(const struct js *r, struct arena *a,
			   struct hyperfine_result *out, struct err *e)
{
	const struct js *all = js_get(r, "parameters");
	struct js *value;
	const char *key;

	if (js_len(all) > HYPERFINE_PARAMETERS_MAX)
		return err_set(e, ERR_USAGE,
			       "hyperfine: \"%s\" has more than %d parameters",
			       out->command, HYPERFINE_PARAMETERS_MAX);
	out->parameters = arena_array(a, js_len(all), sizeof(*out->parameters));
	JS_FOREACH (all, key, value) {
		const char *text = js_str(value);

		if (text == NULL)
			return err_set(e, ERR_USAGE,
				       "hyperfine: \"%s\": parameter \"%s\" is "
				       "no text",
				       out->command, key);
		out->parameters[out->nparameters++] =
			(struct hyperfine_parameter){ arena_strdup(a, key),
						      arena_strdup(a, text) };
	}
	return 0;
}

static int read_result(const struct js *r, struct arena *a,
		       struct hyperfine_result *out, struct err *e)
{
	const char *command = js_get_str(r, "command", NULL);

	if (command == NULL)
		return err_set(e, ERR_USAGE,
			       "hyperfine: a result without its command");
	out->command = arena_strdup(a, command);
	if (read_parameters(r, a, out, e) < 0)
		return -1;
	return read_runs(r, a, out, e);
}

int hyperfine_json_read(const struct js *root, struct arena *a,
			struct hyperfine *out, struct err *e)
{
	const struct js *results = js_get(root, "results");
	struct hyperfine h = { .n = js_len(results) };

	if (h.n == 0 || h.n > HYPERFINE_RESULTS_MAX)
		return err_set(e, ERR_USAGE,
			       "hyperfine: its JSON has no list of 1 to %d "
			       "results",
			       HYPERFINE_RESULTS_MAX);
	h.results = arena_array(a, h.n, sizeof(*h.results));
	for (size_t i = 0; i < h.n; i++) {
		if (read_result(js_at(results, i), a, &h.results[i], e) < 0)
			return -1;
	}
	*out = h;
	return 0;
}
