#include "runner/base/checks.h"

#define CHECKS_NAME(id, name, what) [CHECK_##id] = (name),
static const char *const names[CHECK_COUNT] = { CHECKS_TABLE(CHECKS_NAME) };

const char *check_name(enum check_id id)
{
	return names[id];
}
