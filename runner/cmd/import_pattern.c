// Levels out of the names of files: "run-{backing}-{}.json".
#include "runner/cmd/import.h"

#include <string.h>

static int bad_pattern(const char *pattern, const char *what, struct err *e)
{
	return err_set(e, ERR_USAGE,
		       "--pattern: \"%s\": %s; names of factors stand in "
		       "braces, as in run-{backing}-{}.json",
		       pattern, what);
}

static int add_part(struct import *im, const char *pattern, const char **at,
		    struct err *e)
{
	size_t before = strcspn(*at, "{}");
	const char *open = *at + before, *name = open + 1;
	size_t len = strcspn(name, "{}");
	struct import_part *p;

	if (*open != '{' || name[len] != '}')
		return bad_pattern(pattern, "a brace without the other", e);
	if (memchr(name, ',', len) != NULL)
		return bad_pattern(pattern, "a comma in a name", e);
	if (before == 0 && im->nparts > 0)
		return bad_pattern(pattern, "nothing parts two of its levels",
				   e);
	p = arena_push(im->arena, &im->parts, &im->nparts, &im->parts_cap,
		       sizeof(*p));
	p->before = arena_strndup(im->arena, *at, before);
	p->is_factor = len > 0;
	*at = name + len + 1;
	if (len == 0)
		return 0;
	return import_factors(im, arena_strndup(im->arena, name, len), e);
}

int import_pattern(struct import *im, const char *pattern, struct err *e)
{
	const char *at = pattern;

	if (pattern == NULL)
		return 0;
	if (im->factors.n > 0)
		return err_set(e, ERR_USAGE,
			       "import: either --factors and levels before the "
			       "files, or --pattern");
	while (at[strcspn(at, "{}")] != '\0')
		if (add_part(im, pattern, &at, e) < 0)
			return -1;
	if (im->factors.n == 0)
		return bad_pattern(pattern, "it names no factor", e);
	im->pattern = pattern;
	im->pattern_end = at;
	return 0;
}

// The end of the level at `at`: where what stands behind it in the pattern
// begins. NULL: nowhere.
static const char *level_end(const struct import *im, size_t part,
			     const char *at)
{
	const char *end;

	if (part + 1 < im->nparts)
		return strstr(at, im->parts[part + 1].before);
	if (strlen(at) < strlen(im->pattern_end))
		return NULL;
	end = at + strlen(at) - strlen(im->pattern_end);
	return strcmp(end, im->pattern_end) == 0 ? end : NULL;
}

int import_levels(struct import *im, const char *path, struct level *out,
		  struct err *e)
{
	const char *slash = strrchr(path, '/');
	const char *at = slash != NULL ? slash + 1 : path;
	size_t n = 0;

	for (size_t i = 0; i < im->nparts; i++) {
		const struct import_part *p = &im->parts[i];
		size_t before = strlen(p->before);
		const char *end = strncmp(at, p->before, before) == 0
					  ? level_end(im, i, at + before)
					  : NULL;

		if (end == NULL || end == at + before)
			return err_set(e, ERR_USAGE,
				       "%s: its name is not like --pattern %s",
				       path, im->pattern);
		if (p->is_factor) {
			out[n].factor = im->factors.v[n];
			out[n].text =
				arena_strndup(im->arena, at + before,
					      (size_t)(end - at) - before);
			n++;
		}
		at = end;
	}
	return 0;
}
