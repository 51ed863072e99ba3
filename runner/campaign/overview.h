// What `vrun check` says of many hosts side by side: a row each, then what was
// found, once for all hosts that it is true of. 80 columns. Pure.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runner/base/buf.h"
#include "runner/base/js.h"
#include "runner/campaign/preflight.h"

enum {
	OVERVIEW_COLUMNS = 80,
	OVERVIEW_NAMES_MAX =
		3, // hosts that a finding names; others are counted
};

// `hosts` is campaign_hosts's; takes_ns[i] is the time that the plan takes on
// the i-th of them.
void overview_print(const struct js *hosts, const uint64_t *takes_ns,
		    const struct findings *f, struct buf *out);
