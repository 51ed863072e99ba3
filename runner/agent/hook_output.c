#include "runner/agent/hook_output.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	WORDS_MAX = 6,
	LINE_MAX_BYTES = 512,
};

static bool is_name(const char *s, const char *also)
{
	if (*s == '\0' || strlen(s) > HOOK_NAME_MAX)
		return false;
	for (; *s != '\0'; s++) {
		if (!isalnum((unsigned char)*s) && strchr(also, *s) == NULL)
			return false;
	}
	return true;
}

static size_t split(char *line, char *words[WORDS_MAX])
{
	size_t n = 0;
	char *rest = NULL;

	for (char *w = strtok_r(line, " \t\r", &rest);
	     w != NULL && n < WORDS_MAX; w = strtok_r(NULL, " \t\r", &rest))
		words[n++] = w;
	return n;
}

static bool is_number(const char *s, double *out)
{
	char *end;

	errno = 0;
	*out = strtod(s, &end);
	return end != s && *end == '\0' && errno == 0 && isfinite(*out);
}

// The words after "metric"; false when they are not one.
static bool read_words(char *const *w, size_t n, struct metric *m)
{
	static const char *const betters[] = { "higher", "lower" };

	*m = (struct metric){ .better = BETTER_NEITHER };
	if (n < 3 || n > 4 || !is_name(w[0], "._-") ||
	    !is_number(w[1], &m->value) || !is_name(w[2], "._-/%"))
		return false;
	m->name = w[0];
	m->unit = w[2];
	for (size_t i = 0; n == 4 && i < ARRAY_LEN(betters); i++) {
		if (strcmp(w[3], betters[i]) == 0)
			return better_from_name(betters[i], &m->better) == 0;
	}
	return n == 3;
}

static int read_line(const char *hook, const char *line, size_t len,
		     struct arena *a, struct result *r)
{
	char copy[LINE_MAX_BYTES], *words[WORDS_MAX];
	struct metric m;
	size_t n;

	if (len >= sizeof(copy))
		return -1;
	memcpy(copy, line, len);
	copy[len] = '\0';
	n = split(copy, words);
	if (!read_words(words + 1, n - 1, &m))
		return -1;
	m.name = arena_printf(a, "%s.%s", hook, m.name);
	result_metric(a, r, &m);
	return 0;
}

static bool begins_metric(const char *line)
{
	return strncmp(line, "metric", 6) == 0 &&
	       (line[6] == ' ' || line[6] == '\t');
}

int hook_output_read(const char *hook, const char *text, struct arena *a,
		     struct result *r, struct err *e)
{
	size_t found = 0;

	for (const char *end; *text != '\0'; text = end + (*end == '\n')) {
		end = strchrnul(text, '\n');
		if (!begins_metric(text))
			continue;
		if (++found > HOOK_METRICS_MAX)
			return err_set(e, ERR_HOST,
				       "printed more than %d metrics",
				       HOOK_METRICS_MAX);
		if (read_line(hook, text, (size_t)(end - text), a, r) < 0)
			return err_set(e, ERR_HOST,
				       "printed \"%.*s\"; a metric is \"metric "
				       "NAME VALUE UNIT [higher|lower]\"",
				       (int)MIN(end - text, 80), text);
	}
	return 0;
}

bool hook_output_is_ready(const char *text)
{
	for (const char *end; *text != '\0'; text = end + (*end == '\n')) {
		end = strchrnul(text, '\n');
		if (end - text == 5 && strncmp(text, "ready", 5) == 0 &&
		    *end == '\n')
			return true;
	}
	return false;
}
