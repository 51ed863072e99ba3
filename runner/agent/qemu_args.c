#include "runner/agent/qemu_args.h"

#include <assert.h>

static const char *const accel_options[] = {
	[VM_KVM] = "kvm",
	[VM_TCG] = "tcg,thread=multi",
	[VM_TCG_SINGLE] = "tcg,thread=single",
};

// A comma inside a value of an option list is written twice.
static void add_value(struct strv *out, const char *prefix, const char *value)
{
	CLEANUP(buf_deinit) struct buf b = BUF_INIT;

	buf_puts(&b, prefix);
	for (; *value != '\0'; value++) {
		buf_putc(&b, *value);
		if (*value == ',')
			buf_putc(&b, ',');
	}
	strv_add(out, buf_str(&b));
}

static void option(struct strv *out, const char *name, const char *value)
{
	strv_add(out, name);
	strv_add(out, value);
}

// prealloc touches every page before the guest starts, so that no page fault
// of the host is measured and smaps shows what the guest really has.
static void add_memory(const struct vm_spec *s, struct strv *out)
{
	unsigned long long size = s->memory_bytes;

	strv_add(out, "-m");
	strv_addf(out, "%lluB", size);
	strv_add(out, "-object");
	if (s->backing->hugetlb)
		strv_addf(out,
			  "memory-backend-memfd,id=memory,size=%llu,"
			  "hugetlb=on,hugetlbsize=%llu,prealloc=on,merge=off",
			  size, (unsigned long long)s->backing->page_bytes);
	else
		strv_addf(out,
			  "memory-backend-%s,id=memory,size=%llu,prealloc=on,"
			  "merge=off",
			  s->backing->thp ? "ram" : "memfd", size);
}

static void add_machine(const struct vm_spec *s, struct strv *out)
{
	const char *cpu = s->accel == VM_KVM ? "host" : "max";

	strv_add(out, "-machine");
	strv_addf(out, "%s,memory-backend=memory", s->machine);
	option(out, "-accel", accel_options[s->accel]);
	option(out, "-cpu", s->cpu[0] != '\0' ? s->cpu : cpu);
	strv_add(out, "-smp");
	strv_addf(out, "%d", s->cpus);
	add_memory(s, out);
}

static void add_channels(const struct qemu_paths *p, struct strv *out)
{
	strv_add(out, "-chardev");
	add_value(out, "socket,id=qmp,path=", p->qmp);
	option(out, "-mon", "chardev=qmp,mode=control");
	if (p->hooks != NULL) {
		strv_add(out, "-chardev");
		add_value(out,
			  "socket,id=hooks,server=on,wait=off,path=", p->hooks);
		option(out, "-mon", "chardev=hooks,mode=control");
	}
	strv_add(out, "-chardev");
	add_value(out, "file,id=console,path=", p->console);
	option(out, "-serial", "chardev:console");
	strv_add(out, "-chardev");
	add_value(out, "socket,id=agent,path=", p->guest);
	option(out, "-device", "virtio-serial-pci");
	option(out, "-device", "virtserialport,chardev=agent,name=vrun.agent");
}

static void add_kernel(const struct vm_spec *s, const struct vm_image *image,
		       struct strv *out)
{
	option(out, "-kernel", image->kernel);
	option(out, "-initrd", image->initrd);
	strv_add(out, "-append");
	strv_addf(out, "%s%s%s", image->append, s->append[0] ? " " : "",
		  s->append);
}

void qemu_args(const struct vm_spec *spec, const struct vm_image *image,
	       const struct qemu_paths *paths, struct strv *out)
{
	assert(spec->accel <= VM_TCG_SINGLE);
	strv_add(out, paths->program);
	// The names of the threads tell the checks how TCG runs the vCPUs.
	option(out, "-name", "vrun,debug-threads=on");
	strv_add(out, "-nodefaults");
	strv_add(out, "-no-user-config");
	strv_add(out, "-no-reboot");
	option(out, "-display", "none");
	add_machine(spec, out);
	add_channels(paths, out);
	add_kernel(spec, image, out);
	strv_add(out, "-S");
	for (size_t i = 0; i < js_len(spec->qemu_args); i++)
		strv_add(out, js_str(js_at(spec->qemu_args, i)));
}
