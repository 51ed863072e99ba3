#include "runner/agent/knob.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/agent/cpulist.h"
#include "runner/base/alloc.h"
#include "runner/base/fd.h"

enum {
	LINE_BYTES = 4096, // as long as a list of CPUs gets
};

#define CPU "/sys/devices/system/cpu/"

// The first row of a name whose files are there counts. A path may have one
// "*", which stands for the rest of a directory's name.
static const struct knob {
	const char *name, *path;
	const char *on, *off; // what it takes for these; NULL: the value itself
	const char *absent;   // what a host is without such a file
} knobs[] = {
	{ "smt", CPU "smt/control", NULL, NULL,
	  "its kernel cannot switch SMT" },
	{ "governor", CPU "cpufreq/policy*/scaling_governor", NULL, NULL,
	  "it has no frequency scaling (cpufreq); a virtual machine leaves "
	  "that to its host" },
	{ "turbo", CPU "intel_pstate/no_turbo", "0", "1", NULL },
	{ "turbo", CPU "cpufreq/boost", "1", "0",
	  "it has no frequency boost that can be switched" },
	{ "thp", "/sys/kernel/mm/transparent_hugepage/enabled", NULL, NULL,
	  "its kernel has no transparent huge pages" },
	{ "irq-affinity", "/proc/irq/*/smp_affinity_list", NULL, NULL,
	  "its interrupts cannot be placed" },
	{ "hugepages", NULL, NULL, NULL, NULL },
	{ "drop-caches", NULL, NULL, NULL, NULL },
};

static bool is_path(const char *name)
{
	return strncmp(name, "/sys/", 5) == 0 ||
	       strncmp(name, "/proc/sys/", 10) == 0;
}

static int add_file(const char *path, const char *value, struct js *out,
		    struct err *e)
{
	if (js_len(out) >= KNOB_FILES_MAX)
		return err_set(e, ERR_HOST, "more than %d files",
			       KNOB_FILES_MAX);
	js_set_str(out, path, value);
	return 0;
}

// "/a/b*/c": every /root/a/bX/c that is there.
static int add_matches(const char *root, const char *pattern, const char *value,
		       struct js *out, struct err *e)
{
	CLEANUP(cleanup_free) char *dir = xasprintf("%s%s", root, pattern);
	char *star = strchr(dir, '*');
	const char *rest = star + 1, *stem;
	struct dirent **names = NULL;
	int n, rc = 0;

	*star = '\0';
	stem = strrchr(dir, '/') + 1;
	dir[stem - dir - 1] = '\0';
	n = scandir(dir, &names, NULL, versionsort);
	for (int i = 0; i < n; i++) {
		CLEANUP(cleanup_free)
		char *path = xasprintf("%s/%s%s", dir, names[i]->d_name, rest);

		if (rc == 0 && names[i]->d_name[0] != '.' &&
		    strncmp(names[i]->d_name, stem, strlen(stem)) == 0 &&
		    access(path, F_OK) == 0)
			rc = add_file(path, value, out, e);
		free(names[i]);
	}
	free(names);
	return rc;
}

static int add_path(const char *root, const char *path, const char *value,
		    struct js *out, struct err *e)
{
	CLEANUP(cleanup_free) char *full = xasprintf("%s%s", root, path);

	if (strchr(path, '*') != NULL)
		return add_matches(root, path, value, out, e);
	return access(full, F_OK) == 0 ? add_file(full, value, out, e) : 0;
}

// The user's own path: no way out of /sys and /proc/sys.
static int add_given(const char *root, const char *path, const char *value,
		     struct js *out, struct err *e)
{
	size_t before = js_len(out);

	if (strlen(path) > KNOB_PATH_MAX || strstr(path, "/..") != NULL ||
	    strchr(path, '*') != NULL)
		return err_set(e, ERR_HOST,
			       "setting \"%.128s\": must be one file below "
			       "/sys or /proc/sys",
			       path);
	if (add_path(root, path, value, out, e) < 0)
		return -1;
	if (js_len(out) == before && js_get(out, path) == NULL)
		return err_set(e, ERR_HOST, "%s: this host has no such file",
			       path);
	return 0;
}

static const char *text_for(const struct knob *k, const char *value)
{
	if (k->on == NULL)
		return value;
	return strcmp(value, "on") == 0 ? k->on : k->off;
}

int knob_files(const char *root, const char *name, const char *value,
	       struct js *out, struct err *e)
{
	const char *absent = NULL;

	if (is_path(name))
		return add_given(root, name, value, out, e);
	for (size_t i = 0; i < ARRAY_LEN(knobs); i++) {
		const struct knob *k = &knobs[i];
		size_t before = js_len(out);

		if (strcmp(k->name, name) != 0)
			continue;
		if (k->path == NULL)
			return 0;
		if (add_path(root, k->path, text_for(k, value), out, e) < 0)
			return -1;
		if (js_len(out) > before)
			return 0;
		absent = k->absent;
	}
	if (absent != NULL)
		return err_set(e, ERR_HOST, "%s cannot be set on this host: %s",
			       name, absent);
	return err_set(e, ERR_HOST, "unknown host setting \"%.64s\"", name);
}

bool knob_may_refuse(const char *path)
{
	return strstr(path, "/proc/irq/") != NULL;
}

int knob_read(const char *path, char *out, size_t size)
{
	char line[LINE_BYTES];
	const char *from = line, *open;
	size_t len;

	if (file_read_line(path, line, sizeof(line)) < 0)
		return -1;
	len = strlen(line);
	open = strchr(line, '[');
	if (open != NULL && strchr(open, ']') != NULL) {
		from = open + 1;
		len = strcspn(from, "]");
	}
	if (len >= size) {
		errno = EOVERFLOW;
		return -1;
	}
	memcpy(out, from, len);
	out[len] = '\0';
	return 0;
}

static bool same_cpus(const char *a, const char *b)
{
	bool in_a[CPULIST_MAX] = { false }, in_b[CPULIST_MAX] = { false };
	struct cpulist list;
	struct err e;

	if (cpulist_parse(a, &list, &e) < 0)
		return false;
	for (size_t i = 0; i < list.n; i++)
		in_a[list.cpu[i]] = true;
	if (cpulist_parse(b, &list, &e) < 0)
		return false;
	for (size_t i = 0; i < list.n; i++)
		in_b[list.cpu[i]] = true;
	return memcmp(in_a, in_b, sizeof(in_a)) == 0;
}

bool knob_equal(const char *a, const char *b)
{
	return strcmp(a, b) == 0 || same_cpus(a, b);
}
