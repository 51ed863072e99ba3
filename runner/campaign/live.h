// What the finished trials say so far: for the progress line, and for the
// stopping rule.
#pragma once

#include "runner/campaign/boundaries.h"
#include "runner/plan/plan.h"
#include "runner/record/record.h"

struct live;

struct live *live_new(const struct plan *plan); // borrows plan
void live_free(struct live *l);
// A record that the analysis cannot hold ends the estimates, nothing else.
void live_add(struct live *l, const struct record *r);
// "so far +0.3 % [-1.2 %, +1.9 %]" of the first comparison; NULL when there
// is none yet. Valid until the next live_add.
const char *live_estimate(struct live *l);

// Applies a stopping rule from now on. Borrowed until live_free.
void live_watch(struct live *l, const struct stopping_test *b);
// Whether the rule has ended the campaign: every comparison is decided by the
// first `rounds` complete rounds, warm-up rounds left out. False without a
// rule. *round, unless NULL, is the one that decided the last comparison.
bool live_is_decided(struct live *l, uint32_t rounds, size_t *round);
