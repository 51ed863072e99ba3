#include "runner/agent/vm.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "runner/agent/cpulist.h"
#include "runner/agent/qemu_args.h"
#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"

enum {
	CONSOLE_TAIL = 700,    // bytes that are quoted
	CONSOLE_PANIC = 16384, // bytes that are searched for a panic
	VM_SEND_S = 10,
};

void vm_init(struct vm *vm)
{
	*vm = (struct vm){
		.child = CHILD_INIT,
		.qmp.fd = -1,
		.guest_fd = -1,
	};
}

bool vm_is_up(const struct vm *vm)
{
	return child_running(&vm->child) && vm->hello != NULL;
}

void vm_stop(struct vm *vm)
{
	child_stop(&vm->child);
	qmp_close(&vm->qmp);
	link_deinit(&vm->guest);
	fd_closep(&vm->guest_fd);
	js_unref(vm->hello);
	js_unref(vm->request);
	vm_image_close(&vm->image);
	qemu_program_deinit(&vm->program);
	strv_deinit(&vm->argv);
	free(vm->console);
	free(vm->vcpus);
	vm_init(vm);
}

// A panic's own line says more than the registers after it.
static bool add_panic(const char *console, struct fault *f)
{
	CLEANUP(buf_deinit) struct buf tail = BUF_INIT;
	const char *panic;

	log_tail(console, CONSOLE_PANIC, &tail);
	panic = strstr(buf_str(&tail), "Kernel panic");
	if (panic == NULL)
		return false;
	fault_add(f, "the guest's console: %.*s",
		  (int)(strchrnul(panic, '|') - panic), panic);
	return true;
}

static void add_run_state(struct vm *vm, struct fault *f)
{
	CLEANUP(js_unrefp) struct js *ret = NULL;
	struct fault ignored;
	const char *state;

	if (vm->qmp.fd < 0 || child_has_ended(&vm->child) ||
	    qmp_command(&vm->qmp, "query-status", NULL, &ret, &ignored) < 0)
		return;
	state = js_get_str(ret, "status", "unknown");
	if (strcmp(state, "running") != 0)
		fault_add(f, "QEMU's run state is \"%s\"", state);
}

// Under -no-reboot QEMU leaves without a word, and without blame, when the
// guest resets.
static void add_reset(const struct vm *vm, struct fault *f)
{
	if (vm->cont_ns == 0 || vm->hello != NULL || !vm->child.ended ||
	    vm->child.status != 0)
		return;
	fault_add(f,
		  "the guest reset itself or switched off before its agent "
		  "spoke: %llu MiB of memory may be too little for its kernel "
		  "and initrd, or %s cannot be booted",
		  (unsigned long long)vm->spec.memory_bytes >> 20,
		  vm->image.kernel);
}

void vm_explain(struct vm *vm, struct fault *f)
{
	CLEANUP(buf_deinit) struct buf tail = BUF_INIT;

	add_run_state(vm, f);
	if (vm->console == NULL || add_panic(vm->console, f))
		return;
	add_reset(vm, f);
	log_tail(vm->console, CONSOLE_TAIL, &tail);
	if (tail.len > 0)
		fault_add(f, "the guest's console ends: %s", tail.data);
}

// The agent listens and QEMU connects: no polling for a socket to appear.
static int listen_at(const char *path, struct err *e)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	CLEANUP(fd_closep) int fd = -1;

	if (strlen(path) >= sizeof(addr.sun_path))
		return err_set(e, ERR_HOST,
			       "%s: longer than the %zu bytes that a socket's "
			       "name may have; set VRUN_RUNDIR to a "
			       "shorter directory",
			       path, sizeof(addr.sun_path) - 1);
	memcpy(addr.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || (unlink(path) < 0 && errno != ENOENT) ||
	    bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    listen(fd, 1) < 0)
		return err_sys(e, ERR_HOST, "%s", path);
	return TAKE_FD(fd);
}

static int accept_at(struct vm *vm, int listener, int64_t deadline_ns,
		     const char *what, struct fault *f)
{
	const struct watch_for connected = {
		.fd = listener,
		.child = &vm->child,
		.deadline_ns = deadline_ns,
		.what = what,
	};
	int fd;

	if (watch_wait(vm->watch, &connected, f) < 0)
		return -1;
	fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0)
		return fault_set(f, OUTCOME_FAILED, "%s: accept: %s", what,
				 strerror(errno));
	return fd;
}

// What runs is known before it runs: that takes time only once.
static int find_qemu(struct vm *vm, const struct vm_boot *b, struct fault *f)
{
	qemu_program_find(vm->spec.qemu, &vm->program);
	return qemu_program_hash(&vm->program, b->sums, b->watch, b->rundir, f);
}

static int start_qemu(struct vm *vm, const struct vm_boot *b,
		      const struct qemu_paths *paths, struct fault *f)
{
	CLEANUP(cleanup_free) char *log = xasprintf("%s/qemu.log", b->dir);
	struct child_spec spec = { .name = "QEMU", .log = log, .keep_fd = -1 };

	if (vm_image_open(vm->spec.image, b->want_fio, &vm->image, &f->err) < 0)
		return fault_from_err(f, OUTCOME_FAILED);
	qemu_args(&vm->spec, &vm->image, paths, &vm->argv);
	spec.argv = vm->argv.v;
	vm->exec_ns = clock_mono_ns();
	if (child_start(&vm->child, &spec, &f->err) < 0)
		return fault_from_err(f, OUTCOME_FAILED);
	return 0;
}

// What the memory's size adds: QEMU touches all of it before it answers.
static int64_t qmp_limit(const struct vm *vm, const struct vm_boot *b)
{
	int64_t gib = (int64_t)(vm->spec.memory_bytes >> 30);
	int64_t limit =
		vm->exec_ns + (VM_QMP_S + VM_QMP_PER_GIB_S * gib) * NS_PER_S;

	return MIN(limit, b->deadline_ns);
}

// QEMU opens its channels in the order of the command line, QMP first.
static int connect_qemu(struct vm *vm, const struct vm_boot *b,
			const struct qemu_paths *paths, struct fault *f)
{
	CLEANUP(fd_closep) int qmp = -1, guest = -1;
	struct qmp_peer peer = { .watch = vm->watch, .child = &vm->child };

	qmp = listen_at(paths->qmp, &f->err);
	guest = qmp < 0 ? -1 : listen_at(paths->guest, &f->err);
	if (guest < 0)
		return fault_from_err(f, OUTCOME_FAILED);
	b->stage(b->arg, "exec");
	if (start_qemu(vm, b, paths, f) < 0)
		return -1;
	b->stage(b->arg, "qmp");
	peer.deadline_ns = qmp_limit(vm, b);
	peer.fd = accept_at(vm, qmp, peer.deadline_ns, "QMP's connection", f);
	if (peer.fd < 0)
		return -1;
	vm->guest_fd = accept_at(vm, guest, peer.deadline_ns,
				 "the connection of QEMU's agent port", f);
	if (vm->guest_fd < 0) {
		fd_closep(&peer.fd);
		return -1;
	}
	link_init(&vm->guest, vm->guest_fd, vm->guest_fd, "guest agent");
	return qmp_open(&vm->qmp, &peer, f);
}

static int read_vcpus(struct vm *vm, struct fault *f)
{
	CLEANUP(js_unrefp) struct js *cpus = NULL;

	if (qmp_command(&vm->qmp, "query-cpus-fast", NULL, &cpus, f) < 0)
		return -1;
	if (js_len(cpus) == 0 || js_len(cpus) > VM_CPUS_MAX)
		return fault_set(f, OUTCOME_FAILED,
				 "QMP: query-cpus-fast: %zu CPUs",
				 js_len(cpus));
	vm->nvcpus = js_len(cpus);
	vm->vcpus = xcalloc(vm->nvcpus, sizeof(*vm->vcpus));
	for (size_t i = 0; i < vm->nvcpus; i++) {
		const struct js *c = js_at(cpus, i);

		vm->vcpus[i] = (struct vm_vcpu){
			.tid = (pid_t)js_get_int(c, "thread-id", 0),
			.index = (int)js_get_int(c, "cpu-index", 0),
			.want_cpu = -1,
		};
	}
	return 0;
}

static int pin_one(struct vm_vcpu *v, int cpu, struct fault *f)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(v->tid, sizeof(set), &set) < 0)
		return fault_set(f, OUTCOME_FAILED,
				 "pin: vCPU %d to CPU %d: %s; list CPUs that "
				 "are online and allowed to the agent",
				 v->index, cpu, strerror(errno));
	v->want_cpu = cpu;
	return 0;
}

// vCPU i runs on the i-th CPU of the list, which is used again from its start
// when it is shorter. vCPUs that share a thread (TCG's single mode) all go
// where the first of them goes.
static int pin_vcpus(struct vm *vm, struct fault *f)
{
	struct cpulist list;

	if (vm->spec.pin[0] == '\0')
		return 0;
	if (cpulist_parse(vm->spec.pin, &list, &f->err) < 0)
		return fault_from_err(f, OUTCOME_FAILED);
	for (size_t i = 0; i < vm->nvcpus; i++) {
		bool shared = i > 0 && vm->vcpus[i].tid == vm->vcpus[0].tid;
		int cpu = list.cpu[shared ? 0 : i % list.n];

		if (pin_one(&vm->vcpus[i], cpu, f) < 0)
			return -1;
	}
	return 0;
}

static int run_guest(struct vm *vm, struct fault *f)
{
	CLEANUP(js_unrefp) struct js *ret = NULL;

	vm->cont_ns = clock_mono_ns();
	return qmp_command(&vm->qmp, "cont", NULL, &ret, f);
}

static int start_vm(struct vm *vm, const struct vm_boot *b, struct fault *f)
{
	CLEANUP(cleanup_free) char *qmp = xasprintf("%s/qmp", b->rundir);
	CLEANUP(cleanup_free) char *guest = xasprintf("%s/agent", b->rundir);
	CLEANUP(cleanup_free)
	char *hooks = xasprintf("%s/" VM_HOOK_QMP, b->rundir);
	struct qemu_paths paths = { .qmp = qmp,
				    .guest = guest,
				    .hooks = b->for_hooks ? hooks : NULL };

	vm->console = xasprintf("%s/console.log", b->dir);
	paths.console = vm->console;
	if (find_qemu(vm, b, f) < 0)
		return -1;
	paths.program = vm->program.run;
	if (connect_qemu(vm, b, &paths, f) < 0)
		return -1;
	vm->qmp_ns = clock_mono_ns();
	if (read_vcpus(vm, f) < 0 || pin_vcpus(vm, f) < 0)
		return -1;
	return run_guest(vm, f);
}

// The guest agent on the host itself, at the other end of a socketpair.
static int start_native(struct vm *vm, const struct vm_boot *b, struct fault *f)
{
	CLEANUP(cleanup_free) char *log = xasprintf("%s/agent.log", b->dir);
	CLEANUP(fd_closep) int theirs = -1;
	struct child_spec spec = { .name = "native agent", .log = log };
	int pair[2];

	b->stage(b->arg, "exec");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return fault_set(f, OUTCOME_FAILED, "socketpair: %s",
				 strerror(errno));
	vm->guest_fd = pair[0];
	theirs = pair[1];
	if (fd_set_nonblock(vm->guest_fd) < 0)
		return fault_set(f, OUTCOME_FAILED, "socketpair: %s",
				 strerror(errno));
	link_init(&vm->guest, vm->guest_fd, vm->guest_fd, "native agent");
	strv_add(&vm->argv, "/proc/self/exe");
	strv_add(&vm->argv, "guest");
	strv_add(&vm->argv, "--fd");
	strv_addf(&vm->argv, "%d", theirs);
	spec.argv = vm->argv.v;
	spec.keep_fd = theirs;
	vm->exec_ns = vm->cont_ns = clock_mono_ns();
	if (child_start(&vm->child, &spec, &f->err) < 0)
		return fault_from_err(f, OUTCOME_FAILED);
	return 0;
}

int vm_start(struct vm *vm, const struct vm_boot *b, struct fault *f)
{
	vm_init(vm);
	vm->watch = b->watch;
	vm->request = js_ref(b->request);
	if (vm_spec_from_js(vm->request, &vm->spec, &f->err) < 0)
		return fault_from_err(f, OUTCOME_FAILED);
	vm->spec.accel = b->accel;
	return b->accel == VM_NATIVE ? start_native(vm, b, f)
				     : start_vm(vm, b, f);
}

static int await_hello(struct vm *vm, const struct vm_boot *b, struct fault *f)
{
	int64_t limit = MIN(vm->cont_ns + b->boot_ns, b->deadline_ns);
	struct message m;

	b->stage(b->arg, "boot");
	if (vm_receive(vm, limit, "the guest agent's hello", &m, f) < 0)
		return -1;
	vm->hello_ns = clock_mono_ns();
	if (m.type != MESSAGE_HELLO ||
	    js_get_int(m.body, "version", 0) != MESSAGE_VERSION) {
		message_deinit(&m);
		return fault_set(f, OUTCOME_FAILED,
				 "guest agent: no hello of version %d; build "
				 "the guest image anew (make guest)",
				 MESSAGE_VERSION);
	}
	vm->hello = m.body;
	return 0;
}

int vm_boot(struct vm *vm, const struct vm_boot *b, struct fault *f)
{
	return vm_start(vm, b, f) < 0 ? -1 : await_hello(vm, b, f);
}

// The guest's side is gone: the end of the process says why.
static int guest_gone(struct vm *vm, struct fault *f)
{
	const struct watch_for end = {
		.fd = -1,
		.child = &vm->child,
		.deadline_ns = clock_mono_ns() + 2 * NS_PER_S,
		.what = "the guest agent closed its connection; the end of its "
			"process",
	};

	return watch_wait(vm->watch, &end, f);
}

int vm_receive(struct vm *vm, int64_t deadline_ns, const char *what,
	       struct message *out, struct fault *f)
{
	const struct watch_for readable = {
		.fd = vm->guest_fd,
		.child = &vm->child,
		.deadline_ns = deadline_ns,
		.what = what,
	};
	bool end = false;
	int rc;

	while ((rc = link_next(&vm->guest, out, &f->err)) == 0) {
		if (end)
			return guest_gone(vm, f);
		if (watch_wait(vm->watch, &readable, f) < 0)
			return -1;
		rc = link_read(&vm->guest, &f->err);
		if (rc < 0)
			break;
		end = rc > 0;
	}
	return rc < 0 ? fault_from_err(f, OUTCOME_FAILED) : 0;
}

int vm_send(struct vm *vm, struct js *msg, struct fault *f)
{
	const struct watch_for writable = {
		.fd = vm->guest_fd,
		.write = true,
		.child = &vm->child,
		.deadline_ns = clock_mono_ns() + VM_SEND_S * NS_PER_S,
		.what = "room to send to the guest agent",
	};
	int rc = link_send(&vm->guest, msg, &f->err);

	while (rc == 0 && link_wants_write(&vm->guest)) {
		if (watch_wait(vm->watch, &writable, f) < 0)
			return -1;
		rc = link_flush(&vm->guest, &f->err);
	}
	return rc < 0 ? fault_from_err(f, OUTCOME_FAILED) : 0;
}
