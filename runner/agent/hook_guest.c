#include "runner/agent/hook_guest.h"

#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/clock.h"

enum {
	// For the way there and back, beside the hook's own time: a slow guest
	// writes and reads a MiB first.
	TRAVEL_S = 20,
};

bool hook_guest_is_meant(const struct js *hook)
{
	return strcmp(js_get_str(hook, "on", "host"), "guest") == 0;
}

bool hook_guest_is_possible(struct vm *vm)
{
	return vm_is_up(vm) && !child_has_ended(&vm->child) &&
	       vm->spec.accel != VM_NATIVE;
}

static struct js *told(const struct hook_guest *g, const struct hook_site *s)
{
	static const char *const keys[] = { "trial", "attempt", "block",
					    "label", "levels",	"vars" };
	struct js *j = js_object();

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct js *v = js_get(s->told, keys[i]);

		if (v != NULL)
			js_set(j, keys[i], js_ref(v));
	}
	js_set_str(j, "accel", vm_accel_name(g->vm->spec.accel));
	return j;
}

int hook_guest_start(struct hook_guest *g, const struct hook_site *s,
		     struct fault *f)
{
	struct js *msg = message_new(MESSAGE_HOOK, g->id);

	js_set(msg, "hook", js_ref(g->hook));
	js_set(msg, "around", js_bool(g->around));
	js_set(msg, "told", told(g, s));
	return vm_send(g->vm, msg, f);
}

// What it is, before what was wrong with it.
static int blame(const struct hook_guest *g, struct fault *f)
{
	return fault_wrap(f, "hook %s (%s) in the guest",
			  js_get_str(g->hook, "name", ""),
			  js_get_str(g->hook, "stage", ""));
}

// The next message about this hook; one about another that was given up is
// passed over.
static int receive(struct hook_guest *g, const char *what, struct message *m,
		   struct fault *f)
{
	int64_t limit = js_get_int(g->hook, "timeout_ns", 0);
	int64_t until;

	if (__builtin_add_overflow(clock_mono_ns() + TRAVEL_S * NS_PER_S, limit,
				   &until))
		until = INT64_MAX;
	for (;;) {
		if (vm_receive(g->vm, until, what, m, f) < 0) {
			blame(g, f);
			return -1;
		}
		if (m->id == g->id)
			return 0;
		message_deinit(m);
	}
}

static int take_artifact(const struct hook_site *s, const struct message *m,
			 struct fault *f)
{
	CLEANUP(buf_deinit) struct buf data = BUF_INIT;
	const char *name;

	if (s->result == NULL)
		return 0;
	if (artifact_read(m->body, &name, &data, &f->err) < 0)
		return fault_from_err(f, OUTCOME_FAILED);
	if (!artifacts_add(s->artifacts, name, buf_str(&data), data.len))
		result_note(s->arena, s->result,
			    "%s of a hook in the guest is not kept: no room",
			    name);
	return 0;
}

static int take_result(const struct hook_site *s, const struct message *m,
		       struct fault *f)
{
	struct result *r = result_new(s->arena);

	if (result_from_js(js_get(m->body, "result"), s->arena, r, &f->err) < 0)
		return fault_from_err(f, OUTCOME_FAILED);
	result_join(s->arena, s->result, r);
	if (r->outcome == OUTCOME_OK)
		return 0;
	return fault_set(f, r->outcome, "in the guest: %s",
			 r->reason == NULL ? "?" : r->reason);
}

// 1: go on.
static int take(const struct hook_guest *g, const struct hook_site *s,
		const struct message *m, struct fault *f)
{
	switch ((int)m->type) {
	case MESSAGE_STAGE:
		return 1;
	case MESSAGE_ARTIFACT:
		return take_artifact(s, m, f) < 0 ? blame(g, f) : 1;
	case MESSAGE_RESULT:
		return take_result(s, m, f);
	default:
		fault_set(f, OUTCOME_FAILED, "%s",
			  js_get_str(m->body, "message", "unexpected message"));
		return blame(g, f);
	}
}

static int take_result_of(struct hook_guest *g, const struct hook_site *s,
			  struct fault *f)
{
	int rc = 1;

	while (rc > 0) {
		struct message m;

		if (receive(g, "its result", &m, f) < 0)
			return -1;
		rc = take(g, s, &m, f);
		message_deinit(&m);
	}
	return rc;
}

int hook_guest_wait_ready(struct hook_guest *g, const struct hook_site *s,
			  struct fault *f)
{
	struct message m;
	int rc;

	do {
		if (receive(g, "\"ready\"", &m, f) < 0)
			return -1;
		rc = m.type == MESSAGE_STAGE ? 0 : take(g, s, &m, f);
		if (rc == 0 && m.type == MESSAGE_RESULT) {
			fault_set(f, OUTCOME_FAILED,
				  "it ended before it was \"ready\"");
			rc = blame(g, f);
		}
		message_deinit(&m);
	} while (rc > 0);
	return rc;
}

int hook_guest_finish(struct hook_guest *g, const struct hook_site *s,
		      struct fault *f)
{
	if (g->around && vm_send(g->vm, message_new(MESSAGE_END, g->id), f) < 0)
		return blame(g, f);
	return take_result_of(g, s, f);
}

int hook_guest_take_early(const struct message *m, struct fault *f)
{
	const struct js *r = js_get(m->body, "result");

	if (m->type == MESSAGE_RESULT)
		return fault_set(f, OUTCOME_FAILED, "in the guest: %s",
				 js_get_str(r, "reason", "a hook ended"));
	if (m->type == MESSAGE_ERROR)
		return fault_set(f, OUTCOME_FAILED, "guest agent: %s",
				 js_get_str(m->body, "message", "?"));
	return 0;
}
