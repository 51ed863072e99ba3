// What `vrun plan --power` says: what the plan can detect, given a noise
// figure or an earlier campaign.
#pragma once

#include "runner/base/buf.h"
#include "runner/base/err.h"
#include "runner/base/js.h"
#include "runner/plan/plan.h"

enum {
	POWER_NOISES_MAX = 1000, // comparisons of a pilot
};

struct power;

// `from` is a coefficient of variation ("2%") or a results directory.
int power_new(const struct plan *plan, const char *from, struct power **out,
	      struct err *e) MUST_CHECK;
void power_free(struct power *p);
void power_freep(struct power **p);

void power_print(const struct power *p, struct buf *out);
struct js *power_to_js(const struct power *p);
