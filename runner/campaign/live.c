#include "runner/campaign/live.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/compare.h"
#include "analysis/dataset.h"
#include "runner/base/alloc.h"
#include "runner/base/buf.h"
#include "runner/base/log.h"
#include "runner/campaign/results.h"

struct live {
	struct dataset *ds;
	struct compare_spec spec;
	bool ended;			  // it no longer holds every record
	struct buf text;		  // of the estimate
	bool stale;			  // a record came since it was made
	const struct stopping_test *rule; // NULL: none
	uint32_t looked;		  // at so many complete rounds
	bool decided;
	size_t decided_at;
};

struct live *live_new(const struct plan *plan)
{
	struct live *l = xcalloc(1, sizeof(*l));
	struct err e = { 0 };

	l->ds = dataset_new();
	l->spec = results_spec(plan);
	l->spec.interim = true;
	if (results_declare(l->ds, plan, &e) < 0) {
		log_info("no estimates: %s", e.msg);
		l->ended = true;
	}
	return l;
}

void live_free(struct live *l)
{
	if (l == NULL)
		return;
	dataset_free(l->ds);
	buf_deinit(&l->text);
	free(l);
}

void live_add(struct live *l, const struct record *r)
{
	struct err e = { 0 };

	l->stale = true;
	if (!l->ended && dataset_add_record(l->ds, r, &e) < 0) {
		log_info("no estimates any more: %s", e.msg);
		l->ended = true;
	}
}

static void print_estimate(const struct live *l, struct buf *out)
{
	struct compare_estimate est;

	if (l->ended || !compare_estimate(l->ds, &l->spec, &est) ||
	    !isfinite(est.ratio_pct))
		return;
	buf_printf(out, "so far %+.1f %%", est.ratio_pct);
	if (isfinite(est.lo_pct) && isfinite(est.hi_pct))
		buf_printf(out, " [%+.1f %%, %+.1f %%]", est.lo_pct,
			   est.hi_pct);
}

const char *live_estimate(struct live *l)
{
	if (l->stale) {
		buf_clear(&l->text);
		print_estimate(l, &l->text);
		l->stale = false;
	}
	return l->text.len > 0 ? l->text.data : NULL;
}

void live_watch(struct live *l, const struct stopping_test *b)
{
	l->rule = b;
}

static void look(struct live *l, uint32_t rounds)
{
	CLEANUP(stopping_freep) struct stopping *s = NULL;
	struct err e = { 0 };

	l->looked = rounds;
	s = stopping_look(l->ds, &l->spec, l->rule, rounds, &e);
	if (s == NULL) {
		log_info("no look after round %u: %s", rounds, e.msg);
		return;
	}
	l->decided = s->stopped;
	l->decided_at = s->at;
}

bool live_is_decided(struct live *l, uint32_t rounds, size_t *round)
{
	if (l->rule == NULL || l->ended)
		return false;
	if (!l->decided && rounds > l->looked)
		look(l, rounds);
	if (round != NULL)
		*round = l->decided_at;
	return l->decided;
}
