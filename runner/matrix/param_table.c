#include "runner/matrix/param.h"

#include "runner/base/clock.h"
#include "runner/base/compiler.h"

#define CHOICES(...)                                           \
	.type = PARAM_CHOICE, .choices = (const char *const[]) \
	{                                                      \
		__VA_ARGS__, NULL                              \
	}
#define COUNT(lo, hi) .type = PARAM_COUNT, .min = (lo), .max = (hi)
#define SIZE(lo, hi, mult) \
	.type = PARAM_SIZE, .min = (lo), .max = (hi), .multiple = (mult)
#define DURATION(lo, hi) .type = PARAM_DURATION, .min = (lo), .max = (hi)
#define RATIO(lo, hi)	 .type = PARAM_RATIO, .min = (lo), .max = (hi)
#define REAL(lo, hi)	 .type = PARAM_REAL, .min = (lo), .max = (hi)
#define TEXT		 .type = PARAM_TEXT
#define ARGS		 .type = PARAM_ARGS
#define BOOL		 .type = PARAM_BOOL

#define VM		   .scope = PARAM_VM
#define BLOCK		   .scope = PARAM_WORKLOAD, .kind = "block"
#define SYNTHETIC	   .scope = PARAM_WORKLOAD, .kind = "synthetic"
#define HOST		   .scope = PARAM_HOST, .def = "keep"
#define IN_VM		   VM, .needs = { "accel", "native", true }
#define WITH(param, value) .needs = { (param), (value), false }
#define NULL_BLK	   BLOCK, WITH("device", "null_blk")

#define KIB 1024.0
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define TIB (1024 * GIB)
#define DAY (86400.0 * NS_PER_S)

const struct param param_table[] = {
	{ "accel", VM, CHOICES("best", "kvm", "tcg", "tcg-single", "native"),
	  .def = "best", .check = "QMP query-kvm; thread mode under TCG",
	  .help = "what runs the guest; best is kvm where a guest really "
		  "boots under it, else tcg; native measures on the host, "
		  "without a VM" },
	{ "arch", IN_VM, CHOICES("x86_64"), .def = "x86_64",
	  .help = "architecture of the guest" },
	{ "qemu", IN_VM, TEXT, .def = "",
	  .help = "QEMU to run; empty is qemu-system-ARCH of PATH" },
	{ "machine", IN_VM, TEXT, .def = "q35", .help = "QEMU's -machine" },
	{ "cpu", IN_VM, TEXT, .def = "",
	  .help = "QEMU's -cpu; empty is host under kvm, max under tcg" },
	{ "cpus", IN_VM, COUNT(1, 1024), .def = "1",
	  .check = "QMP query-cpus-fast; the guest's own count",
	  .help = "virtual CPUs" },
	{ "memory", IN_VM, SIZE(32 * MIB, 16 * TIB, 2 * MIB), .def = "512M",
	  .check = "QMP query-memory-size-summary; the guest's MemTotal",
	  .help = "guest memory" },
	{ "backing", IN_VM, CHOICES("4k", "thp", "hugetlb-2M", "hugetlb-1G"),
	  .def = "4k",
	  .check = "/proc/PID/smaps of the guest memory, after it is touched",
	  .help = "host pages behind the guest memory" },
	{ "pin", IN_VM, .type = PARAM_CPU_LIST, .def = "",
	  .check = "sched_getaffinity of each vCPU thread",
	  .help = "host CPUs for the vCPU threads, one each in turn; empty "
		  "is free" },
	{ "image", IN_VM, TEXT, .def = "builtin",
	  .help = "builtin, or a directory that holds vmlinuz and initrd: "
		  "of this machine, from where hosts get it, or else of each "
		  "host" },
	{ "append", IN_VM, TEXT, .def = "",
	  .help = "more text for the guest kernel's command line" },
	{ "qemu-args", IN_VM, ARGS, .def = "",
	  .help = "more arguments for QEMU" },

	{ "governor", HOST, TEXT, .check = "/sys/devices/system/cpu/cpufreq",
	  .help = "frequency governor of every CPU of the host, such as "
		  "performance" },
	{ "turbo", HOST, CHOICES("keep", "on", "off"),
	  .check = "intel_pstate/no_turbo or cpufreq/boost",
	  .help = "frequencies above the nominal one" },
	{ "smt", HOST, CHOICES("keep", "on", "off"),
	  .check = "/sys/devices/system/cpu/smt/control",
	  .help = "sibling threads of the host's cores" },
	{ "thp", HOST, CHOICES("keep", "always", "madvise", "never"),
	  .check = "/sys/kernel/mm/transparent_hugepage/enabled",
	  .help = "where the host's kernel uses transparent huge pages" },
	{ "irq-affinity", HOST, TEXT, .check = "/proc/irq/*/smp_affinity_list",
	  .help = "CPUs, like 0-1, that serve the interrupts that can be "
		  "moved" },
	{ "hugepages", .scope = PARAM_HOST, CHOICES("auto", "keep"),
	  .def = "auto",
	  .help = "auto reserves the huge pages that a VM takes; keep takes "
		  "only those that are free already" },
	{ "drop-caches", HOST, CHOICES("keep", "each-trial"),
	  .help = "write back and drop the host's page cache before each "
		  "trial's workloads" },

	{ "engine", BLOCK, CHOICES("builtin", "fio"), .def = "builtin",
	  .help = "load generator: vrun's own on io_uring, or fio" },
	{ "device", BLOCK, TEXT, .def = "null_blk",
	  .help = "null_blk, or the path of a device or file; writing "
		  "destroys what it holds" },
	{ "profile", BLOCK, CHOICES("latency", "peak"), .def = "latency",
	  WITH("engine", "builtin"),
	  .help = "latency reaps each completion as it comes; peak submits "
		  "and reaps in batches" },
	{ "rw", BLOCK,
	  CHOICES("read", "write", "randread", "randwrite", "randrw"),
	  .def = "randread", .help = "direction and pattern" },
	{ "rwmixread", BLOCK, COUNT(0, 100), .def = "50", WITH("rw", "randrw"),
	  .help = "percentage of reads" },
	{ "bs", BLOCK, SIZE(512, 16 * MIB, 512), .def = "4k",
	  .check = "the device's logical block size",
	  .help = "bytes of one request" },
	{ "iodepth", BLOCK, COUNT(1, 4096), .def = "1",
	  .check = "the generator's achieved queue depth",
	  .help = "requests in flight, per job" },
	{ "jobs", BLOCK, COUNT(1, 256), .def = "1",
	  .help = "threads, each with a queue of its own" },
	{ "ramp", BLOCK, DURATION(0, DAY), .def = "1s",
	  .help = "load before the measurement, not counted" },
	{ "runtime", BLOCK, DURATION(10 * NS_PER_MS, DAY), .def = "5s",
	  .help = "length of the measurement" },
	{ "size", BLOCK, SIZE(0, 4096 * TIB, 512), .def = "0",
	  .help = "bytes of the device to use; 0 is all; a regular file is "
		  "created at this size, and anew when a level needs a longer one" },
	{ "direct", BLOCK, BOOL, .def = "on",
	  .help = "O_DIRECT: past the page cache" },
	{ "rate", BLOCK, COUNT(0, 1e9), .def = "0",
	  .help = "requests per second, per job; 0 is as fast as it goes" },
	{ "norepeat", BLOCK, BOOL, .def = "off",
	  .help = "random offsets come once each before any comes again" },
	{ "fio-args", BLOCK, ARGS, .def = "", WITH("engine", "fio"),
	  .help = "more arguments for fio" },
	{ "fio-job", BLOCK, TEXT, .def = "", WITH("engine", "fio"),
	  .help = "text of a fio job file; empty is made from the parameters" },

	{ "queue_mode", NULL_BLK, COUNT(0, 2), .def = "2",
	  .check = "/sys/module/null_blk/parameters or configfs",
	  .help = "null_blk: 0 bio, 1 request, 2 multi-queue" },
	{ "submit_queues", NULL_BLK, COUNT(1, 1024), .def = "1",
	  .check = "/sys/module/null_blk/parameters or configfs",
	  .help = "null_blk: submission queues, no more than CPUs" },
	{ "hw_queue_depth", NULL_BLK, COUNT(1, 10240), .def = "64",
	  .check = "/sys/module/null_blk/parameters or configfs",
	  .help = "null_blk: depth of each hardware queue" },
	{ "irqmode", NULL_BLK, COUNT(0, 2), .def = "1",
	  .check = "/sys/module/null_blk/parameters or configfs",
	  .help = "null_blk: completion: 0 none, 1 softirq, 2 timer" },
	{ "completion_nsec", NULL_BLK, COUNT(0, 1e9), .def = "10000",
	  .check = "/sys/module/null_blk/parameters or configfs",
	  .help = "null_blk: time a request takes under irqmode 2, in ns" },
	{ "null_size", NULL_BLK, SIZE(MIB, 16 * TIB, MIB), .def = "4G",
	  .help = "null_blk: capacity" },
	{ "null_bs", NULL_BLK, SIZE(512, 4096, 0), .power_of_2 = true,
	  .def = "512", .help = "null_blk: logical block size" },
	{ "memory_backed", NULL_BLK, BOOL, .def = "off",
	  .check = "/sys/module/null_blk/parameters or configfs",
	  .help = "null_blk: keep what is written" },

	{ "mean", SYNTHETIC, REAL(1e-12, 1e15), .def = "100",
	  .help = "mean of the model" },
	{ "cv", SYNTHETIC, RATIO(0, 10), .def = "2%",
	  .help = "coefficient of variation of a trial" },
	{ "effect", SYNTHETIC, RATIO(-0.99, 100), .def = "0",
	  .help = "multiplies the mean by 1 + effect: make it a factor" },
	{ "drift", SYNTHETIC, RATIO(-10, 10), .def = "0",
	  .help = "change of the mean over 100 trials" },
	{ "ar1", SYNTHETIC, REAL(0, 0.999), .def = "0",
	  .help = "autocorrelation of the host's slow noise" },
	{ "ar1-cv", SYNTHETIC, RATIO(0, 10), .def = "0",
	  .help = "size of the host's slow noise" },
	{ "modes", SYNTHETIC, RATIO(-0.99, 100), .def = "0",
	  .help = "distance of a second mode" },
	{ "mode-p", SYNTHETIC, REAL(0, 1), .def = "0",
	  .help = "chance of a trial to be in the second mode" },
	{ "boot-cv", SYNTHETIC, RATIO(0, 10), .def = "0",
	  .help = "luck of a boot, shared by its trials" },
	{ "fail", SYNTHETIC, RATIO(0, 1), .def = "0",
	  .help = "chance that a trial fails" },
	{ "invalid", SYNTHETIC, RATIO(0, 1), .def = "0",
	  .help = "chance that a treatment check fails" },
	{ "unit", SYNTHETIC, TEXT, .def = "1", .help = "unit of the figure" },
	{ "better", SYNTHETIC, CHOICES("higher", "lower"), .def = "higher",
	  .help = "which way is better" },
	{ "runtime", SYNTHETIC, DURATION(0, DAY), .def = "0",
	  .help = "the trial sleeps so long" },
};
const size_t param_count = ARRAY_LEN(param_table);

static const struct param_metric block_metrics[] = {
	{ "iops", "IOPS", BETTER_HIGHER, "requests completed per second" },
	{ "bw", "MB/s", BETTER_HIGHER, "bytes moved; MB is 10^6" },
	{ "lat_mean", "ns", BETTER_LOWER, "mean latency" },
	{ "lat_p50", "ns", BETTER_LOWER, "median latency" },
	{ "lat_p90", "ns", BETTER_LOWER, "90th percentile of latency" },
	{ "lat_p99", "ns", BETTER_LOWER, "99th percentile of latency" },
	{ "lat_p999", "ns", BETTER_LOWER, "99.9th percentile of latency" },
	{ "depth", "1", BETTER_NEITHER, "achieved queue depth" },
	{ "cpu_per_io", "ns", BETTER_LOWER, "CPU time per request" },
	{ "errors", "1", BETTER_LOWER, "requests that failed" },
};

static const struct param_metric synthetic_metrics[] = {
	{ "value", NULL, BETTER_HIGHER, "a draw; `better` may turn it" },
};

const struct param_kind param_kinds[] = {
	{ "block", "I/O on a block device or file", block_metrics,
	  ARRAY_LEN(block_metrics) },
	{ "synthetic", "draws from a stated model: no hardware",
	  synthetic_metrics, ARRAY_LEN(synthetic_metrics) },
};
const size_t param_nkinds = ARRAY_LEN(param_kinds);
