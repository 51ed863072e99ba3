#include "runner/agent/check.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runner/agent/procfs.h"
#include "runner/base/fd.h"
#include "runner/base/units.h"

enum {
	SMAPS_MAX = 64 << 20,
	TEXT_MAX = 256,
	PROGRAM_MAX = 1280, // a path, a sum, a version
};

struct ctx {
	struct vm *vm;
	struct arena *arena;
	struct result *result;
};

static void add(const struct ctx *c, const struct check *check)
{
	result_check(c->arena, c->result, check);
}

static enum check_status status(bool holds)
{
	return holds ? CHECK_OK : CHECK_FAILED;
}

// --- accel ---------------------------------------------------------------

// QEMU names vCPU threads "CPU 0/KVM"; "CPU 0/TCG" where each has its own;
// "ALL CPUs/TCG" where one serves all. (accel/tcg/tcg-accel-ops-*.c,
// accel/kvm/kvm-accel-ops.c of QEMU.)
static enum vm_accel accel_of_thread(const char *name)
{
	if (strcmp(name, "ALL CPUs/TCG") == 0)
		return VM_TCG_SINGLE;
	if (strncmp(name, "CPU ", 4) == 0 && strstr(name, "/TCG") != NULL)
		return VM_TCG;
	if (strncmp(name, "CPU ", 4) == 0 && strstr(name, "/KVM") != NULL)
		return VM_KVM;
	return VM_BEST;
}

static int check_accel(const struct ctx *c, struct fault *f)
{
	CLEANUP(js_unrefp) struct js *kvm = NULL;
	enum vm_accel want = c->vm->spec.accel;
	char seen[TEXT_MAX], comm[32] = "unreadable";
	bool enabled, readable;

	if (qmp_command(&c->vm->qmp, "query-kvm", NULL, &kvm, f) < 0)
		return -1;
	enabled = js_get_bool(kvm, "enabled", false);
	readable =
		procfs_comm(c->vm->child.pid, c->vm->vcpus[0].tid, comm) == 0;
	snprintf(seen, sizeof(seen), "KVM %s, vCPU thread \"%s\"",
		 enabled ? "enabled" : "not enabled", comm);
	add(c,
	    &(struct check){
		    .parameter = "accel",
		    .expected = vm_accel_name(want),
		    .seen = seen,
		    .source = "QMP query-kvm, name of the vCPU thread",
		    .status = readable ? status(enabled == (want == VM_KVM) &&
						accel_of_thread(comm) == want)
				       : CHECK_UNVERIFIED,
	    });
	return 0;
}

// --- backing -------------------------------------------------------------

bool check_backing_holds(const struct vm_backing *b, uint64_t memory_bytes,
			 const struct smaps *m)
{
	uint64_t hugetlb = m->shared_hugetlb + m->private_hugetlb;
	uint64_t thp = m->anon_huge + m->shmem_pmd + m->file_pmd;

	if (m->kernel_page != b->page_bytes || m->mmu_page != b->page_bytes)
		return false;
	if (b->hugetlb)
		return hugetlb == memory_bytes;
	if (b->thp)
		return hugetlb == 0 &&
		       thp >= memory_bytes / 100 * CHECK_THP_PERCENT;
	return hugetlb == 0 && thp == 0 && m->rss > 0;
}

static void describe_backing(const struct smaps *m, char *out, size_t size)
{
	snprintf(out, size,
		 "KernelPageSize %llu kB, MMUPageSize %llu kB, hugetlb %llu "
		 "kB, transparent huge %llu kB, Rss %llu kB",
		 (unsigned long long)m->kernel_page >> 10,
		 (unsigned long long)m->mmu_page >> 10,
		 (unsigned long long)(m->shared_hugetlb + m->private_hugetlb) >>
			 10,
		 (unsigned long long)(m->anon_huge + m->shmem_pmd +
				      m->file_pmd) >>
			 10,
		 (unsigned long long)m->rss >> 10);
}

static int check_backing(const struct ctx *c, struct fault *f)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	const struct vm_spec *spec = &c->vm->spec;
	char path[64], seen[TEXT_MAX] = "no mapping of the memory's size";
	struct check check = { .parameter = "backing",
			       .expected = spec->backing->name,
			       .seen = seen,
			       .source = path,
			       .status = CHECK_UNVERIFIED };
	struct smaps m;

	snprintf(path, sizeof(path), "/proc/%d/smaps", (int)c->vm->child.pid);
	if (file_read(path, SMAPS_MAX, &text, ERR_HOST, &f->err) < 0) {
		snprintf(seen, sizeof(seen), "%.200s", f->err.msg);
	} else if (smaps_find(buf_str(&text), spec->memory_bytes, &m) == 0) {
		describe_backing(&m, seen, sizeof(seen));
		check.status = status(check_backing_holds(
			spec->backing, spec->memory_bytes, &m));
	}
	add(c, &check);
	return 0;
}

// --- memory, cpus --------------------------------------------------------

static void add_size(const struct ctx *c, bool holds, uint64_t seen_bytes,
		     const char *expected, const char *source)
{
	char seen[TEXT_MAX];

	snprintf(seen, sizeof(seen), "%llu bytes",
		 (unsigned long long)seen_bytes);
	add(c, &(struct check){ .parameter = "memory",
				.expected = expected,
				.seen = seen_bytes ? seen : "not told",
				.source = source,
				.status = seen_bytes ? status(holds)
						     : CHECK_UNVERIFIED });
}

static int check_memory(const struct ctx *c, struct fault *f)
{
	CLEANUP(js_unrefp) struct js *sum = NULL;
	uint64_t want = c->vm->spec.memory_bytes, qemu, guest;
	uint64_t kept = want / 100 * CHECK_GUEST_PERCENT +
			((uint64_t)CHECK_GUEST_MIB << 20);
	uint64_t least = want > kept ? want - kept : 0;
	char expected[TEXT_MAX];

	if (qmp_command(&c->vm->qmp, "query-memory-size-summary", NULL, &sum,
			f) < 0)
		return -1;
	qemu = (uint64_t)js_get_int(sum, "base-memory", 0);
	snprintf(expected, sizeof(expected), "%llu bytes",
		 (unsigned long long)want);
	add_size(c, qemu == want, qemu, expected,
		 "QMP query-memory-size-summary");
	if (c->vm->hello == NULL)
		return 0;
	guest = (uint64_t)js_get_int(js_get(c->vm->hello, "facts"),
				     "memory_bytes", 0);
	snprintf(expected, sizeof(expected), "%llu to %llu bytes",
		 (unsigned long long)least, (unsigned long long)want);
	add_size(c, guest >= least && guest <= want, guest, expected,
		 "guest's MemTotal");
	return 0;
}

static void add_cpus(const struct ctx *c, int seen, const char *source)
{
	char want_text[16], seen_text[16];

	snprintf(want_text, sizeof(want_text), "%d", c->vm->spec.cpus);
	snprintf(seen_text, sizeof(seen_text), "%d", seen);
	add(c,
	    &(struct check){ .parameter = "cpus",
			     .expected = want_text,
			     .seen = seen ? seen_text : "not told",
			     .source = source,
			     .status = seen ? status(seen == c->vm->spec.cpus)
					    : CHECK_UNVERIFIED });
}

static int check_cpus(const struct ctx *c, struct fault *f)
{
	(void)f;
	add_cpus(c, (int)c->vm->nvcpus, "QMP query-cpus-fast");
	if (c->vm->hello != NULL)
		add_cpus(c,
			 (int)js_get_int(js_get(c->vm->hello, "facts"), "cpus",
					 0),
			 "guest's online CPUs");
	return 0;
}

// --- pin -----------------------------------------------------------------

static void add_pin(const struct ctx *c, const struct vm_vcpu *v)
{
	char want[TEXT_MAX], seen[TEXT_MAX] = "thread is not readable";
	enum check_status st = CHECK_UNVERIFIED;
	struct procfs_stat stat;
	cpu_set_t set;

	snprintf(want, sizeof(want), "vCPU %d on CPU %d", v->index,
		 v->want_cpu);
	if (sched_getaffinity(v->tid, sizeof(set), &set) == 0 &&
	    procfs_stat(c->vm->child.pid, v->tid, &stat) == 0) {
		snprintf(seen, sizeof(seen),
			 "%d CPU%s allowed, CPU %d %s; ran on CPU %d",
			 CPU_COUNT(&set), CPU_COUNT(&set) == 1 ? "" : "s",
			 v->want_cpu,
			 CPU_ISSET(v->want_cpu, &set) ? "is one" : "is not",
			 stat.last_cpu);
		st = status(CPU_COUNT(&set) == 1 &&
			    CPU_ISSET(v->want_cpu, &set) &&
			    stat.last_cpu == v->want_cpu);
	}
	add(c, &(struct check){ .parameter = "pin",
				.expected = want,
				.seen = seen,
				.source = "sched_getaffinity, "
					  "/proc/PID/task/TID/stat",
				.status = st });
}

static int check_pin(const struct ctx *c, struct fault *f)
{
	// One row a vCPU, within what a result may hold besides the others.
	size_t n = MIN(c->vm->nvcpus, (size_t)RESULT_CHECKS_MAX / 2);

	(void)f;
	for (size_t i = 0; i < n; i++) {
		if (c->vm->vcpus[i].want_cpu >= 0)
			add_pin(c, &c->vm->vcpus[i]);
	}
	return 0;
}

// --- qemu ----------------------------------------------------------------

// A copy has to be what was sent. What runs instead of a program that was named
// may be what a script of that name started.
static enum check_status judge_qemu(const struct qemu_program *p,
				    const char *due, bool runs)
{
	if (p->copied)
		return status(runs && strcmp(p->sha256, due) == 0);
	return runs ? CHECK_OK : CHECK_UNVERIFIED;
}

static void describe_qemu(const char *file, const char *sum, char *out,
			  size_t size)
{
	snprintf(out, size, "%.1000s%s%s", file,
		 sum[0] != '\0' ? ", SHA-256 " : "", sum);
}

static int check_qemu(const struct ctx *c, struct fault *f)
{
	const struct qemu_program *p = &c->vm->program;
	char due[QEMU_PROGRAM_HEX + 1], link[64], exe[PATH_MAX] = "unreadable";
	char want[PROGRAM_MAX], seen[PROGRAM_MAX];
	bool runs = qemu_program_is_run_by(p, c->vm->child.pid);
	ssize_t n;

	(void)f;
	if (c->vm->spec.qemu[0] == '\0')
		return 0;
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)c->vm->child.pid);
	n = readlink(link, exe, sizeof(exe) - 1);
	if (n > 0)
		exe[n] = '\0';
	qemu_program_due(p, due);
	describe_qemu(p->run, due, want, sizeof(want));
	describe_qemu(exe, runs ? p->sha256 : "", seen, sizeof(seen));
	snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen),
		 ", version %.64s", c->vm->qmp.version);
	add(c, &(struct check){ .parameter = "qemu",
				.expected = want,
				.seen = seen,
				.source = "/proc/PID/exe, QMP",
				.status = judge_qemu(p, due, runs) });
	return 0;
}

static int (*const checks[])(const struct ctx *c, struct fault *f) = {
	check_qemu,   check_accel, check_backing,
	check_memory, check_cpus,  check_pin,
};

int check_vm(struct vm *vm, struct arena *a, struct result *r, struct fault *f)
{
	const struct ctx c = { .vm = vm, .arena = a, .result = r };

	if (vm->spec.accel == VM_NATIVE)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(checks); i++) {
		if (checks[i](&c, f) < 0)
			return -1;
	}
	return 0;
}

void check_judge(struct arena *a, struct result *r)
{
	for (size_t i = 0; i < r->nchecks; i++) {
		const struct check *c = &r->checks[i];

		if (c->status != CHECK_FAILED)
			continue;
		result_fail(a, r, OUTCOME_INVALID,
			    "%s: expected %s, seen %s (%s)", c->parameter,
			    c->expected, c->seen, c->source);
		r->nmetrics = 0;
		r->hists = NULL;
		return;
	}
}
