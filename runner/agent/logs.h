// The logs of the VM in hand (QEMU's, the console, the native agent's) in the
// agent's private directory. Each trial takes what was added in it.
#pragma once

#include <sys/types.h>

#include "runner/proto/artifact.h"

enum {
	LOGS_COUNT = 3
};

struct logs {
	off_t taken[LOGS_COUNT]; // bytes of each that former trials took
};

// Another VM begins: the former one's logs are removed.
void logs_begin(struct logs *l, const char *dir);
// Adds what is new as artifacts; of more than there is room for, the end.
void logs_take(struct logs *l, const char *dir, struct artifacts *out);
