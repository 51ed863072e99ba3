#include "runner/agent/hooks.h"

#include <stdlib.h>
#include <string.h>

#include "runner/agent/hook_guest.h"
#include "runner/agent/host.h"
#include "runner/base/alloc.h"
#include "runner/base/fd.h"

// --- loading -------------------------------------------------------------

// Those of the guest travel each time they run.
static int load_one(struct hooks *h, const struct js *hook, size_t i,
		    struct err *e)
{
	CLEANUP(cleanup_free) char *path = NULL;
	CLEANUP(js_unrefp) struct js *kept = js_copy(hook);

	if (hook_check(hook, e) < 0)
		return -1;
	if (!hook_guest_is_meant(hook)) {
		path = xasprintf("%s/%zu-%s", h->dir, i,
				 js_get_str(hook, "name", ""));
		if (hook_write_program(hook, path, e) < 0)
			return -1;
		js_del(kept, "data");
		js_set_str(kept, "path", path);
	}
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

// One that was started, here or in the guest.
struct hooks_started {
	struct hook_guest guest; // id 0: it runs here
	struct hook_run run;
};

static struct hook_site site_of(const struct hooks_context *c)
{
	return (struct hook_site){ .watch = &c->host->watch,
				   .told = c->request,
				   .vm = &c->host->vm,
				   .rundir = c->host->dir.own,
				   .arena = c->arena,
				   .result = c->result,
				   .artifacts = c->artifacts };
}

static void deinit_started(struct hooks_started *s)
{
	hook_run_deinit(&s->run); // the guest's goes with the guest
}

static int start(const struct hooks_context *c, size_t i, bool around,
		 struct hooks_started *s, struct fault *f)
{
	const struct hook_site site = site_of(c);
	const struct js *hook = js_at(c->host->hooks.list, i);

	*s = (struct hooks_started){ .run = HOOK_RUN_INIT };
	if (!hook_guest_is_meant(hook))
		return hook_run_start(&s->run, &site, hook, around, f);
	s->guest = (struct hook_guest){ .hook = hook,
					.vm = &c->host->vm,
					.id = -1 - (int64_t)i,
					.around = around };
	return hook_guest_start(&s->guest, &site, f);
}

static int wait_ready(const struct hooks_context *c, struct hooks_started *s,
		      struct fault *f)
{
	const struct hook_site site = site_of(c);

	if (s->guest.id != 0)
		return hook_guest_wait_ready(&s->guest, &site, f);
	return hook_run_wait_ready(&s->run, &site, f);
}

static int finish(const struct hooks_context *c, struct hooks_started *s,
		  struct fault *f)
{
	const struct hook_site site = site_of(c);

	if (s->guest.id != 0)
		return hook_guest_finish(&s->guest, &site, f);
	return hook_run_finish(&s->run, &site, f);
}

// After a trial that ended its VM there is nothing to ask any more.
static bool is_too_late(const struct hooks_context *c, const struct js *hook)
{
	if (!hook_guest_is_meant(hook) || hook_guest_is_possible(&c->host->vm))
		return false;
	result_note(c->arena, c->result,
		    "hook %s (%s) did not run: there is no guest any more",
		    js_get_str(hook, "name", ""),
		    js_get_str(hook, "stage", ""));
	return true;
}

static int run_one(const struct hooks_context *c, size_t i, struct fault *f)
{
	CLEANUP(deinit_started)
	struct hooks_started s = { .run = HOOK_RUN_INIT };

	if (start(c, i, false, &s, f) < 0)
		return -1;
	return finish(c, &s, f);
}

static bool is_of_stage(const struct js *hook, const char *stage)
{
	return strcmp(js_get_str(hook, "stage", ""), stage) == 0;
}

int hooks_run(const struct hooks_context *c, const char *stage, struct fault *f)
{
	const struct js *list = c->host->hooks.list;

	for (size_t i = 0; i < js_len(list); i++) {
		const struct js *hook = js_at(list, i);

		if (is_of_stage(hook, stage) && !is_too_late(c, hook) &&
		    run_one(c, i, f) < 0)
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

int hooks_begin(const struct hooks_context *c, struct hooks_around *a,
		struct fault *f)
{
	const struct js *list = c->host->hooks.list;

	*a = (struct hooks_around){ 0 };
	if (js_len(list) == 0)
		return 0;
	a->running = xcalloc(js_len(list), sizeof(*a->running));
	for (size_t i = 0; i < js_len(list); i++) {
		struct hooks_started *s = &a->running[a->n];

		if (!is_of_stage(js_at(list, i), "around-workload"))
			continue;
		a->n++;
		if (start(c, i, true, s, f) < 0 || wait_ready(c, s, f) < 0)
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
		deinit_started(&a->running[i]);
	free(a->running);
	*a = (struct hooks_around){ 0 };
}
