// Debug kernels, by their configuration: figures taken on one say little
// about the kernels that people run.
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "runner/agent/preflight.h"
#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"

enum {
	CONFIG_MAX = 4 << 20,
	ZCAT_S = 10,
};

static const char *const options[] = {
	"DEBUG_ATOMIC_SLEEP",
	"DEBUG_KMEMLEAK",
	"DEBUG_LOCK_ALLOC",
	"DEBUG_MUTEXES",
	"DEBUG_OBJECTS",
	"DEBUG_PAGEALLOC",
	"DEBUG_RT_MUTEXES",
	"DEBUG_SPINLOCK",
	"DEBUG_VM",
	"DEBUG_WW_MUTEX_SLOWPATH",
	"GCOV_KERNEL",
	"KASAN",
	"KCOV",
	"KCSAN",
	"KMSAN",
	"LOCKDEP",
	"LOCK_STAT",
	"PROVE_LOCKING",
	"PROVE_RCU",
	"SLUB_DEBUG_ON",
	"UBSAN_TRAP",
};

// Whether a line of the text is CONFIG_<option>=y.
static bool is_set(const char *config, const char *option)
{
	CLEANUP(cleanup_free) char *line = xasprintf("CONFIG_%s=y", option);
	size_t len = strlen(line);

	for (const char *s = strstr(config, line); s != NULL;
	     s = strstr(s + 1, line)) {
		if ((s == config || s[-1] == '\n') &&
		    (s[len] == '\n' || s[len] == '\0'))
			return true;
	}
	return false;
}

void preflight_debug_options(const char *config, struct buf *out)
{
	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		if (is_set(config, options[i]))
			buf_printf(out, "%s%s", out->len ? ", " : "",
				   options[i]);
	}
}

static void judge(struct preflight *p, const char *whose, const char *config)
{
	CLEANUP(buf_deinit) struct buf found = BUF_INIT;

	preflight_debug_options(config, &found);
	if (found.len > 0)
		preflight_problem(p, "use a kernel without these options",
				  "the %s kernel has %s: figures are not those "
				  "of a production kernel",
				  whose, found.data);
	else
		preflight_ok(p, "the %s kernel is no debug kernel", whose);
}

static void unverified(struct preflight *p, const char *whose,
		       const char *where)
{
	preflight_problem(p, "put its configuration there",
			  "whether the %s kernel is a debug kernel is "
			  "unverified: no readable %s",
			  whose, where);
}

// /proc/config.gz, by the zcat that every distribution has.
static int read_compressed(struct host *h, const char *path, struct buf *out,
			   struct fault *f)
{
	CLEANUP(cleanup_free) char *log = xasprintf("%s/config", h->dir.own);
	CLEANUP(cleanup_free) char *file = xstrdup(path);
	char zcat[] = "zcat";
	char *argv[] = { zcat, file, NULL };
	struct child_spec spec = { .name = "zcat",
				   .argv = argv,
				   .log = log,
				   .keep_fd = -1,
				   .file_max = CONFIG_MAX };
	struct child child = CHILD_INIT;
	int rc;

	if (access(path, R_OK) < 0)
		return fault_set(f, OUTCOME_FAILED, "%s: %m", path);
	if (child_start(&child, &spec, &f->err) < 0)
		return fault_from_err(f, OUTCOME_FAILED);
	rc = watch_child_end(&h->watch, &child, ZCAT_S * NS_PER_S, f);
	child_stop(&child);
	return rc < 0 ? -1 : file_read(log, CONFIG_MAX, out, ERR_HOST, &f->err);
}

void preflight_host_debug(struct preflight *p)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	CLEANUP(cleanup_free) char *path = NULL;
	struct utsname u;
	struct fault f = { 0 };

	if (uname(&u) < 0)
		return;
	path = xasprintf("%s/boot/config-%s", p->root, u.release);
	if (file_read(path, CONFIG_MAX, &text, ERR_HOST, &f.err) == 0 ||
	    read_compressed(p->host, "/proc/config.gz", &text, &f) == 0)
		judge(p, "host's", buf_str(&text));
	else
		unverified(p, "host's", path);
}

static void check_image(struct preflight *p, const struct vm_image *image)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct err e = { 0 };

	if (image->config != NULL &&
	    file_read(image->config, CONFIG_MAX, &text, ERR_HOST, &e) == 0)
		judge(p, "guest's", buf_str(&text));
	else
		unverified(p, "guest's", "\"config\" beside the image");
}

// What is wrong with an image itself, its own row has said.
void preflight_guest_debug(struct preflight *p)
{
	const struct js *l = js_get(p->needs, "images");

	for (size_t i = 0; preflight_needs_vm(p) && i < js_len(l); i++) {
		CLEANUP(vm_image_close) struct vm_image image = { 0 };
		const char *name = js_str(js_at(l, i));
		struct err e = { 0 };

		if (vm_image_open(name ? name : "builtin", false, &image, &e) ==
		    0)
			check_image(p, &image);
	}
}
