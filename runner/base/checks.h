// The checks of preflight: one table of their names and of what is looked for,
// for the agent that makes them, for the matrix whose `require:` names them,
// and for the manual.
#pragma once

// row(ID, NAME, WHAT), in the order in which they are made.
// clang-format off
#define CHECKS_TABLE(row)                                                      \
	row(RESULTS, "results", "room for the results")                        \
	row(QEMU, "qemu", "QEMU starts and tells its version")                 \
	row(IMAGE, "image", "the guest image is there")                        \
	row(RUNDIR, "rundir", "room for sockets and consoles")                 \
	row(DISK, "disk", "room for the files of block workloads")             \
	row(HUGEPAGES, "hugepages", "the huge pages can be had")               \
	row(HOST_SETTINGS, "host-settings", "the host can be set as asked")    \
	row(IO_URING, "io_uring", "io_uring may be used")                      \
	row(KVM, "kvm", "the guest boots under KVM")                           \
	row(DEBUG_KERNEL, "debug-kernel", "the host runs no debug kernel")     \
	row(GUEST_DEBUG, "guest-debug", "the guest runs no debug kernel")      \
	row(MEMORY, "memory", "memory for the largest VM")                     \
	row(CPUS, "cpus", "CPUs for the largest VM, and one for the host")     \
	row(THP, "thp", "transparent huge pages are set as backing asks")      \
	row(GOVERNOR, "governor", "the CPU frequency governor is performance") \
	row(TURBO, "turbo", "turbo is off")                                    \
	row(SMT, "smt", "no SMT siblings are online")                          \
	row(HYBRID, "hybrid", "all CPUs are of one kind")                      \
	row(THROTTLING, "throttling", "no CPU was throttled for heat")         \
	row(CLOCK, "clock", "the clock source is fast")                        \
	row(LOAD, "load", "the host is idle")                                  \
	row(OTHER_VMS, "other-vms", "no other virtual machine runs")

#define CHECKS_ID(id, name, what) CHECK_##id,
enum check_id {
	CHECKS_TABLE(CHECKS_ID)
	CHECK_COUNT
};
#undef CHECKS_ID
// clang-format on

const char *check_name(enum check_id id); // "hugepages"
