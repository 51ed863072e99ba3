#include "analysis/table_guess.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "runner/base/compiler.h"

static const struct meaning {
	const char *word;
	struct table_guess guess;
} meanings[] = {
	{ "iops", { BETTER_HIGHER, "IOPS" } },
	{ "mbps", { BETTER_HIGHER, "MB/s" } },
	{ "mb/s", { BETTER_HIGHER, "MB/s" } },
	{ "b/s", { BETTER_HIGHER, "B/s" } },
	{ "gbps", { BETTER_HIGHER, "Gb/s" } },
	{ "ops/s", { BETTER_HIGHER, "ops/s" } },
	{ "ops", { BETTER_HIGHER, "ops/s" } },
	{ "bw", { BETTER_HIGHER, "" } },
	{ "bandwidth", { BETTER_HIGHER, "" } },
	{ "throughput", { BETTER_HIGHER, "" } },
	{ "score", { BETTER_HIGHER, "" } },
	{ "seconds", { BETTER_LOWER, "s" } },
	{ "sec", { BETTER_LOWER, "s" } },
	{ "s", { BETTER_LOWER, "s" } },
	{ "ms", { BETTER_LOWER, "ms" } },
	{ "us", { BETTER_LOWER, "us" } },
	{ "ns", { BETTER_LOWER, "ns" } },
	{ "latency", { BETTER_LOWER, "" } },
	{ "lat", { BETTER_LOWER, "" } },
	{ "time", { BETTER_LOWER, "" } },
	{ "duration", { BETTER_LOWER, "" } },
};

// Is `word` one of the words of `text`, apart by anything but letters, digits
// and slashes?
static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	while (*text != '\0') {
		size_t n = 0;

		while (isalnum((unsigned char)text[n]) || text[n] == '/')
			n++;
		if (n == len && strncasecmp(text, word, len) == 0)
			return true;
		text += n > 0 ? n : 1;
	}
	return false;
}

struct table_guess table_guess(const char *name, const char *unit)
{
	for (size_t i = 0; i < ARRAY_LEN(meanings); i++)
		if (has_word(name, meanings[i].word) ||
		    (unit != NULL && has_word(unit, meanings[i].word)))
			return meanings[i].guess;
	return (struct table_guess){ BETTER_NEITHER, "" };
}
