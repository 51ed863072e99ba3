#include "runner/matrix/read.h"

#include <ctype.h>
#include <string.h>

enum {
	PATH_BYTES_MAX = 256,
	VALUE_BYTES_MAX = 1024,
};

#define SYSCTL "sysctl."

// "sysctl.vm.swappiness" is /proc/sys/vm/swappiness, as sysctl(8) has it.
static const char *path_of(struct reading *r, const char *key)
{
	char *path;

	if (strncmp(key, SYSCTL, strlen(SYSCTL)) != 0)
		return key;
	path = arena_printf(r->a, "/proc/sys/%s", key + strlen(SYSCTL));
	for (char *p = path; *p != '\0'; p++)
		*p = *p == '.' ? '/' : *p;
	return path;
}

// One file below /sys or /proc/sys, and no way out of there.
static bool is_setting_path(const char *path)
{
	if (strncmp(path, "/sys/", 5) != 0 &&
	    strncmp(path, "/proc/sys/", 10) != 0)
		return false;
	if (strstr(path, "/.") != NULL || strstr(path, "//") != NULL ||
	    path[strlen(path) - 1] == '/' || strlen(path) > PATH_BYTES_MAX)
		return false;
	for (; *path != '\0'; path++) {
		if (!isgraph((unsigned char)*path) || *path == '*')
			return false;
	}
	return true;
}

static bool is_line(const char *s)
{
	if (s[0] == '\0' || strlen(s) >= VALUE_BYTES_MAX)
		return false;
	for (; *s != '\0'; s++) {
		if (iscntrl((unsigned char)*s) && *s != '\t')
			return false;
	}
	return true;
}

static void add_file(struct reading *r, const char *path, const char *value)
{
	struct matrix *m = r->m;
	struct matrix_pair *pair =
		arena_push(r->a, &m->host_files, &m->nhost_files,
			   &r->host_files_cap, sizeof(*pair));

	*pair = (struct matrix_pair){ path, value };
}

static void read_file(struct reading *r, const struct ynode *key,
		      const struct ynode *v, const char *what)
{
	const char *path = path_of(r, key->text), *value;

	if (!is_setting_path(path))
		diag_add(&r->d, key->at,
			 "%s: must be one file below /sys or /proc/sys", what);
	else if (r->m->nhost_files >= MATRIX_HOST_FILES_MAX)
		diag_add(&r->d, key->at, "host-settings: more than %d files",
			 MATRIX_HOST_FILES_MAX);
	else if (!read_scalar(r, v, what, &value))
		return;
	else if (!is_line(value))
		diag_add(&r->d, v->at, "%s: must be one line of text", what);
	else
		add_file(r, path, value);
}

static bool is_host_param(const char *name)
{
	const struct param *p = param_find(NULL, name);

	return p != NULL && p->scope == PARAM_HOST;
}

static void report_unknown(struct reading *r, const struct ynode *key)
{
	const char **names = arena_array(r->a, param_count, sizeof(*names));
	size_t n = 0;

	for (size_t i = 0; i < param_count; i++) {
		if (param_table[i].scope == PARAM_HOST)
			names[n++] = param_table[i].name;
	}
	diag_add(
		&r->d, key->at,
		"host-settings: unknown setting %s (have %s, sysctl.NAME, or a "
		"path below /sys or /proc/sys)%s",
		diag_quote(r->a, key->text), diag_list(r->a, names, n),
		diag_hint(r->a, key->text, names, n));
}

static void read_setting(struct reading *r, const struct ynode *key,
			 const struct ynode *v)
{
	const char *what = arena_printf(r->a, "host-settings %s",
					diag_quote(r->a, key->text));

	if (key->text[0] == '/' ||
	    strncmp(key->text, SYSCTL, strlen(SYSCTL)) == 0)
		read_file(r, key, v, what);
	else if (is_host_param(key->text))
		read_fixed_param(r, key, v, what);
	else
		report_unknown(r, key);
}

void read_host_settings(struct reading *r, const struct read_key *k,
			const struct ynode *v)
{
	(void)k;
	if (read_is_nothing(v) ||
	    !read_is(r, v, YNODE_MAP, "\"host-settings\""))
		return;
	for (size_t i = 0; i < v->n; i++)
		read_setting(r, v->keys[i], v->values[i]);
}
