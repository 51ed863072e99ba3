// What the finished trials say so far, for the progress line.
#pragma once

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
