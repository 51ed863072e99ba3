// The synthetic workload: a figure drawn from a stated model. No hardware; for
// teaching, planning, and testing the statistics end to end. The same seed,
// trial and boot give the same value on every machine.
//
// value = mean (1 + effect) (1 + drift seq / 100) (1 + ar1-cv x_seq)
//         (1 + boot-cv u_boot) (1 + modes [v < mode-p]) (1 + cv z)
// where x is a stationary AR(1) series of unit variance over the trials, and
// u, v, z are drawn for the boot and the trial.
#pragma once

#include "runner/agent/workload.h"

struct synthetic_params {
	double mean, cv, effect, drift, ar1, ar1_cv, modes, mode_p, boot_cv;
	double fail, invalid; // chances
	const char *unit;
	int better; // enum better
	int64_t runtime_ns;
};

struct synthetic_draw {
	double value;
	bool failed, invalid;
};

int synthetic_params_decode(const struct js *w, const char *where,
			    struct arena *a, struct synthetic_params *out,
			    struct err *e) MUST_CHECK;

// Pure.
struct synthetic_draw synthetic_draw(const struct synthetic_params *p,
				     const struct workload_place *place);

// struct workload_kind's run: sleeps for the runtime, then gives
// <name>.value.
int synthetic_run(const struct js *w, struct workload_run *run,
		  struct err *e) MUST_CHECK;
