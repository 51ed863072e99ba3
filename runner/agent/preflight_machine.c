// The checks that read files of the machine: all below a root directory.
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/agent/cpulist.h"
#include "runner/agent/preflight.h"
#include "runner/agent/procfs.h"
#include "runner/base/alloc.h"
#include "runner/base/fd.h"

enum {
	QEMU_OWN_MIB = 256, // what QEMU takes besides the guest's memory
};

static int count_cpus(const struct preflight *p)
{
	struct cpulist cpus;

	preflight_cpus(p, &cpus);
	return (int)cpus.n;
}

// --- room ----------------------------------------------------------------

// Guest memory that does not come from the pool of huge pages.
static bool needs_plain_memory(const struct preflight *p)
{
	return preflight_needs_text(p, "backings", "4k") ||
	       preflight_needs_text(p, "backings", "thp");
}

static void check_memory(struct preflight *p)
{
	uint64_t need = (uint64_t)js_get_int(p->needs, "memory", 0), have;

	if (!preflight_needs_vm(p))
		return;
	need = (needs_plain_memory(p) ? need : 0) +
	       ((uint64_t)QEMU_OWN_MIB << 20);
	if (procfs_meminfo(p->root, "MemAvailable", &have) < 0)
		preflight_problem(p, NULL, "/proc/meminfo: no MemAvailable");
	else if (have < need)
		preflight_problem(
			p, "free memory, or give the VM less",
			"%llu MiB are available, the largest VM needs "
			"%llu",
			(unsigned long long)have >> 20,
			(unsigned long long)need >> 20);
	else
		preflight_ok(p, "%llu MiB are available, %llu needed",
			     (unsigned long long)have >> 20,
			     (unsigned long long)need >> 20);
}

static void check_cpus(struct preflight *p)
{
	int need = (int)js_get_int(p->needs, "cpus", 0), have = count_cpus(p);

	if (!preflight_needs_vm(p))
		return;
	if (need > have)
		preflight_problem(p, "give the VM fewer CPUs",
				  "the largest VM has %d CPUs, the host %d: "
				  "they take turns",
				  need, have);
	else if (need == have)
		preflight_problem(p,
				  "leave a CPU to QEMU's own threads and "
				  "the host",
				  "the largest VM takes every CPU of the host "
				  "(%d)",
				  have);
	else
		preflight_ok(p, "%d CPUs, %d needed", have, need);
}

// --- transparent huge pages ----------------------------------------------

// The word in brackets: "always [madvise] never".
static void chosen(const char *line, char out[64])
{
	const char *from = strchr(line, '[');
	int len = from ? (int)strcspn(from + 1, "]") : 0;

	snprintf(out, 64, "%.*s", MIN(len, 63), from ? from + 1 : "");
}

static const struct thp_rule {
	const char *backing, *path, *bad[4];
	const char *what, *fix;
} thp_rules[] = {
	{ "thp",
	  "/sys/kernel/mm/transparent_hugepage/enabled",
	  { "never", "" },
	  "backing thp gets no huge pages",
	  "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled" },
	{ "4k",
	  "/sys/kernel/mm/transparent_hugepage/shmem_enabled",
	  { "always", "within_size", "advise", "force" },
	  "backing 4k may get huge pages, which QEMU asks for",
	  "echo never > /sys/kernel/mm/transparent_hugepage/shmem_enabled" },
};

static void check_thp_rule(struct preflight *p, const struct thp_rule *r)
{
	char line[PREFLIGHT_LINE] = "", now[64];

	preflight_line(p, r->path, line);
	chosen(line, now);
	for (size_t i = 0; i < ARRAY_LEN(r->bad) && r->bad[i] != NULL; i++) {
		// "" is bad where the file is not there at all.
		if (strcmp(r->bad[i], now) == 0) {
			preflight_problem(p, r->fix, "%s: %s is \"%s\"",
					  r->what, r->path, now);
			return;
		}
	}
	preflight_ok(p, "backing %s can be had", r->backing);
}

static void check_thp(struct preflight *p)
{
	for (size_t i = 0; i < ARRAY_LEN(thp_rules); i++) {
		if (preflight_needs_text(p, "backings", thp_rules[i].backing))
			check_thp_rule(p, &thp_rules[i]);
	}
}

// --- what runs beside ----------------------------------------------------

static void check_load(struct preflight *p)
{
	int cpus = count_cpus(p);
	char text[PREFLIGHT_LINE];
	double load;

	// A quarter of a CPU at rest is housekeeping.
	if (!preflight_line(p, "/proc/loadavg", text) ||
	    sscanf(text, "%lf", &load) != 1)
		preflight_problem(p, NULL, "/proc/loadavg is not readable");
	else if (load > 0.25)
		preflight_problem(p, "stop what runs beside, or wait",
				  "load average %.2f over the last minute, %d "
				  "CPU%s",
				  load, cpus, cpus == 1 ? "" : "s");
	else
		preflight_ok(p, "load average %.2f", load);
}

static bool is_qemu(const struct preflight *p, const char *pid)
{
	char path[64], comm[PREFLIGHT_LINE];

	if (!isdigit((unsigned char)pid[0]))
		return false;
	snprintf(path, sizeof(path), "/proc/%.16s/comm", pid);
	return preflight_line(p, path, comm) &&
	       (strncmp(comm, "qemu", 4) == 0 || strcmp(comm, "kvm") == 0 ||
		strncmp(comm, "firecracker", 11) == 0 ||
		strncmp(comm, "cloud-hyperviso", 15) == 0);
}

static void check_other_vms(struct preflight *p)
{
	CLEANUP(cleanup_free) char *proc = xasprintf("%s/proc", p->root);
	DIR *d = opendir(proc);
	const struct dirent *ent;
	int n = 0;

	while (d != NULL && (ent = readdir(d)) != NULL)
		n += is_qemu(p, ent->d_name);
	if (d != NULL)
		closedir(d);
	if (n > 0)
		preflight_problem(p, "stop them, or take a quiet host",
				  "%d other virtual machine%s run%s here", n,
				  n > 1 ? "s" : "", n > 1 ? "" : "s");
	else
		preflight_ok(p, "no other virtual machine runs here");
}

const struct preflight_check preflight_machine[] = {
	{ CHECK_MEMORY, PREFLIGHT_REFUSE, check_memory },
	{ CHECK_CPUS, PREFLIGHT_WARN, check_cpus },
	{ CHECK_THP, PREFLIGHT_REFUSE, check_thp },
	{ CHECK_GOVERNOR, PREFLIGHT_WARN, preflight_governor },
	{ CHECK_TURBO, PREFLIGHT_WARN, preflight_turbo },
	{ CHECK_SMT, PREFLIGHT_WARN, preflight_smt },
	{ CHECK_HYBRID, PREFLIGHT_WARN, preflight_hybrid },
	{ CHECK_THROTTLING, PREFLIGHT_WARN, preflight_throttling },
	{ CHECK_CLOCK, PREFLIGHT_WARN, preflight_clock },
	{ CHECK_LOAD, PREFLIGHT_WARN, check_load },
	{ CHECK_OTHER_VMS, PREFLIGHT_WARN, check_other_vms },
	{ .run = NULL },
};
