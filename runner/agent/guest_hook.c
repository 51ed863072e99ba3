#include "runner/agent/guest_hook.h"

#include <stdlib.h>

#include "runner/agent/hook_run.h"
#include "runner/base/alloc.h"
#include "runner/base/fd.h"

static int make_dir(char **out, struct err *e)
{
	const char *tmp = getenv("TMPDIR");

	*out = xasprintf("%s/vrun-hook-XXXXXX", tmp == NULL ? "/tmp" : tmp);
	if (mkdtemp(*out) != NULL)
		return 0;
	err_sys(e, ERR_HOST, "%s", *out);
	free(*out);
	*out = NULL;
	return -1;
}

// Until the agent says that the workloads have ended, or is gone.
static int wait_end(const struct guest_sender *s, struct watch *w,
		    struct fault *f)
{
	const struct watch_for end = { .fd = s->fd, .what = "the end" };

	guest_send_stage(s, "ready");
	return watch_wait(w, &end, f);
}

static int run(const struct hook_site *site, const struct js *hook,
	       const struct guest_sender *around, struct fault *f)
{
	CLEANUP(hook_run_deinit) struct hook_run r = HOOK_RUN_INIT;

	if (hook_run_start(&r, site, hook, around != NULL, f) < 0)
		return -1;
	if (around != NULL && (hook_run_wait_ready(&r, site, f) < 0 ||
			       wait_end(around, site->watch, f) < 0))
		return -1;
	return hook_run_finish(&r, site, f);
}

static int run_in(const char *dir, const struct message *request,
		  const struct guest_sender *s, const struct hook_site *site,
		  struct fault *f)
{
	CLEANUP(js_unrefp)
	struct js *hook = js_copy(js_get(request->body, "hook"));
	CLEANUP(cleanup_free)
	char *path = xasprintf("%s/%s", dir, js_get_str(hook, "name", ""));
	bool around = js_get_bool(request->body, "around", false);

	if (hook_write_program(hook, path, &f->err) < 0)
		return fault_from_err(f, OUTCOME_FAILED);
	js_set_str(hook, "path", path);
	return run(site, hook, around ? s : NULL, f);
}

static int perform(const struct message *request, const struct guest_sender *s,
		   const struct hook_site *site, struct fault *f)
{
	CLEANUP(cleanup_free) char *dir = NULL;
	int rc;

	if (hook_check(js_get(request->body, "hook"), &f->err) < 0 ||
	    make_dir(&dir, &f->err) < 0)
		return fault_from_err(f, OUTCOME_FAILED);
	rc = run_in(dir, request, s, site, f);
	dir_remove_all(dir);
	return rc;
}

static void send_all(const struct guest_sender *s,
		     const struct artifacts *files, const struct result *r)
{
	struct js *msg = message_new(MESSAGE_RESULT, s->id);

	for (size_t i = 0; i < js_len(files->list); i++) {
		struct js *file = js_copy(js_at(files->list, i));

		js_set_str(file, "type", message_type_name(MESSAGE_ARTIFACT));
		js_set_int(file, "id", s->id);
		guest_send(s, file);
	}
	js_set(msg, "result", result_to_js(r));
	guest_send(s, msg);
}

void guest_hook_work(const struct message *request, struct guest_sender *s)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(artifacts_deinit) struct artifacts files = { 0 };
	struct watch watch = { .signals = -1 };
	struct result *r = result_new(a);
	const struct hook_site site = { .watch = &watch,
					.told = js_get(request->body, "told"),
					.arena = a,
					.result = r,
					.artifacts = &files };
	struct fault f = { 0 };

	if (perform(request, s, &site, &f) < 0)
		result_fail(a, r, f.outcome, "%s", f.err.msg);
	send_all(s, &files, r);
}
