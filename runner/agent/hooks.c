#include "runner/agent/hooks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/agent/hook_env.h"
#include "runner/agent/hook_output.h"
#include "runner/agent/host.h"
#include "runner/base/alloc.h"
#include "runner/base/base64.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"

enum {
	ARGS_MAX = 64,
	READY_STEP_MS = 20, // between looks for "ready"; nothing measures yet
};

// One run of a hook.
struct hook_child {
	const struct js *hook;
	struct child child;
	int input;  // its standard input; closed when it is to finish
	char *name; // "hook kvm-exits", for messages
	char *log, *artifacts;
};

// --- loading -------------------------------------------------------------

static int write_program(const char *path, const struct js *hook, struct err *e)
{
	CLEANUP(buf_deinit) struct buf program = BUF_INIT;
	CLEANUP(fd_closep) int fd = -1;
	const char *data = js_get_str(hook, "data", "");

	if (strlen(data) > BASE64_CHARS(HOOKS_BYTES_MAX) ||
	    base64_decode(data, strlen(data), &program) < 0)
		return err_set(e, ERR_HOST, "hook \"%.64s\": bad program",
			       js_get_str(hook, "name", ""));
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	if (fd < 0 || fd_write_all(fd, buf_str(&program), program.len) < 0)
		return err_sys(e, ERR_HOST, "%s", path);
	return 0;
}

static int load_one(struct hooks *h, const struct js *hook, size_t i,
		    struct err *e)
{
	CLEANUP(cleanup_free) char *path = NULL;
	CLEANUP(js_unrefp) struct js *kept = js_copy(hook);
	const char *name = js_get_str(hook, "name", "");

	if (!artifact_name_is_good(name) ||
	    js_get_str(hook, "stage", NULL) == NULL ||
	    js_get_int(hook, "timeout_ns", 0) <= 0 ||
	    js_len(js_get(hook, "args")) > ARGS_MAX)
		return err_set(e, ERR_HOST, "hook \"%.64s\" is malformed",
			       name);
	path = xasprintf("%s/%zu-%s", h->dir, i, name);
	if (write_program(path, hook, e) < 0)
		return -1;
	js_del(kept, "data");
	js_set_str(kept, "path", path);
	js_append(h->list, TAKE_PTR(kept));
	return 0;
}

int hooks_load(struct hooks *h, const struct js *list, const char *rundir,
	       struct err *e)
{
	js_unref(h->list);
	h->list = js_array();
	if (h->dir == NULL) {
		h->dir = xasprintf("%s/hooks", rundir);
		h->block = -1;
	}
	if (js_len(list) > HOOKS_MAX)
		return err_set(e, ERR_HOST, "more than %d hooks", HOOKS_MAX);
	if (js_len(list) > 0 && dir_make_all(h->dir) < 0)
		return err_sys(e, ERR_HOST, "%s", h->dir);
	for (size_t i = 0; i < js_len(list); i++) {
		if (load_one(h, js_at(list, i), i, e) < 0)
			return -1;
	}
	return 0;
}

void hooks_deinit(struct hooks *h)
{
	js_unref(h->list);
	free(h->dir);
	*h = (struct hooks){ 0 };
}

// --- one run -------------------------------------------------------------

static void hook_child_deinit(struct hook_child *r)
{
	child_stop(&r->child);
	fd_closep(&r->input);
	if (r->artifacts != NULL)
		dir_remove_all(r->artifacts);
	free(r->artifacts);
	free(r->log);
	free(r->name);
}

static void name_run(const struct hooks_context *c, const struct js *hook,
		     struct hook_child *r)
{
	const char *name = js_get_str(hook, "name", "");
	const char *dir = c->host->hooks.dir;

	*r = (struct hook_child){ .hook = hook,
				  .child = CHILD_INIT,
				  .input = -1 };
	r->name =
		xasprintf("hook %s (%s)", name, js_get_str(hook, "stage", ""));
	r->log = xasprintf("%s/%s.log", dir, name);
	r->artifacts = xasprintf("%s/%s.d", dir, name);
}

static void arguments_of(const struct js *hook, struct strv *argv)
{
	const struct js *args = js_get(hook, "args");

	strv_add(argv, js_get_str(hook, "path", ""));
	for (size_t i = 0; i < js_len(args); i++)
		strv_add(argv, js_str(js_at(args, i)) != NULL
				       ? js_str(js_at(args, i))
				       : "");
}

// `around`: its standard input is a pipe whose other end is kept.
static int start(const struct hooks_context *c, struct hook_child *r,
		 bool around, struct err *e)
{
	CLEANUP(strv_deinit) struct strv argv = STRV_INIT;
	CLEANUP(strv_deinit) struct strv env = STRV_INIT;
	CLEANUP(fd_closep) int in = -1;
	struct child_spec spec = { .name = r->name,
				   .log = r->log,
				   .keep_fd = -1,
				   .file_max = HOOKS_OUTPUT_MAX };
	int pipe_ends[2];

	dir_remove_all(r->artifacts);
	if (dir_make_all(r->artifacts) < 0)
		return err_sys(e, ERR_HOST, "%s", r->artifacts);
	if (around) {
		if (pipe2(pipe_ends, O_CLOEXEC) < 0)
			return err_sys(e, ERR_HOST, "pipe");
		in = spec.in_fd = pipe_ends[0];
		r->input = pipe_ends[1];
	}
	arguments_of(r->hook, &argv);
	hook_env_add(c, r->hook, r->artifacts, &env);
	spec.argv = argv.v;
	spec.env = env.v;
	return child_start(&r->child, &spec, e);
}

static int64_t limit_of(const struct hook_child *r)
{
	return js_get_int(r->hook, "timeout_ns", 0);
}

static void keep_artifact(const struct hooks_context *c, const char *hook,
			  const char *path, const char *file)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	CLEANUP(cleanup_free)
	char *name = xasprintf("hook-%s%s%s", hook, file[0] ? "-" : "", file);
	size_t room = artifacts_room(c->artifacts);
	struct err e;

	if (file_read(path, room, &text, ERR_HOST, &e) < 0)
		result_note(c->arena, c->result, "hook %s: %s is not kept: %s",
			    hook, file[0] ? file : "its output", e.msg);
	else if (text.len > 0 &&
		 !artifacts_add(c->artifacts, name, text.data, text.len))
		result_note(
			c->arena, c->result,
			"hook %s: \"%.64s\" is not kept: no room, or a name "
			"of other than letters, digits, dots and dashes",
			hook, file);
}

static void keep_artifacts(const struct hooks_context *c,
			   const struct hook_child *r)
{
	const char *hook = js_get_str(r->hook, "name", "");
	DIR *d = opendir(r->artifacts);
	const struct dirent *ent;

	keep_artifact(c, hook, r->log, "");
	while (d != NULL && (ent = readdir(d)) != NULL) {
		CLEANUP(cleanup_free)
		char *path = xasprintf("%s/%s", r->artifacts, ent->d_name);

		if (ent->d_name[0] != '.')
			keep_artifact(c, hook, path, ent->d_name);
	}
	if (d != NULL)
		closedir(d);
}

static int take_output(const struct hooks_context *c,
		       const struct hook_child *r, struct fault *f)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	if (c->result == NULL)
		return 0;
	keep_artifacts(c, r);
	if (file_read(r->log, HOOKS_OUTPUT_MAX, &text, ERR_HOST, &f->err) < 0 ||
	    hook_output_read(js_get_str(r->hook, "name", ""), buf_str(&text),
			     c->arena, c->result, &f->err) < 0) {
		fault_from_err(f, OUTCOME_FAILED);
		return fault_wrap(f, "%s", r->name);
	}
	return 0;
}

static int finish(const struct hooks_context *c, struct hook_child *r,
		  struct fault *f)
{
	fd_closep(&r->input);
	if (watch_child_end(&c->host->watch, &r->child, limit_of(r), f) < 0) {
		if (c->result != NULL)
			keep_artifacts(c, r);
		return -1;
	}
	return take_output(c, r, f);
}

static int run_one(const struct hooks_context *c, const struct js *hook,
		   struct fault *f)
{
	CLEANUP(hook_child_deinit) struct hook_child r;

	name_run(c, hook, &r);
	if (start(c, &r, false, &f->err) < 0)
		return fault_from_err(f, OUTCOME_FAILED);
	return finish(c, &r, f);
}

static bool is_of_stage(const struct js *hook, const char *stage)
{
	return strcmp(js_get_str(hook, "stage", ""), stage) == 0;
}

int hooks_run(const struct hooks_context *c, const char *stage, struct fault *f)
{
	const struct js *list = c->host->hooks.list;

	for (size_t i = 0; i < js_len(list); i++) {
		if (is_of_stage(js_at(list, i), stage) &&
		    run_one(c, js_at(list, i), f) < 0)
			return -1;
	}
	return 0;
}

int hooks_enter_block(const struct hooks_context *c, struct fault *f)
{
	struct hooks *h = &c->host->hooks;
	int64_t block = js_get_int(c->request, "block", 0);

	if (js_len(h->list) == 0 || block == h->block)
		return 0;
	if (hooks_run(c, "before-block", f) < 0)
		return -1;
	h->block = block;
	return 0;
}

// --- around the workload -------------------------------------------------

static bool is_ready(const struct hook_child *r)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct err e;

	return file_read(r->log, HOOKS_OUTPUT_MAX, &text, ERR_HOST, &e) == 0 &&
	       hook_output_is_ready(buf_str(&text));
}

// Looks at its output now and then: nothing measures yet.
static int wait_ready(const struct hooks_context *c, struct hook_child *r,
		      struct fault *f)
{
	int64_t until = clock_mono_ns() + limit_of(r);

	while (!is_ready(r)) {
		struct watch_for step = {
			.fd = -1,
			.deadline_ns =
				clock_mono_ns() + READY_STEP_MS * NS_PER_MS,
			.child = &r->child,
			.what = "\"ready\" of a hook",
		};

		if (watch_wait(&c->host->watch, &step, f) < 0 &&
		    f->outcome != OUTCOME_TIMEOUT)
			return is_ready(r) ? 0 : -1;
		if (clock_mono_ns() >= until)
			return fault_set(f, OUTCOME_TIMEOUT,
					 "%s did not say \"ready\" in time",
					 r->name);
	}
	return 0;
}

int hooks_begin(const struct hooks_context *c, struct hooks_around *a,
		struct fault *f)
{
	const struct js *list = c->host->hooks.list;

	*a = (struct hooks_around){ 0 };
	if (js_len(list) == 0)
		return 0;
	a->running = xcalloc(js_len(list), sizeof(*a->running));
	for (size_t i = 0; i < js_len(list); i++) {
		struct hook_child *r = &a->running[a->n];

		if (!is_of_stage(js_at(list, i), "around-workload"))
			continue;
		name_run(c, js_at(list, i), r);
		a->n++;
		if (start(c, r, true, &f->err) < 0)
			return fault_from_err(f, OUTCOME_FAILED);
		if (wait_ready(c, r, f) < 0)
			return -1;
	}
	return 0;
}

// The last that began ends first.
int hooks_end(const struct hooks_context *c, struct hooks_around *a,
	      struct fault *f)
{
	int rc = 0;

	for (size_t i = a->n; i-- > 0 && rc == 0;)
		rc = finish(c, &a->running[i], f);
	hooks_abandon(a);
	return rc;
}

void hooks_abandon(struct hooks_around *a)
{
	for (size_t i = a->n; i-- > 0;)
		hook_child_deinit(&a->running[i]);
	free(a->running);
	*a = (struct hooks_around){ 0 };
}
