#include "runner/agent/hook_env.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "runner/agent/vm.h"
#include "runner/base/alloc.h"

// Of the agent's own environment.
static void add_inherited(struct strv *env)
{
	static const char *const names[] = { "PATH", "HOME", "LANG", "TMPDIR" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *v = getenv(names[i]);

		if (v != NULL)
			strv_addf(env, "%s=%s", names[i], v);
	}
}

// This very program, for what a shell cannot do.
static void add_agent(struct strv *env)
{
	CLEANUP(cleanup_free) char *self = realpath("/proc/self/exe", NULL);

	if (self != NULL)
		strv_addf(env, "VRUN_AGENT=%s", self);
}

// "block.iodepth" is VRUN_LEVEL_block_iodepth.
static void add_level(struct strv *env, const char *factor, const char *text)
{
	CLEANUP(cleanup_free) char *name = xstrdup(factor);

	for (char *p = name; *p != '\0'; p++)
		*p = isalnum((unsigned char)*p) ? *p : '_';
	strv_addf(env, "VRUN_LEVEL_%s=%s", name, text);
}

static void add_trial(const struct js *told, struct strv *env)
{
	static const struct {
		const char *key, *variable;
	} figures[] = {
		{ "trial", "VRUN_TRIAL" },
		{ "attempt", "VRUN_ATTEMPT" },
		{ "block", "VRUN_BLOCK" },
	};
	const char *name;
	struct js *text;

	if (told == NULL)
		return;
	for (size_t i = 0; i < ARRAY_LEN(figures); i++)
		strv_addf(env, "%s=%lld", figures[i].variable,
			  (long long)js_get_int(told, figures[i].key, 0));
	strv_addf(env, "VRUN_CELL=%s", js_get_str(told, "label", ""));
	JS_FOREACH (js_get(told, "levels"), name, text)
		add_level(env, name, js_str(text) != NULL ? js_str(text) : "");
	JS_FOREACH (js_get(told, "vars"), name, text)
		strv_addf(env, "VRUN_VAR_%s=%s", name,
			  js_str(text) != NULL ? js_str(text) : "");
}

// Under accel: native the process that stands for the guest is told instead.
static void add_vm(const struct hook_site *s, struct strv *env)
{
	CLEANUP(buf_deinit) struct buf tids = BUF_INIT;
	const struct vm *vm = s->vm;

	if (!vm_is_up(vm))
		return;
	strv_addf(env, "VRUN_ACCEL=%s", vm_accel_name(vm->spec.accel));
	if (vm->spec.accel == VM_NATIVE) {
		strv_addf(env, "VRUN_WORKLOAD_PID=%d", (int)vm->child.pid);
		return;
	}
	for (size_t i = 0; i < vm->nvcpus; i++)
		buf_printf(&tids, "%s%d", i > 0 ? " " : "",
			   (int)vm->vcpus[i].tid);
	strv_addf(env, "VRUN_QEMU_PID=%d", (int)vm->child.pid);
	strv_addf(env, "VRUN_VCPU_TIDS=%s", buf_str(&tids));
	strv_addf(env, "VRUN_QMP=%s/" VM_HOOK_QMP, s->rundir);
}

void hook_env_add(const struct hook_site *s, const struct js *hook,
		  const char *artifacts, struct strv *env)
{
	const char *name;
	struct js *value;

	add_inherited(env);
	JS_FOREACH (js_get(hook, "env"), name, value)
		strv_addf(env, "%s=%s", name,
			  js_str(value) != NULL ? js_str(value) : "");
	strv_addf(env, "VRUN_STAGE=%s", js_get_str(hook, "stage", ""));
	strv_addf(env, "VRUN_HOOK=%s", js_get_str(hook, "name", ""));
	strv_addf(env, "VRUN_HOST=%s", js_get_str(hook, "host", ""));
	strv_addf(env, "VRUN_ARTIFACTS=%s", artifacts);
	add_agent(env);
	add_trial(s->told, env);
	if (s->vm != NULL)
		add_vm(s, env);
	else
		strv_addf(env, "VRUN_ACCEL=%s",
			  js_get_str(s->told, "accel", ""));
}
