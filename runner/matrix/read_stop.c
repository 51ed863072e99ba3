#include "runner/matrix/read.h"

// Where a key of design.stop stands, or the section itself.
static struct place place_of(const struct ynode *stop, const char *key)
{
	const struct ynode *v = ynode_get(stop, key);

	return v != NULL ? v->at : stop->at;
}

// Two numbers for one thing, unless they agree.
static void check_rounds(struct reading *r, const struct ynode *rounds)
{
	struct matrix *m = r->m;

	if (m->stop.max_rounds == 0)
		return;
	if (rounds != NULL && m->rounds != m->stop.max_rounds)
		diag_add(&r->d, rounds->at,
			 "rounds: %u beside stop: {max-rounds: %u}: leave one "
			 "out, or change both (--set "
			 "design.stop.max-rounds=%u)",
			 m->rounds, m->stop.max_rounds, m->rounds);
	m->rounds = m->stop.max_rounds;
}

static void check_looks(struct reading *r, const struct ynode *stop)
{
	const struct matrix *m = r->m;

	if (m->rounds > MATRIX_STOP_ROUNDS_MAX)
		diag_add(&r->d, stop->at,
			 "stop: needs max-rounds of at most %d (rounds is %u)",
			 MATRIX_STOP_ROUNDS_MAX, m->rounds);
	if (m->stop.min_rounds > m->rounds)
		diag_add(&r->d, place_of(stop, "min-rounds"),
			 "min-rounds: %u is more than the %u rounds there are "
			 "at most",
			 m->stop.min_rounds, m->rounds);
}

void read_check_stop(struct reading *r, const struct ynode *root)
{
	const struct ynode *design = ynode_get(root, "design");
	const struct ynode *stop = ynode_get(design, "stop");
	struct matrix *m = r->m;

	if (stop == NULL || stop->kind != YNODE_MAP)
		return;
	m->has_stop = true;
	check_rounds(r, ynode_get(design, "rounds"));
	check_looks(r, stop);
	if (m->stop.margin && !m->has_margin)
		diag_add(&r->d, place_of(stop, "margin"),
			 "margin: yes needs compare: {margin: ...}, the "
			 "difference that matters");
	if (m->order == MATRIX_SEQUENTIAL)
		diag_add(&r->d, stop->at,
			 "stop: needs rounds, which order: sequential has "
			 "none of (have blocks, williams)");
}
