#include "runner/agent/sample.h"

#include "runner/agent/procfs.h"

struct sample sample_take(const struct vm *vm)
{
	struct sample s = { 0 };
	struct procfs_stat stat;

	s.valid = vm->spec.accel != VM_NATIVE &&
		  procfs_stat(vm->child.pid, 0, &stat) == 0 &&
		  procfs_steal_ns(&s.steal_ns) == 0;
	if (s.valid)
		s.cpu_ns = stat.cpu_ns;
	return s;
}

void sample_add(const struct sample *before, const struct vm *vm,
		struct arena *a, struct result *r)
{
	struct sample after = sample_take(vm);
	uint64_t rss;

	if (!before->valid || !after.valid)
		return;
	result_metric(
		a, r,
		&(struct metric){ "qemu.cpu",
				  (double)(after.cpu_ns - before->cpu_ns) / 1e9,
				  "s", BETTER_NEITHER });
	result_metric(a, r,
		      &(struct metric){
			      "host.steal",
			      (double)(after.steal_ns - before->steal_ns) / 1e9,
			      "s", BETTER_NEITHER });
	if (procfs_status_bytes(vm->child.pid, "VmHWM", &rss) == 0)
		result_metric(a, r,
			      &(struct metric){ "qemu.rss", (double)rss,
						"bytes", BETTER_NEITHER });
}
