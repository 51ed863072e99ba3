// Figures of a process from /proc. What cannot be read is an outcome, not an
// error: the process may just have ended.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "runner/base/compiler.h"

enum {
	PROCFS_BOOT_ID_MAX = 64,
};

struct procfs_stat {
	uint64_t cpu_ns;      // user and system time so far, all threads
	uint64_t start_ticks; // when it began, in clock ticks since boot
	int last_cpu;	      // the CPU it ran on last
	bool ended;	      // a zombie: its parent has not looked yet
};

// Of a process, or of its thread `tid` (0: the process). 0 or -1.
int procfs_stat(pid_t pid, pid_t tid, struct procfs_stat *out) MUST_CHECK;
// The fields of one such line; pure.
int procfs_parse_stat(const char *text, struct procfs_stat *out) MUST_CHECK;

// The name of a thread. 0 or -1.
int procfs_comm(pid_t pid, pid_t tid, char out[32]) MUST_CHECK;

// "VmHWM" and the like of /proc/PID/status, in bytes. 0 or -1.
int procfs_status_bytes(pid_t pid, const char *key, uint64_t *out) MUST_CHECK;

// Figures of /proc/meminfo below `root`, in bytes. 0 or -1.
int procfs_meminfo(const char *root, const char *key,
		   uint64_t *bytes) MUST_CHECK;

// Time stolen from this machine by its own hypervisor, all CPUs. 0 or -1.
int procfs_steal_ns(uint64_t *ns) MUST_CHECK;

// What tells one boot of this machine from every other one. 0 or -1.
int procfs_boot_id(char out[PROCFS_BOOT_ID_MAX]) MUST_CHECK;
