#include "runner/agent/preflight.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runner/agent/child.h"
#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"

enum {
	WHAT_MAX = 2000,
	// For sockets and the lease, a probe's console and log.
	RUNDIR_MIB = 16,
};

static const char *const level_names[] = {
	[PREFLIGHT_OK] = "ok",
	[PREFLIGHT_WARN] = "warn",
	[PREFLIGHT_REFUSE] = "refuse",
};

void preflight_problem(struct preflight *p, const char *fix, const char *fmt,
		       ...)
{
	char what[WHAT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	p->found(p->arg, check_name(p->now->check), p->now->level, what, fix);
}

void preflight_ok(struct preflight *p, const char *fmt, ...)
{
	char what[WHAT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	p->found(p->arg, check_name(p->now->check), PREFLIGHT_OK, what, NULL);
}

bool preflight_needs_text(const struct preflight *p, const char *list,
			  const char *text)
{
	const struct js *l = js_get(p->needs, list);

	for (size_t i = 0; i < js_len(l); i++) {
		const char *s = js_str(js_at(l, i));

		if (s != NULL && strcmp(s, text) == 0)
			return true;
	}
	return false;
}

bool preflight_needs_vm(const struct preflight *p)
{
	const struct js *l = js_get(p->needs, "accels");

	return js_len(l) >
	       (preflight_needs_text(p, "accels", "native") ? 1 : 0);
}

void preflight_run(struct preflight *p, const struct preflight_check *checks)
{
	for (; checks->run != NULL; checks++) {
		p->now = checks;
		checks->run(p);
	}
}

// --- QEMU and the guest image --------------------------------------------

// The dynamic loader's own words (glibc, elf/dl-load.c and dl-version.c).
static bool lacks_libraries(const char *why)
{
	return strstr(why, "error while loading shared libraries") != NULL ||
	       strstr(why, "not found (required by") != NULL;
}

static const char *qemu_fix(const struct qemu_program *p, const char *why)
{
	if (p->nowhere)
		return "this host has no such file, and the controller has no "
		       "program for it there, either: install it on one of "
		       "them, or name another as \"qemu\"";
	if (lacks_libraries(why))
		return "install the packages of these libraries on this host, "
		       "or name a QEMU that was built with --static";
	return "apt install qemu-system-x86, or name the program as \"qemu\"";
}

static void check_one_qemu(struct preflight *p, const char *given)
{
	CLEANUP(qemu_program_deinit) struct qemu_program program = { 0 };
	char version[QEMU_PROGRAM_LINE_MAX] = "", option[] = "--version";
	struct fault f = { 0 };
	char *argv[] = { NULL, option, NULL };

	qemu_program_find(given, &program);
	argv[0] = program.run;
	if (qemu_program_says(&p->host->watch, p->host->dir.own, argv, version,
			      &f) < 0)
		preflight_problem(p, qemu_fix(&program, f.err.msg), "%s",
				  f.err.msg);
	else
		preflight_ok(
			p, "%s%s: %s", program.copied ? given : program.run,
			program.copied ? " of the controller" : "", version);
}

static void check_qemu(struct preflight *p)
{
	const struct js *l = js_get(p->needs, "qemus");

	for (size_t i = 0; preflight_needs_vm(p) && i < js_len(l); i++)
		check_one_qemu(p,
			       js_str(js_at(l, i)) ? js_str(js_at(l, i)) : "");
}

static void check_image(struct preflight *p)
{
	const struct js *l = js_get(p->needs, "images");

	for (size_t i = 0; preflight_needs_vm(p) && i < js_len(l); i++) {
		CLEANUP(vm_image_close) struct vm_image image = { 0 };
		const char *name = js_str(js_at(l, i));
		struct err e = { 0 };

		if (vm_image_open(name ? name : "builtin", false, &image, &e) <
		    0)
			preflight_problem(p, "make guest", "%s", e.msg);
		else
			preflight_ok(p, "guest image in %s", image.dir);
	}
}

// --- KVM -----------------------------------------------------------------

static const char *first_text(const struct preflight *p, const char *list,
			      const char *def)
{
	const char *s = js_str(js_at(js_get(p->needs, list), 0));

	return s != NULL ? s : def;
}

// Refuses only where KVM was asked for by name.
static void kvm_problem(struct preflight *p, const char *fix, const char *why)
{
	char what[WHAT_MAX];

	if (preflight_needs_text(p, "accels", "kvm")) {
		preflight_problem(p, fix, "%s", why);
		return;
	}
	snprintf(what, sizeof(what), "accel best is TCG here: %s", why);
	p->found(p->arg, check_name(p->now->check), PREFLIGHT_WARN, what, fix);
}

// Why /dev/kvm cannot be opened.
static const char *kvm_fix(void)
{
	if (access("/dev/kvm", F_OK) == 0)
		return "run as root or as a user who may write to /dev/kvm "
		       "(Debian: group kvm), or use accel: tcg";
	return "enable virtualization in the firmware; modprobe kvm_intel or "
	       "kvm_amd; or use accel: tcg";
}

static void check_kvm(struct preflight *p)
{
	struct host_best *best = &p->host->best;
	struct fault f = { 0 };

	if (!preflight_needs_text(p, "accels", "kvm") &&
	    !preflight_needs_text(p, "accels", "best"))
		return;
	if (host_decide_best(p->host, first_text(p, "qemus", ""),
			     first_text(p, "images", "builtin"), &f) < 0)
		return; // told to stop: nobody waits for this finding
	if (best->accel == VM_KVM)
		preflight_ok(p, "the guest boots under KVM");
	else if (access("/dev/kvm", R_OK | W_OK) < 0)
		kvm_problem(p, kvm_fix(), best->note);
	else
		kvm_problem(p, "use accel: tcg, or another guest kernel",
			    best->note);
}

// --- huge pages ----------------------------------------------------------

// What was obtained goes back at once: the checks that follow want a host as
// it was.
static void pages_missing(struct preflight *p, const char *key, uint64_t got,
			  uint64_t need)
{
	struct err e = { 0 };
	char fix[128];

	snprintf(
		fix, sizeof(fix),
		"free memory, or reserve at boot: hugepagesz=%s hugepages=%llu",
		key, (unsigned long long)need);
	preflight_problem(p, fix, "%llu of %llu huge pages of %s can be had",
			  (unsigned long long)got, (unsigned long long)need,
			  key);
	if (settings_restore(&p->host->settings, &e) < 0)
		preflight_problem(p, NULL, "%s", e.msg);
}

static void hold_pages(struct preflight *p, const char *key, uint64_t need)
{
	uint64_t bytes = settings_page_bytes(key), got = 0;
	struct err e = { 0 };

	if (bytes == 0)
		preflight_problem(p, NULL, "no huge pages of size \"%.32s\"",
				  key);
	else if (settings_hold_pages(&p->host->settings, bytes, need, &got,
				     &e) < 0)
		preflight_problem(p,
				  "run as root, or have root write that number "
				  "there before",
				  "%s", e.msg);
	else if (got < need)
		pages_missing(p, key, got, need);
	else
		preflight_ok(p, "huge pages of %s: %llu can be had", key,
			     (unsigned long long)need);
}

static void check_hugepages(struct preflight *p)
{
	const struct js *pages = js_get(p->needs, "pages");
	const char *key;
	struct js *n;

	JS_FOREACH (pages, key, n)
		hold_pages(p, key, (uint64_t)MAX(js_int_value(n, 0), 0));
}

// --- host settings -------------------------------------------------------

// Tried for real and put back: only the kernel knows what it takes.
static void try_settings(struct preflight *p, const struct js *want)
{
	struct settings *s = &p->host->settings;
	struct err e = { 0 };

	if (settings_hold(s, want, &e) < 0)
		preflight_problem(p,
				  "take it out of host-settings, or run as a "
				  "user who may write it (root, mostly)",
				  "%s", e.msg);
	else
		preflight_ok(p, "%zu host setting%s can be made", js_len(want),
			     js_len(want) == 1 ? "" : "s");
	if (settings_hold(s, NULL, &e) < 0)
		preflight_problem(p, NULL, "%s", e.msg);
}

static void check_settings(struct preflight *p)
{
	const struct js *l = js_get(p->needs, "hosts");

	for (size_t i = 0; i < js_len(l); i++)
		try_settings(p, js_at(l, i));
}

// --- io_uring, private directory -----------------------------------------

static bool needs_native_io_uring(const struct preflight *p)
{
	const struct js *l = js_get(p->needs, "workloads");

	for (size_t i = 0; i < js_len(l); i++) {
		const struct js *w = js_at(l, i);

		if (js_get_bool(w, "native", false) &&
		    strcmp(js_get_str(w, "kind", ""), "block") == 0 &&
		    strcmp(js_get_str(w, "engine", "builtin"), "builtin") == 0)
			return true;
	}
	return false;
}

// With no entries and no parameters the kernel can only complain: of the
// arguments where io_uring is allowed, of the call where it is not.
static void check_io_uring(struct preflight *p)
{
	if (!needs_native_io_uring(p))
		return;
	errno = 0;
	if (syscall(SYS_io_uring_setup, 0, NULL) < 0 &&
	    (errno == EPERM || errno == ENOSYS || errno == EACCES))
		preflight_problem(
			p,
			"sysctl kernel.io_uring_disabled=0; allow the "
			"call in the container's seccomp profile; "
			"Linux 5.1 or newer",
			"io_uring_setup: %m");
	else
		preflight_ok(p, "io_uring may be used");
}

static void check_rundir(struct preflight *p)
{
	const char *dir = p->host->dir.own;
	unsigned long long mib;
	struct statvfs st;

	if (statvfs(dir, &st) < 0) {
		preflight_problem(p, NULL, "%s: %m", dir);
		return;
	}
	mib = (unsigned long long)st.f_bavail * st.f_frsize >> 20;
	if (mib < RUNDIR_MIB)
		preflight_problem(p, "free space there, or set VRUN_RUNDIR",
				  "%s: %llu MiB free, %d are needed", dir, mib,
				  RUNDIR_MIB);
	else
		preflight_ok(p, "%s has room", dir);
}

static const struct preflight_check checks[] = {
	{ CHECK_QEMU, PREFLIGHT_REFUSE, check_qemu },
	{ CHECK_IMAGE, PREFLIGHT_REFUSE, check_image },
	{ CHECK_RUNDIR, PREFLIGHT_REFUSE, check_rundir },
	{ CHECK_DISK, PREFLIGHT_REFUSE, preflight_disk },
	{ CHECK_HUGEPAGES, PREFLIGHT_REFUSE, check_hugepages },
	{ CHECK_HOST_SETTINGS, PREFLIGHT_REFUSE, check_settings },
	{ CHECK_IO_URING, PREFLIGHT_REFUSE, check_io_uring },
	{ CHECK_KVM, PREFLIGHT_REFUSE, check_kvm },
	{ CHECK_DEBUG_KERNEL, PREFLIGHT_WARN, preflight_host_debug },
	{ CHECK_GUEST_DEBUG, PREFLIGHT_WARN, preflight_guest_debug },
	{ .run = NULL },
};

static void send_finding(void *arg, const char *check,
			 enum preflight_level level, const char *what,
			 const char *fix)
{
	struct js *f = js_object();

	js_set_str(f, "check", check);
	js_set_str(f, "level", level_names[level]);
	js_set_str(f, "what", what);
	js_set_str(f, "fix", fix);
	host_answer(arg, MESSAGE_FINDING, f);
}

void preflight_serve(struct host *h, const struct message *request)
{
	struct preflight p = {
		.root = "",
		.needs = js_get(request->body, "needs"),
		.host = h,
		.found = send_finding,
		.arg = h,
	};

	preflight_run(&p, checks);
	preflight_run(&p, preflight_machine);
}
