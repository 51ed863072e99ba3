// `vrun-agent work FILE.json`: the developer's way to run workloads here and
// see the result, without a VM or a campaign.
#pragma once

#include "runner/base/err.h"

// FILE ("-": standard input) is one workload, a list of them, or {"workloads":
// [...], "seed":, "seq":, "boot":} as in a `run` message. Prints the result
// as JSON; returns 0 whatever its outcome, -1 when FILE is wrong.
int work_main(int argc, char **argv, struct err *e) MUST_CHECK;
