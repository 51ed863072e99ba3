// Percentiles of a trial that rest on too few of its I/Os.
#pragma once

#include <stdbool.h>

#include "runner/record/result.h"

// Is the metric a percentile ("block.lat_p999") of a histogram ("block.lat")
// that has less than ten counts beyond it (latency_supported)? False for what
// is no percentile or has no histogram.
bool thin_percentile(const struct result *r, const struct metric *m);
