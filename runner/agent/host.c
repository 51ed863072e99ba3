#include "runner/agent/host.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runner/agent/guest_facts.h"
#include "runner/agent/host_facts.h"
#include "runner/agent/meeting.h"
#include "runner/agent/preflight.h"
#include "runner/agent/restore.h"
#include "runner/agent/trial.h"
#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"

enum {
	KVM_PROBE_S = 10,    // for the guest to come up under KVM
	NEWS_WAIT_MS = 2000, // for somebody to tell why it cannot begin
	FAREWELL_MS = 500,   // for the last words to reach the controller
};

static void send_message(struct host *h, struct js *msg)
{
	struct err e = { 0 };

	if (h->ctl.out < 0)
		js_unref(msg);
	else if (link_send(&h->ctl, msg, &e) < 0)
		watch_lose_controller(&h->watch, "the controller is gone");
}

void host_answer(struct host *h, enum message_type t, struct js *fields)
{
	struct js *msg = message_new(t, h->asked), *value;
	const char *key;

	JS_FOREACH (fields, key, value)
		js_set(msg, key, js_ref(value));
	js_unref(fields);
	if (h->asker == h->watch.connection)
		send_message(h, msg);
	else
		js_unref(msg);
}

static void send_error(struct host *h, const char *text)
{
	struct js *f = js_object();

	js_set_str(f, "message", text);
	host_answer(h, MESSAGE_ERROR, f);
}

static void send_stage(struct host *h)
{
	struct js *f = js_object();

	js_set_str(f, "stage", h->stage);
	host_answer(h, MESSAGE_STAGE, f);
}

void host_stage(struct host *h, const char *stage)
{
	snprintf(h->stage, sizeof(h->stage), "%s", stage);
	send_stage(h);
}

// Belongs to no request: the agent ends.
static void send_last_words(struct host *h, const char *text)
{
	struct js *msg = message_new(MESSAGE_ERROR, 0);

	js_set_int(msg, "id", 0);
	js_set_str(msg, "message", text);
	send_message(h, msg);
}

// --- accel: best ---------------------------------------------------------

static void no_stage(void *arg, const char *stage)
{
	(void)arg;
	(void)stage;
}

static struct js *probe_request(const char *qemu, const char *image)
{
	struct js *vm = js_object();

	js_set_str(vm, "accel", "kvm");
	js_set_str(vm, "backing", "4k");
	js_set_str(vm, "qemu", qemu);
	js_set_str(vm, "image", image);
	js_set_int(vm, "memory", 512 << 20);
	js_set_int(vm, "cpus", 1);
	return vm;
}

static int probe_kvm(struct host *h, const char *qemu, const char *image,
		     struct fault *f)
{
	CLEANUP(js_unrefp) struct js *request = probe_request(qemu, image);
	struct vm_boot b = {
		.request = request,
		.accel = VM_KVM,
		.dir = h->dir.own,
		.rundir = h->dir.own,
		.sums = &h->sums,
		.deadline_ns = INT64_MAX,
		.boot_ns = KVM_PROBE_S * NS_PER_S,
		.watch = &h->watch,
		.stage = no_stage,
	};
	int rc;

	vm_stop(&h->vm);
	rc = vm_boot(&h->vm, &b, f);
	if (rc < 0)
		vm_explain(&h->vm, f);
	vm_stop(&h->vm);
	return rc;
}

static void choose(struct host_best *best, enum vm_accel accel, const char *why)
{
	best->decided = true;
	best->accel = accel;
	snprintf(best->note, sizeof(best->note), "%s", why);
}

// Why KVM is not used although it is there.
static void describe_probe(const struct fault *f, char *out, size_t size)
{
	if (f->outcome == OUTCOME_TIMEOUT)
		snprintf(out, size,
			 "/dev/kvm is there, but the guest does not come up "
			 "under it within %d s",
			 KVM_PROBE_S);
	else
		snprintf(out, size,
			 "/dev/kvm is there, but the guest does not come up "
			 "under it: %.600s",
			 f->err.msg);
}

int host_decide_best(struct host *h, const char *qemu, const char *image,
		     struct fault *f)
{
	char why[sizeof(h->best.note)];

	if (h->best.decided)
		return 0;
	if (access("/dev/kvm", R_OK | W_OK) < 0) {
		snprintf(why, sizeof(why), "/dev/kvm: %m");
		choose(&h->best, VM_TCG, why);
		return 0;
	}
	if (probe_kvm(h, qemu, image, f) == 0) {
		choose(&h->best, VM_KVM, "");
		return 0;
	}
	if (f->outcome == OUTCOME_LOST)
		return -1;
	describe_probe(f, why, sizeof(why));
	choose(&h->best, VM_TCG, why);
	return 0;
}

// --- requests ------------------------------------------------------------

static void serve_facts(struct host *h, const struct message *m)
{
	struct js *f = js_object();

	(void)m;
	js_set(f, "facts", host_facts());
	host_answer(h, MESSAGE_FACTS, f);
}

// The hooks of the campaign; the first time its before-campaign runs.
static int take_hooks(struct host *h, const struct message *m, struct err *e)
{
	const struct hooks_context c = { .host = h };
	struct fault f = { 0 };

	if (hooks_load(&h->hooks, js_get(m->body, "hooks"), h->dir.own, e) < 0)
		return -1;
	if (h->hooks.begun)
		return 0;
	h->hooks.begun = true;
	host_stage(h, "before-campaign");
	if (hooks_run(&c, "before-campaign", &f) == 0)
		return 0;
	*e = f.err;
	return -1;
}

static void serve_settings(struct host *h, const struct message *m)
{
	struct err e = { 0 };

	if (settings_apply(&h->settings, js_get(m->body, "apply"), &e) < 0 ||
	    take_hooks(h, m, &e) < 0)
		send_error(h, e.msg);
	else
		host_answer(h, MESSAGE_DONE, NULL);
}

static void serve_preflight(struct host *h, const struct message *m)
{
	preflight_serve(h, m);
	host_answer(h, MESSAGE_DONE, NULL);
}

static void serve_hello(struct host *h, const struct message *m)
{
	char text[128];

	if (js_get_int(m->body, "version", 0) == MESSAGE_VERSION)
		return;
	snprintf(text, sizeof(text),
		 "this agent speaks version %d of the protocol; install vrun "
		 "and vrun-agent of one build",
		 MESSAGE_VERSION);
	send_error(h, text);
}

static void (*const serve[])(struct host *h, const struct message *m) = {
	[MESSAGE_HELLO] = serve_hello,
	[MESSAGE_FACTS] = serve_facts,
	[MESSAGE_PREFLIGHT] = serve_preflight,
	[MESSAGE_TRIAL] = trial_serve,
	[MESSAGE_SETTINGS] = serve_settings,
	[MESSAGE_RESTORE] = restore_serve,
};

static void serve_request(struct host *h, const struct message *m)
{
	char text[96];

	h->asked = m->id;
	h->asker = h->watch.connection;
	if ((size_t)m->type < ARRAY_LEN(serve) && serve[m->type] != NULL) {
		serve[m->type](h, m);
		return;
	}
	snprintf(text, sizeof(text), "\"%s\" is no request to a host",
		 message_type_name(m->type));
	send_error(h, text);
}

// A `stop` may come in a trial, which then ended as lost, or between two.
static void serve_stop(struct host *h)
{
	vm_stop(&h->vm);
	h->watch.stop = WATCH_GO;
	if (h->watch.stop_id == 0)
		return; // who asked is gone
	h->asked = h->watch.stop_id;
	h->asker = h->watch.connection;
	host_answer(h, MESSAGE_DONE, NULL);
}

static int serve_all(struct host *h, struct err *e)
{
	while (h->watch.stop != WATCH_STOP_ALL) {
		struct message m;
		int rc = watch_request(&h->watch, &m, e);

		if (rc < 0)
			return -1;
		if (rc > 0) {
			serve_request(h, &m);
			message_deinit(&m);
		}
		if (h->watch.stop == WATCH_STOP_TRIAL)
			serve_stop(h);
	}
	return 0;
}

// --- life ----------------------------------------------------------------

static void send_hello(struct host *h)
{
	struct js *msg = message_new(MESSAGE_HELLO, 0);

	js_set_int(msg, "version", MESSAGE_VERSION);
	js_set_str(msg, "vrun", VRUN_VERSION);
	js_set_str(msg, "arch", guest_facts_arch());
	js_set_int(msg, "pid", getpid());
	js_set_str(msg, "life", h->life);
	js_set(msg, "holds", spool_holds(&h->spool));
	if (h->warning.len > 0)
		js_set_str(msg, "warning", h->warning.data);
	send_message(h, msg);
}

static void on_attached(void *arg)
{
	send_hello(arg);
}

// The trial in hand is what this request asks for: it goes on, for the one
// who asks now.
static bool on_request(void *arg, const struct message *m)
{
	struct host *h = arg;

	if (m->type != MESSAGE_TRIAL || h->spool.done ||
	    !spool_is_for(&h->spool, js_get_int(m->body, "trial", -1),
			  js_get_int(m->body, "attempt", -1)))
		return false;
	h->asked = m->id;
	h->asker = h->watch.connection;
	send_stage(h);
	return true;
}

static int draw_life(char life[HOST_LIFE_CHARS + 1], struct err *e)
{
	unsigned char bytes[HOST_LIFE_CHARS / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return err_sys(e, ERR_HOST, "getrandom");
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(life + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

static int use_stdio(struct host *h, struct err *e)
{
	h->ctl.in = STDIN_FILENO;
	h->ctl.out = STDOUT_FILENO;
	if (fd_set_nonblock(STDIN_FILENO) < 0 ||
	    fd_set_nonblock(STDOUT_FILENO) < 0)
		return err_sys(e, ERR_HOST, "standard input and output");
	return 0;
}

static void use_post(struct host *h, const struct host_post *post)
{
	h->door = (struct watch_door){
		.listener = post->listener,
		.lease_ns = post->lease_ns,
		.lease_end_ns = clock_mono_ns() + post->lease_ns,
		.attached = on_attached,
		.joins = on_request,
		.arg = h,
	};
	h->watch.door = &h->door;
}

static int start(struct host *h, const struct host_post *post, struct err *e)
{
	link_init(&h->ctl, -1, -1, "controller");
	vm_init(&h->vm);
	h->watch.signals = -1;
	if ((post == NULL && use_stdio(h, e) < 0) ||
	    watch_init(&h->watch, &h->ctl, e) < 0)
		return -1;
	if (post != NULL)
		use_post(h, post);
	if (rundir_open(&h->dir, e) < 0 || draw_life(h->life, e) < 0 ||
	    settings_init(&h->settings, h->dir.base, "", e) < 0)
		return -1;
	meeting_sweep(h->dir.base);
	if (post != NULL)
		h->settings.lease.campaign = post->campaign;
	if (post != NULL)
		spool_open(&h->spool, post->campaign, &h->warning);
	return 0;
}

// Nobody is let in any more; with bad news, whoever started this agent is.
static void close_door(struct host *h, bool bad_news)
{
	struct pollfd p = { .fd = h->door.listener, .events = POLLIN };

	if (bad_news && h->ctl.in < 0 && poll(&p, 1, NEWS_WAIT_MS) > 0)
		watch_admit(&h->watch);
	shutdown(h->door.listener, SHUT_RDWR);
}

// Sends what is left to be said, if anybody still listens.
static void farewell(struct host *h)
{
	const struct watch_for room = {
		.fd = h->ctl.out,
		.write = true,
		.deadline_ns = clock_mono_ns() + FAREWELL_MS * NS_PER_MS,
		.what = "room to send",
	};
	struct watch quiet = { .signals = -1 };
	struct fault f;

	while (link_wants_write(&h->ctl)) {
		if (watch_wait(&quiet, &room, &f) < 0 ||
		    link_flush(&h->ctl, &f.err) < 0)
			return;
	}
}

// At the end of the campaign on this host, also of one that failed.
static int end_hooks(struct host *h, struct err *e)
{
	const struct hooks_context c = { .host = h };
	struct fault f = { 0 };

	if (!h->hooks.begun)
		return 0;
	h->watch.stop = WATCH_GO; // bye is no reason not to wait for them
	if (hooks_run(&c, "after-campaign", &f) == 0)
		return 0;
	*e = f.err;
	return -1;
}

static int finish(struct host *h, int rc, struct err *e)
{
	if (h->watch.door != NULL)
		close_door(h, rc < 0);
	vm_stop(&h->vm);
	if (end_hooks(h, e) < 0)
		rc = -1;
	if (settings_restore(&h->settings, e) < 0)
		rc = -1;
	if (h->watch.bye)
		spool_drop(&h->spool);
	if (rc < 0)
		send_last_words(h, e->msg);
	settings_deinit(&h->settings);
	hooks_deinit(&h->hooks);
	rundir_close(&h->dir);
	farewell(h);
	if (h->watch.door != NULL)
		fd_closep(&h->ctl.in);
	watch_deinit(&h->watch);
	link_deinit(&h->ctl);
	spool_deinit(&h->spool);
	buf_deinit(&h->warning);
	return rc;
}

int host_main(const struct host_post *post, struct err *e)
{
	struct host *h = xcalloc(1, sizeof(*h));
	int rc = start(h, post, e);

	if (rc == 0) {
		if (post == NULL)
			send_hello(h);
		rc = serve_all(h, e);
	}
	rc = finish(h, rc, e);
	free(h);
	return rc;
}
