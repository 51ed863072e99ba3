// A file's bytes as a matrix, and its plan if it has one. A refusal carries a
// sentence; a plan is made twice with the same id and read back whole.
#include <assert.h>
#include <string.h>

#include "runner/matrix/matrix.h"
#include "runner/plan/plan.h"
#include "tests/fuzz/fuzz.h"

enum {
	SEED = 7,
	TRIALS_MAX = 2000, // more only costs time
};

static bool is_small(const struct matrix *m)
{
	double n = (double)(m->rounds + m->warmup_rounds) * m->repeat *
		   (double)m->nhosts;

	for (size_t i = 0; i < m->nfactors; i++)
		n *= (double)m->factors[i].nlevels;
	return n <= TRIALS_MAX;
}

static void read_back(const struct plan *p)
{
	CLEANUP(js_unrefp) struct js *j = plan_to_js(p);
	CLEANUP(plan_freep) struct plan *again = NULL;
	struct err e = { 0 };
	int rc = plan_from_js(j, &again, &e);

	assert(rc == 0 && strcmp(again->id, p->id) == 0);
}

static void plan(const struct matrix *m)
{
	CLEANUP(plan_freep) struct plan *a = NULL, *b = NULL;
	struct err e = { 0 };

	if (plan_build(m, SEED, &a, &e) < 0) {
		assert(a == NULL && e.kind == ERR_USAGE && e.msg[0] != '\0');
		return;
	}
	assert(plan_build(m, SEED, &b, &e) == 0);
	assert(strcmp(a->id, b->id) == 0 && a->ncells > 0 && a->ntrials > 0);
	read_back(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct matrix_source from = { "f", data, size, NULL, 0, NULL };
	CLEANUP(matrix_freep) struct matrix *m = NULL;
	struct err e = { 0 };

	if (matrix_parse(&from, &m, &e) == 0) {
		if (is_small(m))
			plan(m);
	} else {
		assert(m == NULL && e.kind == ERR_USAGE && e.msg[0] != '\0');
	}
	return 0;
}
