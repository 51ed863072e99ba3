#include "runner/transport/transport.h"

#include <string.h>

#include "runner/base/compiler.h"

static const char *const here[] = { "local", "localhost" };

const struct transport_ops *transport_for(const struct transport_target *target)
{
	for (size_t i = 0; target->destination == NULL && i < ARRAY_LEN(here);
	     i++) {
		if (strcmp(here[i], target->name) == 0)
			return &transport_local;
	}
	return &transport_ssh;
}
