#include "runner/transport/qemu_bundle.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <glob.h>
#include <libgen.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/base/fd.h"
#include "runner/transport/capture.h"

enum {
	DEPTH_MAX = 4, // of directories below one of firmware
	HELP_MAX = 64 * 1024,
};

// What is being made.
struct making {
	struct bundle b;
	char *program;	 // without links
	char *bindir;	 // its directory
	const char *end; // of the names of files that are taken
};

static void making_deinit(struct making *m)
{
	bundle_deinit(&m->b);
	free(m->program);
	free(m->bindir);
}

// Lines of sha256sum(1) are read back there.
static bool is_fit(const char *name)
{
	return strpbrk(name, "\\\n\r") == NULL;
}

static bool ends_with(const char *s, const char *end)
{
	size_t len = strlen(s), n = strlen(end);

	return len >= n && strcmp(s + len - n, end) == 0;
}

static int add_tree(struct making *m, const char *dir, const char *rel,
		    int depth, struct err *e);

// A file or a directory; links are followed. Empty files are left out.
static int add_entry(struct making *m, const char *path, const char *rel,
		     int depth, struct err *e)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return 0; // a link to nowhere
	if (S_ISDIR(st.st_mode))
		return depth < DEPTH_MAX ? add_tree(m, path, rel, depth + 1, e)
					 : 0;
	if (!S_ISREG(st.st_mode) || st.st_size == 0 || !ends_with(rel, m->end))
		return 0;
	if (!is_fit(rel))
		return err_set(e, ERR_HOST,
			       "%s: a name that cannot be copied; rename it",
			       path);
	return bundle_add(&m->b, path, xstrdup(rel), 0644, e);
}

// Recursive, no deeper than DEPTH_MAX. A directory that is not there is none.
static int add_tree(struct making *m, const char *dir, const char *rel,
		    int depth, struct err *e)
{
	DIR *d = opendir(dir);
	struct dirent *ent;
	int rc = 0;

	while (rc == 0 && d != NULL && (ent = readdir(d)) != NULL) {
		CLEANUP(cleanup_free)
		char *path = xasprintf("%s/%s", dir, ent->d_name);
		CLEANUP(cleanup_free)
		char *name = xasprintf("%s/%s", rel, ent->d_name);

		if (ent->d_name[0] != '.')
			rc = add_entry(m, path, name, depth, e);
	}
	if (d != NULL)
		closedir(d);
	return rc;
}

// --- firmware ------------------------------------------------------------

// "/opt/qemu/bin/../share/qemu" is "share/qemu" of the bundle. NULL: outside.
static char *below_prefix(const struct making *m, const char *dir)
{
	static const char up[] = "../";
	size_t n = strlen(m->bindir);
	const char *rest = dir + n + 1;
	bool ascends;

	if (strncmp(dir, m->bindir, n) != 0 || dir[n] != '/')
		return NULL;
	ascends = strncmp(rest, up, strlen(up)) == 0;
	rest += ascends ? strlen(up) : 0;
	if (strstr(rest, "..") != NULL || rest[0] == '\0')
		return NULL;
	return xasprintf("%s%s", ascends ? "" : "bin/", rest);
}

static int add_firmware(struct making *m, const char *dir, struct err *e)
{
	CLEANUP(cleanup_free) char *rel = below_prefix(m, dir);

	if (rel == NULL)
		return err_set(e, ERR_HOST,
			       "%s: looks for firmware in %s, which is not "
			       "below its own prefix; install it on the host",
			       m->program, dir);
	return add_tree(m, dir, rel, 0, e);
}

static int add_firmwares(struct making *m, struct err *e)
{
	char option[] = "-L", what[] = "help";
	char *argv[] = { m->program, option, what, NULL };
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	char *rest = NULL;
	int status = capture(argv, &text, HELP_MAX, e);

	if (status < 0)
		return -1;
	if (status != 0)
		return err_set(e, ERR_HOST,
			       "%s: `-L help`, which tells where its firmware "
			       "is, ends with status %d; is it a QEMU?",
			       m->program, status);
	buf_putc(&text, '\n');
	for (char *line = strtok_r(text.data, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (add_firmware(m, line, e) < 0)
			return -1;
	}
	return 0;
}

// --- modules -------------------------------------------------------------

static void escape(const char *text, struct buf *out)
{
	for (; *text != '\0'; text++) {
		if (strchr("*?[]\\", *text) != NULL)
			buf_putc(out, '\\');
		buf_putc(out, *text);
	}
}

// QEMU cannot be asked for the directory; it is PREFIX/LIBDIR/qemu, with a
// LIBDIR of the distribution's.
static int add_modules(struct making *m, const char *prefix,
		       const char *pattern, struct err *e)
{
	CLEANUP(buf_deinit) struct buf full = BUF_INIT;
	glob_t found = { 0 };
	int rc = 0;

	escape(prefix, &full);
	buf_puts(&full, pattern);
	if (glob(buf_str(&full), GLOB_NOSORT, NULL, &found) != 0)
		return 0;
	for (size_t i = 0; i < found.gl_pathc && rc == 0; i++) {
		const char *dir = found.gl_pathv[i];

		rc = add_tree(m, dir, dir + strlen(prefix) + 1, DEPTH_MAX, e);
	}
	globfree(&found);
	return rc;
}

static int add_all_modules(struct making *m, struct err *e)
{
	static const char *const patterns[] = { "/lib*/qemu", "/lib*/*/qemu" };
	CLEANUP(cleanup_free) char *copy = xstrdup(m->bindir);
	const char *prefix = dirname(copy);

	m->end = ".so";
	for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
		if (add_modules(m, prefix, patterns[i], e) < 0)
			return -1;
	}
	return 0;
}

// --- all of it -----------------------------------------------------------

static int check_program(const char *path, struct err *e)
{
	CLEANUP(fd_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	char magic[SELFMAG] = "";

	if (fd < 0)
		return err_sys(e, ERR_HOST, "%s", path);
	if (fd_read_some(fd, magic, sizeof(magic)) == sizeof(magic) &&
	    memcmp(magic, ELFMAG, SELFMAG) == 0)
		return 0;
	return err_set(e, ERR_HOST,
		       "%s: is a script, which would not find there what it "
		       "starts; name a QEMU itself, or install it on the host",
		       path);
}

int bundle_qemu(const char *path, struct bundle *out, struct err *e)
{
	CLEANUP(making_deinit) struct making m = { .end = "" };

	m.program = realpath(path, NULL);
	if (m.program == NULL)
		return err_sys(e, ERR_HOST, "%s", path);
	m.bindir = xstrdup(m.program);
	dirname(m.bindir);
	if (check_program(m.program, e) < 0 ||
	    bundle_add(&m.b, m.program, xstrdup("bin/qemu-system-x86_64"), 0755,
		       e) < 0 ||
	    add_firmwares(&m, e) < 0 || add_all_modules(&m, e) < 0)
		return -1;
	bundle_seal(&m.b, "qemu", true);
	*out = m.b;
	m.b = (struct bundle){ 0 };
	return 0;
}
