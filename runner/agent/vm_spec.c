#include "runner/agent/vm_spec.h"

#include <string.h>

#include "runner/agent/cpulist.h"

static const char *const accel_names[] = {
	[VM_KVM] = "kvm",
	[VM_TCG] = "tcg",
	[VM_TCG_SINGLE] = "tcg-single",
	[VM_NATIVE] = "native",
	[VM_BEST] = "best",
};

static const struct vm_backing backings[] = {
	{ "4k", 4096, .hugetlb = false, .thp = false },
	{ "thp", 4096, .hugetlb = false, .thp = true },
	{ "hugetlb-2M", 2 << 20, .hugetlb = true, .thp = false },
	{ "hugetlb-1G", 1 << 30, .hugetlb = true, .thp = false },
};

const char *vm_accel_name(enum vm_accel a)
{
	return accel_names[a];
}

const struct vm_backing *vm_backing_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(backings); i++) {
		if (strcmp(backings[i].name, name) == 0)
			return &backings[i];
	}
	return NULL;
}

static int read_accel(const char *name, struct vm_spec *s, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(accel_names); i++) {
		if (strcmp(accel_names[i], name) == 0) {
			s->accel = (enum vm_accel)i;
			return 0;
		}
	}
	return err_set(e, ERR_USAGE,
		       "accel: unknown \"%s\" (have kvm, tcg, tcg-single, "
		       "native, best)",
		       name);
}

static int check_memory(const struct vm_spec *s, struct err *e)
{
	if (s->memory_bytes == 0 || s->memory_bytes > (uint64_t)1 << 46)
		return err_set(e, ERR_USAGE,
			       "memory: %llu bytes is not between 1 and 64T",
			       (unsigned long long)s->memory_bytes);
	if (s->memory_bytes % s->backing->page_bytes != 0)
		return err_set(e, ERR_USAGE,
			       "memory: %llu bytes is no multiple of the "
			       "pages of backing %s",
			       (unsigned long long)s->memory_bytes,
			       s->backing->name);
	return 0;
}

static int check_args(const struct vm_spec *s, struct err *e)
{
	if (js_len(s->qemu_args) > VM_QEMU_ARGS_MAX)
		return err_set(e, ERR_USAGE, "qemu-args: more than %d",
			       VM_QEMU_ARGS_MAX);
	for (size_t i = 0; i < js_len(s->qemu_args); i++) {
		if (js_str(js_at(s->qemu_args, i)) == NULL)
			return err_set(e, ERR_USAGE,
				       "qemu-args: item %zu is no text", i);
	}
	return 0;
}

static int check(const struct vm_spec *s, const struct js *vm, struct err *e)
{
	const char *arch = js_get_str(vm, "arch", "x86_64");
	struct cpulist pin;

	if (strcmp(arch, "x86_64") != 0)
		return err_set(e, ERR_USAGE,
			       "arch: unknown \"%s\" (have x86_64)", arch);
	if (s->backing == NULL)
		return err_set(e, ERR_USAGE,
			       "backing: unknown \"%s\" (have 4k, thp, "
			       "hugetlb-2M, hugetlb-1G)",
			       js_get_str(vm, "backing", ""));
	if (s->cpus < 1 || s->cpus > VM_CPUS_MAX)
		return err_set(e, ERR_USAGE, "cpus: %d is not between 1 and %d",
			       s->cpus, VM_CPUS_MAX);
	if (s->pin[0] != '\0' && cpulist_parse(s->pin, &pin, e) < 0)
		return err_wrap(e, "pin");
	if (check_memory(s, e) < 0)
		return -1;
	return check_args(s, e);
}

int vm_spec_from_js(const struct js *vm, struct vm_spec *out, struct err *e)
{
	struct vm_spec s = {
		.backing = vm_backing_find(js_get_str(vm, "backing", "4k")),
		.qemu = js_get_str(vm, "qemu", ""),
		.machine = js_get_str(vm, "machine", "q35"),
		.cpu = js_get_str(vm, "cpu", ""),
		.pin = js_get_str(vm, "pin", ""),
		.image = js_get_str(vm, "image", "builtin"),
		.append = js_get_str(vm, "append", ""),
		.cpus = (int)js_get_int(vm, "cpus", 1),
		.memory_bytes = (uint64_t)js_get_int(vm, "memory", 0),
		.qemu_args = js_get(vm, "qemu-args"),
	};

	if (read_accel(js_get_str(vm, "accel", "best"), &s, e) < 0)
		return -1;
	if (s.accel != VM_NATIVE && check(&s, vm, e) < 0)
		return -1;
	*out = s;
	return 0;
}
