// Whether this host can do what a plan needs, found out before anything runs.
// needs: {accels: [text], backings: [text], qemus: [text], images: [text],
//   memory: bytes of the largest VM, cpus: of the largest VM,
//   pages: {"2M": count, "1G": count}, workloads: [{kind, engine, device}],
//   require: {check: level}}; all may be missing.
// Each check is one row of a table and gives one finding or more: what was
// found, its level, and how to mend it.
#pragma once

#include "runner/agent/host.h"
#include "runner/proto/message.h"

// Sends the findings to the controller. Huge pages that were got are held
// until the agent ends.
void preflight_serve(struct host *h, const struct message *request);
