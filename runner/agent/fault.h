// What ended a step of a trial: the outcome that the trial gets for it, and
// the sentence that says why. The caller owns it; nothing is allocated.
#pragma once

#include "runner/base/compiler.h"
#include "runner/base/err.h"
#include "runner/record/result.h"

struct fault {
	enum outcome outcome; // never OUTCOME_OK once set
	struct err err;
};

// Each returns -1, so that a function can end with it.
int fault_set(struct fault *f, enum outcome o, const char *fmt, ...)
	PRINTF(3, 4);
// Takes the sentence from f->err, which a callee has set.
int fault_from_err(struct fault *f, enum outcome o);
// Puts "context: " before the sentence.
int fault_wrap(struct fault *f, const char *fmt, ...) PRINTF(2, 3);
// Adds "; text" after the sentence.
int fault_add(struct fault *f, const char *fmt, ...) PRINTF(2, 3);
