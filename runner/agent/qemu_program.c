#include "runner/agent/qemu_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/agent/child.h"
#include "runner/agent/copies.h"
#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"

#define DEFAULT_NAME "qemu-system-x86_64"
#define COPY_NAME    "bin/qemu-system-x86_64" // in a bundle
#define BUNDLE	     "qemu-"

enum {
	SAYS_BYTES = 64 << 10, // more than any program says of itself
	SUMS_MAX = 4 << 20,
};

void qemu_program_deinit(struct qemu_program *p)
{
	free(p->run);
	free(p->file);
	*p = (struct qemu_program){ 0 };
}

// --- finding -------------------------------------------------------------

// The first file of that name in PATH that can be run, allocated; or NULL.
static char *search_path(const char *name)
{
	const char *path = getenv("PATH");
	CLEANUP(cleanup_free) char *copy = xstrdup(path != NULL ? path : "");
	char *rest = NULL;

	for (char *dir = strtok_r(copy, ":", &rest); dir != NULL;
	     dir = strtok_r(NULL, ":", &rest)) {
		char *file = xasprintf("%s/%s", dir, name);

		if (access(file, X_OK) == 0)
			return file;
		free(file);
	}
	return NULL;
}

static void find_copy(struct qemu_program *p)
{
	CLEANUP(cleanup_free)
	char *bundle = copies_find(p->run, BUNDLE, &p->nowhere);

	if (bundle == NULL)
		return;
	free(p->run);
	p->run = xasprintf("%s/" COPY_NAME, bundle);
	p->copied = true;
}

void qemu_program_find(const char *given, struct qemu_program *out)
{
	struct qemu_program p = { 0 };
	CLEANUP(cleanup_free) char *found = NULL;
	struct stat st;

	p.run = xstrdup(given[0] != '\0' ? given : DEFAULT_NAME);
	if (strchr(p.run, '/') == NULL)
		found = search_path(p.run);
	else if (access(p.run, F_OK) < 0)
		find_copy(&p);
	p.file = realpath(found != NULL ? found : p.run, NULL);
	if (p.file != NULL && stat(p.file, &st) == 0) {
		p.device = st.st_dev;
		p.inode = st.st_ino;
	}
	*out = p;
}

// --- what it is ----------------------------------------------------------

int qemu_program_says(struct watch *w, const char *dir, char *const *argv,
		      char out[QEMU_PROGRAM_LINE_MAX], struct fault *f)
{
	CLEANUP(cleanup_free) char *log = xasprintf("%s/says", dir);
	CLEANUP(cleanup_free) char *name = xasprintf("%s %s", argv[0], argv[1]);
	struct child_spec spec = { .name = name,
				   .argv = argv,
				   .log = log,
				   .keep_fd = -1,
				   .file_max = SAYS_BYTES };
	struct child child = CHILD_INIT;
	int rc = child_start(&child, &spec, &f->err);

	if (rc < 0)
		return fault_from_err(f, OUTCOME_FAILED);
	rc = watch_child_end(w, &child, QEMU_PROGRAM_SAYS_S * NS_PER_S, f);
	child_stop(&child);
	if (rc == 0 && file_read_line(log, out, QEMU_PROGRAM_LINE_MAX) < 0)
		rc = fault_set(f, OUTCOME_FAILED, "%s: %m", log);
	unlink(log);
	return rc;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	       a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static const struct qemu_sum *look_up(const struct qemu_sums *sums,
				      const struct stat *st)
{
	for (size_t i = 0; i < QEMU_PROGRAM_SUMS; i++) {
		const struct qemu_sum *k = &sums->of[i];

		if (k->sha256[0] != '\0' && is_same(&k->st, st))
			return k;
	}
	return NULL;
}

static const struct qemu_sum *remember(struct qemu_sums *sums,
				       const struct stat *st, const char *sum)
{
	struct qemu_sum *k = &sums->of[sums->next++ % QEMU_PROGRAM_SUMS];

	k->st = *st;
	snprintf(k->sha256, sizeof(k->sha256), "%.*s", QEMU_PROGRAM_HEX, sum);
	return k;
}

static bool is_sum(const char *line)
{
	return strspn(line, "0123456789abcdef") == QEMU_PROGRAM_HEX &&
	       line[QEMU_PROGRAM_HEX] == ' ';
}

int qemu_program_hash(struct qemu_program *p, struct qemu_sums *sums,
		      struct watch *w, const char *dir, struct fault *f)
{
	char tool[] = "sha256sum", line[QEMU_PROGRAM_LINE_MAX] = "";
	char *argv[] = { tool, p->file, NULL };
	const struct qemu_sum *k;
	struct stat st;

	if (p->file == NULL || stat(p->file, &st) < 0)
		return 0; // that it cannot be run tells more
	k = look_up(sums, &st);
	if (k == NULL && qemu_program_says(w, dir, argv, line, f) < 0 &&
	    f->outcome == OUTCOME_LOST)
		return -1;
	if (k == NULL && is_sum(line))
		k = remember(sums, &st, line);
	*f = (struct fault){ 0 };
	if (k != NULL)
		snprintf(p->sha256, sizeof(p->sha256), "%s", k->sha256);
	return 0;
}

void qemu_program_due(const struct qemu_program *p,
		      char out[QEMU_PROGRAM_HEX + 1])
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	CLEANUP(cleanup_free) char *file = NULL;
	struct err ignored = { 0 };
	const char *at;

	out[0] = '\0';
	if (!p->copied)
		return;
	file = xasprintf("%.*s/SHA256SUMS",
			 (int)(strlen(p->run) - strlen("/" COPY_NAME)), p->run);
	if (file_read(file, SUMS_MAX, &text, ERR_HOST, &ignored) < 0)
		return;
	at = strstr(buf_str(&text), "  " COPY_NAME "\n");
	if (at != NULL && at - text.data >= QEMU_PROGRAM_HEX)
		snprintf(out, QEMU_PROGRAM_HEX + 1, "%s",
			 at - QEMU_PROGRAM_HEX);
}

bool qemu_program_is_run_by(const struct qemu_program *p, pid_t pid)
{
	char exe[64];
	struct stat st;

	snprintf(exe, sizeof(exe), "/proc/%d/exe", (int)pid);
	return p->file != NULL && stat(exe, &st) == 0 &&
	       st.st_dev == p->device && st.st_ino == p->inode;
}
