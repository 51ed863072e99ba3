// Several campaigns as one dataset: each cell gets one more factor, the
// campaign. Such cells ran at different times, and whatever changed between
// tells them apart, too; unless they share a cell of the same levels and the
// same settings, an anchor, that every figure can be taken as a ratio to.
#pragma once

#include <stddef.h>

#include "analysis/dataset.h"
#include "runner/base/err.h"
#include "runner/base/strv.h"
#include "runner/campaign/results.h"
#include "runner/plan/plan.h"

#define ACROSS_FACTOR "campaign"

enum {
	ACROSS_MAX = 100, // campaigns
};

struct across_part {
	const char *name; // the level of ACROSS_FACTOR
	const struct results *results;
};

// Refuses campaigns whose primary metrics, or their units or directions,
// differ, one that is there twice, and one with a factor ACROSS_FACTOR of its
// own.
int across_check(const struct across_part *parts, size_t n,
		 struct err *e) MUST_CHECK;

// A cell of the first campaign that all of them have, with the same settings
// of VM and workloads: a baseline cell, if one is. NULL: there is none.
const struct plan_cell *across_anchor(const struct across_part *parts,
				      size_t n);

// A sentence for each fact of the hosts that the first campaign and another
// one do not have in common: the effect may be that fact's.
void across_confounds(const struct across_part *parts, size_t n,
		      struct strv *notes);

// All records. Rounds and boots stay apart, so that nothing is paired across
// campaigns. With an anchor the figures of every other cell become ratios to
// the anchor's mean in the same round on the same host, which takes out what
// changed with time for both; the anchor's own trials are left out, and the
// order is that within a campaign. A trial whose round has no anchor figure
// counts as invalid.
int across_fill(const struct across_part *parts, size_t n,
		const struct plan_cell *anchor, struct dataset *ds,
		struct err *e) MUST_CHECK;
