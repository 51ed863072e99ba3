#include "runner/agent/trial.h"

#include <stdio.h>
#include <string.h>

#include "runner/agent/check.h"
#include "runner/agent/disturb.h"
#include "runner/agent/hook_guest.h"
#include "runner/agent/sample.h"
#include "runner/base/clock.h"
#include "runner/proto/message.h"

struct trial {
	struct host *h;
	const struct message *request;
	struct arena *arena;
	struct result *result;
	struct js *answer; // the guest's message; result borrows from it
	struct artifacts artifacts;
	int64_t stage_ns; // when the stage began
	int64_t begin_ns, deadline_ns, run_ns;
	struct sample before;
	struct disturb calm; // as the trial began
};

static void enter(void *arg, const char *stage)
{
	struct trial *t = arg;

	t->stage_ns = clock_mono_ns();
	host_stage(t->h, stage);
}

// --- hooks ---------------------------------------------------------------

static struct hooks_context hooks_of(struct trial *t)
{
	return (struct hooks_context){ .host = t->h,
				       .request = t->request->body,
				       .arena = t->arena,
				       .result = t->result,
				       .artifacts = &t->artifacts };
}

static int run_hooks(struct trial *t, const char *stage, struct fault *f)
{
	const struct hooks_context c = hooks_of(t);

	if (js_len(t->h->hooks.list) == 0)
		return 0;
	enter(t, stage);
	return hooks_run(&c, stage, f);
}

static int enter_block(struct trial *t, struct fault *f)
{
	const struct hooks_context c = hooks_of(t);

	return hooks_enter_block(&c, f);
}

// --- the VM --------------------------------------------------------------

static int decide_accel(struct trial *t, enum vm_accel *accel,
			struct vm_spec *spec, struct fault *f)
{
	const struct host_best *best = &t->h->best;

	*accel = spec->accel;
	if (*accel != VM_BEST)
		return 0;
	if (host_decide_best(t->h, spec->qemu, spec->image, f) < 0)
		return -1;
	*accel = best->accel;
	if (best->note[0] != '\0')
		result_note(t->arena, t->result, "accel best is TCG here: %s",
			    best->note);
	return 0;
}

static int boot(struct trial *t, bool fio, struct fault *f)
{
	const struct js *body = t->request->body;
	struct host *h = t->h;
	struct vm_boot b = {
		.request = js_get(body, "vm"),
		.dir = h->dir.own,
		.rundir = h->dir.own,
		.sums = &h->sums,
		.want_fio = fio,
		.for_hooks = js_len(h->hooks.list) > 0,
		.deadline_ns = t->deadline_ns,
		.boot_ns = VM_BOOT_S * NS_PER_S,
		.watch = &h->watch,
		.stage = enter,
		.arg = t,
	};
	struct vm_spec spec;

	logs_begin(&h->logs, h->dir.own);
	if (vm_spec_from_js(b.request, &spec, &f->err) < 0)
		return fault_from_err(f, OUTCOME_FAILED);
	if (decide_accel(t, &b.accel, &spec, f) < 0)
		return -1;
	if (settings_hold_for(&h->settings, &spec, &f->err) < 0)
		return fault_from_err(f, OUTCOME_FAILED);
	if (vm_boot(&h->vm, &b, f) < 0)
		return -1;
	h->boot = js_get_int(body, "boot", 0);
	h->vm_has_fio = fio;
	return 0;
}

static int ensure_vm(struct trial *t, struct fault *f)
{
	const struct js *body = t->request->body;
	struct host *h = t->h;
	bool fio = js_get_bool(body, "fio", false) ||
		   message_wants_fio(js_get(body, "workloads"));
	bool same = h->boot == js_get_int(body, "boot", 0);

	if (vm_is_up(&h->vm) && !child_has_ended(&h->vm.child) && same &&
	    (h->vm_has_fio || !fio))
		return 0;
	vm_stop(&h->vm);
	if (run_hooks(t, "before-boot", f) < 0 || boot(t, fio, f) < 0)
		return -1;
	return run_hooks(t, "after-boot", f);
}

// --- the run -------------------------------------------------------------

static int send_run(struct trial *t, struct fault *f)
{
	const struct js *body = t->request->body;
	struct js *run = message_new(MESSAGE_RUN, t->request->id);
	static const char *const keys[] = { "workloads", "boot", "seq",
					    "seed" };

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct js *v = js_get(body, keys[i]);

		if (v != NULL)
			js_set(run, keys[i], js_ref(v));
	}
	return vm_send(&t->h->vm, run, f);
}

// 1: the answer is here.
static int take_message(struct trial *t, struct message *m, struct fault *f)
{
	if (m->id != t->request->id)
		return hook_guest_take_early(m, f);
	switch ((int)m->type) {
	case MESSAGE_STAGE:
		enter(t, js_get_str(m->body, "stage", "run"));
		return 0;
	case MESSAGE_RESULT:
		t->answer = TAKE_PTR(m->body);
		return 1;
	case MESSAGE_ERROR:
		return fault_set(f, OUTCOME_FAILED, "guest agent: %s",
				 js_get_str(m->body, "message", "?"));
	default:
		return fault_set(f, OUTCOME_FAILED,
				 "guest agent: unexpected message \"%s\"",
				 message_type_name(m->type));
	}
}

static int run(struct trial *t, struct fault *f)
{
	int rc = 0;

	enter(t, "run");
	t->before = sample_take(&t->h->vm);
	t->run_ns = clock_mono_ns();
	if (send_run(t, f) < 0)
		return -1;
	while (rc == 0) {
		struct message m;

		if (vm_receive(&t->h->vm, t->deadline_ns,
			       "the workload's result", &m, f) < 0)
			return -1;
		rc = take_message(t, &m, f);
		message_deinit(&m);
	}
	t->run_ns = clock_mono_ns() - t->run_ns;
	return rc < 0 ? -1 : 0;
}

// --- the result ----------------------------------------------------------

// The guest's result becomes this one's, with what the host knows on top.
static int merge(struct trial *t, struct fault *f)
{
	const struct result *mine = t->result;
	struct result *r = result_new(t->arena);

	if (result_from_js(js_get(t->answer, "result"), t->arena, r, &f->err) <
		    0 ||
	    artifacts_read(js_get(t->answer, "artifacts"), &t->artifacts,
			   &f->err) < 0) {
		fault_from_err(f, OUTCOME_FAILED);
		return fault_wrap(f, "guest agent");
	}
	result_join(t->arena, r, mine);
	t->result = r;
	return 0;
}

static void set_ns(struct js *times, const char *key, int64_t from, int64_t to)
{
	if (from != 0 && to != 0)
		js_set_int(times, key, to - from);
}

static struct js *times_of(const struct trial *t, const struct vm *vm)
{
	struct js *times = js_object(), *guest = t->result->times;

	if (guest != NULL)
		js_set(times, "guest", js_copy(guest));
	js_set_int(times, "begin_mono_ns", t->begin_ns);
	if (vm->spec.accel != VM_NATIVE) {
		set_ns(times, "qmp_ns", vm->exec_ns, vm->qmp_ns);
		set_ns(times, "boot_ns", vm->exec_ns, vm->hello_ns);
		set_ns(times, "guest_boot_ns", vm->cont_ns, vm->hello_ns);
	}
	js_set_int(times, "run_ns", t->run_ns);
	js_set_int(times, "trial_ns", clock_mono_ns() - t->begin_ns);
	return times;
}

static struct js *qemu_facts(const struct vm *vm)
{
	struct js *q = js_object(), *argv = js_array();

	for (size_t i = 0; i < vm->argv.n; i++)
		js_append(argv, js_string(vm->argv.v[i]));
	js_set(q, "argv", argv);
	if (vm->spec.accel != VM_NATIVE) {
		js_set_str(q, "accel", vm_accel_name(vm->spec.accel));
		js_set_str(q, "version", vm->qmp.version);
		js_set_str(q, "program", vm->program.file);
		if (vm->program.sha256[0] != '\0')
			js_set_str(q, "sha256", vm->program.sha256);
		if (vm->program.copied)
			js_set_bool(q, "copied", true);
	}
	return q;
}

// Without a VM they are the host's, which are known; only the kernel that the
// workloads ran on is told, as arms with and without a VM may differ in it.
static struct js *guest_facts_of(const struct vm *vm, const struct js *guest)
{
	struct js *kernel;

	if (vm->spec.accel != VM_NATIVE)
		return js_copy(guest);
	kernel = js_object();
	js_set_str(kernel, "kernel", js_get_str(guest, "kernel", NULL));
	return kernel;
}

static struct js *facts_of(const struct trial *t, const struct vm *vm)
{
	struct js *facts =
		t->result->facts ? js_copy(t->result->facts) : js_object();
	const struct js *guest = js_get(vm->hello, "facts");

	if (vm->argv.n > 0)
		js_set(facts, vm->spec.accel == VM_NATIVE ? "agent" : "qemu",
		       qemu_facts(vm));
	if (guest != NULL)
		js_set(facts, "guest", guest_facts_of(vm, guest));
	return facts;
}

// What the trial gave, as it travels; the result of `t` borrows until then.
static struct js *finished(struct trial *t)
{
	CLEANUP(js_unrefp) struct js *times = times_of(t, &t->h->vm);
	CLEANUP(js_unrefp) struct js *facts = facts_of(t, &t->h->vm);

	t->result->times = times;
	t->result->facts = facts;
	return result_to_js(t->result);
}

static void send(struct host *h, const struct js *artifacts, struct js *result)
{
	struct js *f = js_object();

	for (size_t i = 0; i < js_len(artifacts); i++)
		host_answer(h, MESSAGE_ARTIFACT, js_ref(js_at(artifacts, i)));
	js_set(f, "result", result);
	host_answer(h, MESSAGE_RESULT, f);
}

static void send_held(struct host *h)
{
	send(h, h->spool.artifacts.list, js_ref(h->spool.result));
}

// It is safe here before it is sent, whoever is connected. What was stopped
// gave nothing that anybody may take for a result later.
static void hand_over(struct trial *t, bool stopped)
{
	struct host *h = t->h;

	logs_take(&h->logs, h->dir.own, &t->artifacts);
	if (stopped) {
		spool_drop(&h->spool);
		send(h, t->artifacts.list, finished(t));
		artifacts_deinit(&t->artifacts);
	} else {
		spool_finish(&h->spool, finished(t), &t->artifacts);
		send_held(h);
	}
}

// The host as this cell wants it, before its VM starts.
static int set_host(struct trial *t, struct fault *f)
{
	const struct js *want = js_get(t->request->body, "host");

	if (settings_hold(&t->h->settings, want, &f->err) == 0)
		return 0;
	fault_from_err(f, OUTCOME_FAILED);
	return fault_wrap(f, "host-settings");
}

static int drop_caches(struct trial *t, struct fault *f)
{
	const struct js *want = js_get(t->request->body, "host");

	if (js_get(want, "drop-caches") == NULL)
		return 0;
	enter(t, "drop-caches");
	if (settings_drop_caches(&t->h->settings, &f->err) < 0)
		return fault_from_err(f, OUTCOME_FAILED);
	return 0;
}

// The workloads, between the beginning and the end of the hooks around them.
static int run_around(struct trial *t, struct fault *f)
{
	struct hooks_context c = hooks_of(t);
	struct hooks_around around;
	int rc = hooks_begin(&c, &around, f);

	if (rc == 0)
		rc = run(t, f);
	if (rc == 0)
		rc = merge(t, f);
	c.result = t->result;
	if (rc == 0)
		rc = hooks_end(&c, &around, f);
	hooks_abandon(&around);
	return rc;
}

static int perform(struct trial *t, struct fault *f)
{
	if (set_host(t, f) < 0 || enter_block(t, f) < 0 ||
	    ensure_vm(t, f) < 0 || drop_caches(t, f) < 0)
		return -1;
	enter(t, "check");
	settings_check(&t->h->settings, js_get(t->request->body, "host"),
		       t->arena, t->result);
	if (check_vm(&t->h->vm, t->arena, t->result, f) < 0)
		return -1;
	check_judge(t->arena, t->result);
	if (t->result->outcome != OUTCOME_OK)
		return 0;
	if (run_around(t, f) < 0)
		return -1;
	sample_add(&t->before, &t->h->vm, t->arena, t->result);
	check_judge(t->arena, t->result);
	return 0;
}

// Its VM is not to be trusted with another trial.
static void blame(struct trial *t, struct fault *f)
{
	double s = (double)(clock_mono_ns() - t->stage_ns) / 1e9;

	if (f->outcome == OUTCOME_TIMEOUT)
		fault_wrap(f, "stage \"%s\" took more than %.1f s", t->h->stage,
			   s);
	if (f->outcome != OUTCOME_LOST)
		vm_explain(&t->h->vm, f);
	result_fail(t->arena, t->result, f->outcome, "%s", f->err.msg);
	t->result->final = f->err.kind == ERR_USAGE;
	t->result->stage = t->h->stage;
}

static void note_disturbance(struct trial *t)
{
	struct disturb now;

	disturb_take(&now);
	disturb_note(&t->calm, &now, t->arena, t->result);
}

static void end_trial(struct trial *t)
{
	struct fault f = { 0 };

	if (run_hooks(t, "after-trial", &f) < 0)
		result_fail(t->arena, t->result, f.outcome, "%s", f.err.msg);
}

static void run_trial(struct trial *t)
{
	const struct js *body = t->request->body;
	int64_t limit = js_get_int(body, "timeout_ns", 0);
	struct fault f = { 0 };
	bool failed;

	t->result = result_new(t->arena);
	t->begin_ns = t->stage_ns = clock_mono_ns();
	if (limit <= 0 ||
	    __builtin_add_overflow(t->begin_ns, limit, &t->deadline_ns))
		t->deadline_ns = INT64_MAX;
	disturb_take(&t->calm);
	failed = perform(t, &f) < 0;
	if (failed)
		blame(t, &f);
	note_disturbance(t);
	end_trial(t);
	hand_over(t, failed && f.outcome == OUTCOME_LOST);
	if (failed || js_get_bool(body, "last", true))
		vm_stop(&t->h->vm);
	js_unref(t->answer);
}

void trial_serve(struct host *h, const struct message *request)
{
	CLEANUP(arena_freep) struct arena *arena = arena_new();
	struct trial t = { .h = h, .request = request, .arena = arena };
	int64_t trial = js_get_int(request->body, "trial", -1);
	int64_t attempt = js_get_int(request->body, "attempt", -1);

	if (spool_is_for(&h->spool, trial, attempt)) {
		send_held(h);
		return;
	}
	spool_begin(&h->spool, trial, attempt);
	h->stage[0] = '\0';
	run_trial(&t);
}
