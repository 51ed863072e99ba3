#include "runner/agent/cpulist.h"

#include <ctype.h>
#include <stdbool.h>

// A number below CPULIST_MAX; advances *s.
static int number(const char **s, int *out)
{
	int n = 0;

	if (!isdigit((unsigned char)**s))
		return -1;
	for (; isdigit((unsigned char)**s); (*s)++) {
		n = n * 10 + (**s - '0');
		if (n >= CPULIST_MAX)
			return -1;
	}
	*out = n;
	return 0;
}

static int range(const char **s, struct cpulist *l)
{
	int from, to;

	if (number(s, &from) < 0)
		return -1;
	to = from;
	if (**s == '-') {
		(*s)++;
		if (number(s, &to) < 0)
			return -1;
	}
	if (to < from || l->n + (size_t)(to - from) >= CPULIST_MAX)
		return -1;
	for (int cpu = from; cpu <= to; cpu++)
		l->cpu[l->n++] = cpu;
	return 0;
}

int cpulist_parse(const char *text, struct cpulist *out, struct err *e)
{
	struct cpulist l = { .n = 0 };
	const char *s = text;

	while (range(&s, &l) == 0) {
		if (*s == '\0') {
			*out = l;
			return 0;
		}
		if (*s++ != ',')
			break;
	}
	return err_set(e, ERR_HOST,
		       "\"%s\" is no list of CPUs; write it as \"2\" or "
		       "\"0-3,8\"",
		       text);
}
