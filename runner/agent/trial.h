// One `trial` request: the VM booted or used again, treatment checked, the
// workloads run in the guest, the result sent.
#pragma once

#include "runner/agent/host.h"
#include "runner/proto/message.h"

void trial_serve(struct host *h, const struct message *request);
