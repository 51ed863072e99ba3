// The checks of what makes the host's CPUs uneven, in time or among each
// other: all read files below the root directory.
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runner/agent/disturb.h"
#include "runner/agent/preflight.h"
#include "runner/base/alloc.h"
#include "runner/base/fd.h"

#define CPU_DIR "/sys/devices/system/cpu"

bool preflight_line(const struct preflight *p, const char *path,
		    char out[PREFLIGHT_LINE])
{
	CLEANUP(cleanup_free) char *full = xasprintf("%s%s", p->root, path);

	return file_read_line(full, out, PREFLIGHT_LINE) == 0;
}

// Where /sys is not mounted, the C library finds another way to count them.
void preflight_cpus(const struct preflight *p, struct cpulist *out)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	char text[PREFLIGHT_LINE];
	struct err e = { 0 };

	if (preflight_line(p, CPU_DIR "/online", text) &&
	    cpulist_parse(text, out, &e) == 0)
		return;
	out->n = (size_t)MIN(MAX(n, 1L), (long)CPULIST_MAX);
	for (size_t i = 0; i < out->n; i++)
		out->cpu[i] = (int)i;
}

// The first line of a file of one CPU.
static bool cpu_line(const struct preflight *p, int cpu, const char *file,
		     char out[PREFLIGHT_LINE])
{
	char path[128];

	snprintf(path, sizeof(path), CPU_DIR "/cpu%d/%s", cpu, file);
	return preflight_line(p, path, out);
}

void preflight_governor(struct preflight *p)
{
	char text[PREFLIGHT_LINE], other[PREFLIGHT_LINE];
	struct cpulist cpus;
	size_t have = 0, wrong = 0;

	preflight_cpus(p, &cpus);
	for (size_t i = 0; i < cpus.n; i++) {
		if (!cpu_line(p, cpus.cpu[i], "cpufreq/scaling_governor", text))
			continue;
		have++;
		if (strcmp(text, "performance") == 0)
			continue;
		wrong++;
		memcpy(other, text, sizeof(other));
	}
	if (have == 0)
		preflight_ok(p, "the kernel does not set the CPUs' frequency");
	else if (wrong > 0)
		preflight_problem(p, "cpupower frequency-set -g performance",
				  "the CPU frequency governor is \"%.32s\" "
				  "on %zu of %zu CPU%s",
				  other, wrong, have, have == 1 ? "" : "s");
	else
		preflight_ok(p, "the CPU frequency governor is performance");
}

// The files speak with opposite voices.
static const struct turbo_file {
	const char *path, *on, *fix;
} turbo_files[] = {
	{ CPU_DIR "/intel_pstate/no_turbo", "0",
	  "echo 1 > " CPU_DIR "/intel_pstate/no_turbo" },
	{ CPU_DIR "/cpufreq/boost", "1", "echo 0 > " CPU_DIR "/cpufreq/boost" },
};

void preflight_turbo(struct preflight *p)
{
	char text[PREFLIGHT_LINE];

	for (size_t i = 0; i < ARRAY_LEN(turbo_files); i++) {
		if (!preflight_line(p, turbo_files[i].path, text))
			continue;
		if (strcmp(text, turbo_files[i].on) == 0)
			preflight_problem(p, turbo_files[i].fix,
					  "turbo is on: the frequency depends "
					  "on heat and neighbours");
		else
			preflight_ok(p, "turbo is off");
		return;
	}
	preflight_ok(p, "the kernel does not control turbo");
}

void preflight_smt(struct preflight *p)
{
	char text[PREFLIGHT_LINE];

	if (preflight_line(p, CPU_DIR "/smt/active", text) &&
	    strcmp(text, "1") == 0)
		preflight_problem(p,
				  "echo off > " CPU_DIR "/smt/control, or pin "
				  "so that siblings stay idle",
				  "SMT is on: a busy sibling slows a CPU");
	else
		preflight_ok(p, "no SMT siblings are online");
}

// --- CPUs of more than one kind --------------------------------------------

#define HYBRID_FIX "pin the vCPUs to CPUs of one kind"

// Intel's hybrid CPUs have a PMU for each kind, which lists its CPUs.
static bool has_e_cores(struct preflight *p)
{
	char core[PREFLIGHT_LINE], atom[PREFLIGHT_LINE];

	if (!preflight_line(p, "/sys/devices/cpu_core/cpus", core) ||
	    !preflight_line(p, "/sys/devices/cpu_atom/cpus", atom))
		return false;
	preflight_problem(p, HYBRID_FIX,
			  "CPUs %.64s are P cores, %.64s E cores: a figure "
			  "depends on where the vCPU runs",
			  core, atom);
	return true;
}

// Elsewhere (big.LITTLE, newer x86) each CPU has a capacity, 1024 at most.
static bool has_small_cpus(struct preflight *p)
{
	char text[PREFLIGHT_LINE];
	int least = INT_MAX, most = 0, small = 0, big = 0, capacity;
	struct cpulist cpus;

	preflight_cpus(p, &cpus);
	for (size_t i = 0; i < cpus.n; i++) {
		if (!cpu_line(p, cpus.cpu[i], "cpu_capacity", text) ||
		    sscanf(text, "%d", &capacity) != 1)
			continue;
		if (capacity < least) {
			least = capacity;
			small = cpus.cpu[i];
		}
		if (capacity > most) {
			most = capacity;
			big = cpus.cpu[i];
		}
	}
	if (least >= most)
		return false;
	preflight_problem(p, HYBRID_FIX,
			  "CPU %d has a capacity of %d, CPU %d of %d: a "
			  "figure depends on where the vCPU runs",
			  big, most, small, least);
	return true;
}

void preflight_hybrid(struct preflight *p)
{
	if (!has_e_cores(p) && !has_small_cpus(p))
		preflight_ok(p, "all CPUs are of one kind");
}

// --- heat, clock -------------------------------------------------------------

void preflight_throttling(struct preflight *p)
{
	uint64_t n;

	if (!disturb_throttles(p->root, &n))
		preflight_ok(p, "the kernel counts no throttling");
	else if (n > 0)
		preflight_problem(p,
				  "better cooling, or a lower frequency (turbo "
				  "off)",
				  "CPUs were throttled for heat since the boot "
				  "(count %" PRIu64 ")",
				  n);
	else
		preflight_ok(p, "no CPU was throttled for heat");
}

void preflight_clock(struct preflight *p)
{
	static const char *const good[] = { "tsc", "kvm-clock",
					    "arch_sys_counter" };
	char text[PREFLIGHT_LINE];

	if (!preflight_line(p,
			    "/sys/devices/system/clocksource/clocksource0/"
			    "current_clocksource",
			    text)) {
		preflight_problem(p, NULL, "the clock source is not readable");
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		if (strcmp(good[i], text) == 0) {
			preflight_ok(p, "the clock source is %s", text);
			return;
		}
	}
	preflight_problem(p, "dmesg says why the TSC was given up",
			  "the clock source is \"%.32s\": reading it is slow",
			  text);
}
