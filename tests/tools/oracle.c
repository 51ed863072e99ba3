// oracle DIR: runs the statistics on the cases of a directory and prints
// id,field,i,value as CSV, for a comparison with known results.
//
// DIR/inputs.csv	id,name,i,j,value	the data: name[i] or name[i][j];
//	value "csv:FILE" without i: all of name[], one number a line of
// DIR/FILE; 	value "(empty)" without i: no data
// DIR/params.csv	id,key,value		"conf", "info[0]", ...
// DIR/expected.csv	id,fn,...		optional; only these two are
// read
//
// Which function a case is for: the `fn` of its rows in expected.csv. Without
// that file, or for a case that is not in it, the first row of `kinds` that
// fits: the words that begin the id, and an input the case has. A case that
// neither tells is skipped with a line on standard error. Nothing else depends
// on ids.
#include <unistd.h>

#include "tests/tools/oracle_arms.h"
#include "tests/tools/oracle_designs.h"

static const struct function {
	const char *name;
	void (*run)(const struct test *t);
} functions[] = {
	{ "describe", run_describe },
	{ "mean_ci", run_mean_ci },
	{ "median_ci", run_quantile_ci },
	{ "quantile_ci", run_quantile_ci },
	{ "cv_ci", run_cv_ci },
	{ "welch", run_welch },
	{ "ratio_unpaired", run_ratio_unpaired },
	{ "fieller", run_fieller },
	{ "hedges", run_hedges },
	{ "paired_ratio", run_paired_ratio },
	{ "paired_log", run_paired_log },
	{ "tost", run_tost },
	{ "tost_unpaired", run_tost_unpaired },
	{ "tost_paired", run_tost_paired },
	{ "p_adjust", run_p_adjust },
	{ "rcbd", run_rcbd },
	{ "hosts", run_hosts },
	{ "mann_whitney", run_mann_whitney },
	{ "signed_rank", run_signed_rank },
	{ "sign_flip", run_sign_flip },
	{ "von_neumann", run_von_neumann },
	{ "trend", run_trend },
	{ "outliers", run_outliers },
	{ "two_cluster", run_two_cluster },
	{ "fragility", run_fragility },
	{ "order_confounding", run_order_confounding },
	{ "power_paired", run_power_paired },
	{ "rounds_needed", run_rounds_needed },
	{ "trials_needed_welch", run_trials_needed_welch },
	{ "mde_welch", run_mde_welch },
	{ "gs_z_bounds", run_gs_z_bounds },
	{ "gs_t_bounds", run_gs_t_bounds },
	{ "anytime_t", run_anytime_t },
	{ "hist_percentiles", run_hist_percentiles },
	{ "fio_bucket", run_fio_bucket },
	{ "bca_mean", run_bca_mean },
	{ "bca_log_ratio", run_bca_log_ratio },
	{ "verdict", run_verdict },
};

// How a case without `fn` tells what it is for: its id begins with `prefix`
// and it has `input` ("" for any case). Whether a tost- case is paired its id
// does not say: unpaired, unless a parameter `paired` is true.
static const struct kind {
	const char *prefix, *input, *fn;
} kinds[] = {
	{ "nist-", "x", "describe" },
	{ "desc-", "x", "describe" },
	{ "meanci-", "x", "mean_ci" },
	{ "medci-", "x", "median_ci" },
	{ "quantci-", "x", "quantile_ci" },
	{ "cvci-", "x", "cv_ci" },
	{ "welch-", "", "welch" },
	{ "ratio-", "", "ratio_unpaired" },
	{ "fieller-", "", "fieller" },
	{ "hedges-", "", "hedges" },
	{ "pratio-", "", "paired_ratio" },
	{ "plog-", "", "paired_log" },
	{ "tost-", "", "tost" },
	{ "padj-", "", "p_adjust" },
	{ "rcbd-", "", "rcbd" },
	{ "hosts-", "", "hosts" },
	{ "mwu-", "", "mann_whitney" },
	{ "wsr-", "", "signed_rank" },
	{ "flip-", "", "sign_flip" },
	{ "vn-", "", "von_neumann" },
	{ "trend-", "", "trend" },
	{ "outl-", "", "outliers" },
	{ "twoc-", "", "two_cluster" },
	{ "loo-", "", "fragility" },
	{ "order-", "", "order_confounding" },
	{ "power-", "", "power_paired" },
	{ "nreq-", "a", "trials_needed_welch" },
	{ "nreq-", "", "rounds_needed" },
	{ "mde-", "", "mde_welch" },
	{ "gs-z-", "", "gs_z_bounds" },
	{ "gs-t-", "", "gs_t_bounds" },
	{ "cs-", "", "anytime_t" },
	{ "hist-", "idx", "fio_bucket" },
	{ "hist-", "", "hist_percentiles" },
	{ "bca-", "x", "bca_mean" },
	{ "bca-", "", "bca_log_ratio" },
	{ "verdict-", "", "verdict" },
};

static const char *expected_function(const struct test *t)
{
	const struct lines *l = &t->suite->expected;

	for (size_t i = 1; i < l->n; i++)
		if (strcmp(l->v[i].f[0], t->id) == 0)
			return l->v[i].f[1];
	return NULL;
}

static bool has_input(const struct test *t, const char *name)
{
	const struct lines *l = &t->suite->inputs;

	for (size_t i = 1; i < l->n; i++)
		if (strcmp(l->v[i].f[0], t->id) == 0 &&
		    strcmp(l->v[i].f[1], name) == 0)
			return true;
	return false;
}

static const char *function_name(const struct test *t)
{
	const char *name = expected_function(t);

	for (size_t i = 0; i < ARRAY_LEN(kinds) && name == NULL; i++) {
		const struct kind *k = &kinds[i];

		if (strncmp(t->id, k->prefix, strlen(k->prefix)) == 0 &&
		    (*k->input == '\0' || has_input(t, k->input)))
			name = k->fn;
	}
	return name;
}

static void run(const struct test *t)
{
	const char *name = function_name(t);

	for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
		if (name != NULL && strcmp(functions[i].name, name) == 0) {
			functions[i].run(t);
			return;
		}
	}
	fprintf(stderr, "oracle: %s: skipped: %s is not known\n", t->id,
		name != NULL ? name : "what it is for");
}

// Did this id occur before line `end` of `l`?
static bool occurred(const struct lines *l, size_t end, const char *id)
{
	for (size_t i = 1; i < end; i++)
		if (strcmp(l->v[i].f[0], id) == 0)
			return true;
	return false;
}

// Every case once, in the order of the inputs, then of the parameters alone.
static void run_all(const struct suite *s)
{
	const struct lines *files[] = { &s->inputs, &s->params, &s->expected };

	for (size_t f = 0; f < ARRAY_LEN(files); f++) {
		for (size_t i = 1; i < files[f]->n; i++) {
			struct test t = { s, files[f]->v[i].f[0] };
			bool again = occurred(files[f], i, t.id);

			for (size_t g = 0; g < f; g++)
				again |= occurred(files[g], files[g]->n, t.id);
			if (!again)
				run(&t);
		}
	}
}

static int read_suite(struct suite *s, struct err *e)
{
	const char *dir = s->dir;
	const char *expected = arena_printf(s->arena, "%s/expected.csv", dir);

	if (read_lines(s, arena_printf(s->arena, "%s/inputs.csv", dir),
		       &s->inputs, e) != 0 ||
	    read_lines(s, arena_printf(s->arena, "%s/params.csv", dir),
		       &s->params, e) != 0)
		return -1;
	return access(expected, F_OK) == 0
		       ? read_lines(s, expected, &s->expected, e)
		       : 0;
}

int main(int argc, char **argv)
{
	CLEANUP(arena_freep) struct arena *arena = arena_new();
	struct suite s = { .arena = arena };
	struct err e = { 0 };

	if (argc != 2) {
		fprintf(stderr, "usage: oracle DIR\n");
		return 2;
	}
	s.dir = argv[1];
	if (read_suite(&s, &e) != 0) {
		fprintf(stderr, "oracle: %s\n", e.msg);
		return 2;
	}
	puts("id,field,i,value");
	run_all(&s);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		perror("oracle: standard output");
		return 2;
	}
	return 0;
}
