// What kind of machine this host is: for hosts.json and the report's
// paragraph on the environment. What cannot be read is left out.
#pragma once

#include "runner/base/js.h"

// A new object.
struct js *host_facts(void);
