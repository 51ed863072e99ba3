// kvm_payload DIR: boots a VM under KVM through the agent's own code, with a
// guest of a few real-mode instructions, and prints what was checked:
//     console TEXT, check PARAMETER STATUS SEEN, reaped
// For machines whose KVM cannot run a whole kernel. DIR gets the guest image,
// QEMU's log and the console.

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/agent/check.h"
#include "runner/agent/settings.h"
#include "runner/agent/vm.h"
#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"

enum {
	IMAGE_BYTES = 9 * 512, // 4 sectors of a kernel that never runs
	CONSOLE_BYTES = 512,
	MEMORY = 64 << 20,
	WAIT_S = 10,
};

#define PART(at, bytes)                      \
	{                                    \
		at, bytes, sizeof(bytes) - 1 \
	}

// A bzImage as the x86 boot protocol 2.02 wants it. Its set-up code, entered
// in real mode at 0x200, writes a text to the first serial port and halts.
// Source: Documentation/arch/x86/boot.rst of the kernel.
static const struct part {
	size_t at;
	const char *bytes;
	size_t len;
} parts[] = {
	PART(0x1f1, "\x04"), // sectors of set-up code
	PART(0x1fe, "\x55\xaa"),
	PART(0x200, "\xeb\x7e"), // jmp 0x280, over the header
	PART(0x202, "HdrS\x02\x02"),
	PART(0x211, "\x01"),	   // loaded high
	PART(0x280, "\x0e\x1f"	   // push cs; pop ds
		    "\xe8\x00\x00" // call next
		    "\x5e"	   // next: pop si
		    "\x83\xc6\x11" // add si, text - next
		    "\xba\xf8\x03" // mov dx, 0x3f8
		    "\xfc"	   // cld
		    "\xac"	   // loop: lodsb
		    "\x84\xc0"	   // test al, al
		    "\x74\x03"	   // jz halt
		    "\xee"	   // out dx, al
		    "\xeb\xf8"	   // jmp loop
		    "\xf4"	   // halt: hlt
		    "real mode\r\n\0"),
};

static int write_image(const char *dir, struct err *e)
{
	CLEANUP(cleanup_free) char *kernel = xasprintf("%s/vmlinuz", dir);
	CLEANUP(cleanup_free) char *initrd = xasprintf("%s/initrd", dir);
	char image[IMAGE_BYTES] = "";

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		memcpy(image + parts[i].at, parts[i].bytes, parts[i].len);
	if (file_replace(kernel, image, sizeof(image), e) < 0)
		return -1;
	return file_replace(initrd, "none", 4, e);
}

static struct js *request(const char *dir, const char *backing)
{
	struct js *vm = js_object();

	js_set_str(vm, "accel", "kvm");
	js_set_str(vm, "backing", backing);
	js_set_str(vm, "image", dir);
	js_set_str(vm, "pin", "0");
	js_set_int(vm, "memory", MEMORY);
	js_set_int(vm, "cpus", 1);
	return vm;
}

static void no_stage(void *arg, const char *stage)
{
	(void)arg;
	(void)stage;
}

static void print_console(const struct vm *vm)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	int64_t until = clock_mono_ns() + WAIT_S * NS_PER_S;

	while (strstr(buf_str(&text), "real mode") == NULL &&
	       clock_mono_ns() < until) {
		clock_sleep_ns(50 * NS_PER_MS);
		buf_clear(&text);
		log_tail(vm->console, CONSOLE_BYTES, &text);
	}
	printf("console %s\n", buf_str(&text));
}

static int print_checks(struct vm *vm, struct fault *f)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct result *r = result_new(a);

	if (check_vm(vm, a, r, f) < 0)
		return -1;
	for (size_t i = 0; i < r->nchecks; i++)
		printf("check %s %s %s\n", r->checks[i].parameter,
		       check_status_name(r->checks[i].status),
		       r->checks[i].seen);
	return 0;
}

static int boot(const char *dir, const char *backing, struct watch *w,
		struct fault *f)
{
	CLEANUP(js_unrefp) struct js *vm_request = request(dir, backing);
	struct qemu_sums sums = { 0 };
	const struct vm_boot b = {
		.request = vm_request,
		.accel = VM_KVM,
		.dir = dir,
		.rundir = dir,
		.sums = &sums,
		.deadline_ns = clock_mono_ns() + WAIT_S * NS_PER_S,
		.watch = w,
		.stage = no_stage,
	};
	struct vm vm;
	int rc;

	vm_init(&vm);
	rc = vm_start(&vm, &b, f);
	if (rc == 0) {
		print_console(&vm);
		rc = print_checks(&vm, f);
	}
	vm_stop(&vm);
	if (rc == 0 && waitpid(-1, NULL, WNOHANG) < 0)
		puts("reaped");
	return rc;
}

static int run(const char *dir, struct settings *s, struct fault *f)
{
	static const char *const backings[] = { "4k", "hugetlb-2M" };
	struct watch w;

	if (write_image(dir, &f->err) < 0 || watch_init(&w, NULL, &f->err) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(backings); i++) {
		const struct vm_spec spec = {
			.backing = vm_backing_find(backings[i]),
			.memory_bytes = MEMORY,
		};

		printf("backing %s\n", backings[i]);
		if (settings_hold_for(s, &spec, &f->err) < 0 ||
		    boot(dir, backings[i], &w, f) < 0)
			return -1;
	}
	watch_deinit(&w);
	return 0;
}

int main(int argc, char **argv)
{
	struct settings s;
	struct fault f = { 0 };
	int rc;

	if (argc != 2) {
		fputs("usage: kvm_payload DIR\n", stderr);
		return 2;
	}
	rc = settings_init(&s, argv[1], "", &f.err);
	if (rc == 0) {
		rc = run(argv[1], &s, &f);
		if (settings_restore(&s, &f.err) < 0)
			rc = -1;
		settings_deinit(&s);
	}
	if (rc < 0)
		fprintf(stderr, "kvm_payload: %s\n", f.err.msg);
	return rc < 0;
}
