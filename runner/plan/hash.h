// The plan's identity. Between the files of this directory.
#pragma once

#include "runner/plan/plan.h"

// SHA-256 of the canonical form without "id".
void plan_hash(const struct plan *p, char out[PLAN_ID_CHARS + 1]);
