#include "runner/agent/load_time.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runner/base/clock.h"
#include "runner/base/fd.h"

#define CLOCKSOURCE \
	"/sys/devices/system/clocksource/clocksource0/current_clocksource"

enum {
	CPUINFO_MAX = 8 << 20,
	PAIR_TRIES = 16,
};

struct pair {
	uint64_t ticks;
	int64_t ns;
};

// Both clocks at one moment: of several tries the one whose two reads of the
// counter lie closest together, which no interruption has split.
static struct pair read_pair(const struct load_clock *c)
{
	uint64_t best = UINT64_MAX;
	struct pair p = { 0, 0 };

	for (int i = 0; i < PAIR_TRIES; i++) {
		uint64_t before = load_clock_stamp(c);
		int64_t ns = clock_mono_ns();
		uint64_t width = load_clock_stamp(c) - before;

		if (width < best) {
			best = width;
			p.ticks = before + width / 2;
			p.ns = ns;
		}
	}
	return p;
}

static bool has_word(const char *line, size_t len, const char *word)
{
	size_t n = strlen(word);
	const char *p = line;

	while ((p = memmem(p, len - (size_t)(p - line), word, n)) != NULL) {
		bool starts = p == line || p[-1] == ' ';
		const char *end = p + n;

		if (starts && (end == line + len || *end == ' '))
			return true;
		p = end;
	}
	return false;
}

bool load_clock_cpuinfo_ok(const char *cpuinfo)
{
	const char *flags = strstr(cpuinfo, "\nflags");
	size_t len;

	if (flags == NULL)
		return false;
	flags++;
	len = strcspn(flags, "\n");
	return has_word(flags, len, "constant_tsc") &&
	       has_word(flags, len, "nonstop_tsc");
}

#if defined(__x86_64__)
// An emulated CPU does not claim an invariant TSC, but QEMU's TCG makes it from
// its one clock for all of them (CPUID leaf 0x40000000, which Linux also
// reads).
static bool is_emulated(void)
{
	unsigned eax, id[3], ebx, ecx, edx;

	__cpuid(1, eax, ebx, ecx, edx);
	if (!(ecx & 1U << 31)) // no hypervisor, no such leaf
		return false;
	__cpuid(0x40000000, eax, id[0], id[1], id[2]);
	return memcmp(id, "TCGTCGTCGTCG", sizeof(id)) == 0;
}

static bool counter_usable(const char **why)
{
	CLEANUP(buf_deinit) struct buf info = BUF_INIT;
	struct err ignored;
	char source[64] = "";

	// tsc-early for the first second or two, then tsc, unless the kernel
	// found fault with it.
	if (is_emulated() &&
	    file_read_line(CLOCKSOURCE, source, sizeof(source)) == 0 &&
	    strncmp(source, "tsc", 3) == 0) {
		*why = "tsc: emulated from one clock, and the kernel's clock "
		       "source";
		return true;
	}
	if (file_read_line(CLOCKSOURCE, source, sizeof(source)) < 0 ||
	    strcmp(source, "tsc") != 0) {
		*why = "clock_gettime: the kernel's clock source is not tsc";
		return false;
	}
	if (file_read("/proc/cpuinfo", CPUINFO_MAX, &info, ERR_HOST, &ignored) <
		    0 ||
	    !load_clock_cpuinfo_ok(buf_str(&info))) {
		*why = "clock_gettime: the TSC is not constant and non-stop";
		return false;
	}
	*why = "tsc: constant, non-stop and the kernel's clock source";
	return true;
}
#elif defined(__aarch64__)
static bool counter_usable(const char **why)
{
	*why = "cntvct_el0: the architecture's constant counter";
	return true;
}
#else
static bool counter_usable(const char **why)
{
	*why = "clock_gettime: no counter is known for this architecture";
	return false;
}
#endif

static void calibrate(struct load_clock *c)
{
	struct pair a = read_pair(c), b;

	clock_sleep_ns(LOAD_CLOCK_CALIBRATE_NS);
	b = read_pair(c);
	c->mult = (uint64_t)(((unsigned __int128)(uint64_t)(b.ns - a.ns)
			      << LOAD_CLOCK_SHIFT) /
			     (b.ticks - a.ticks));
	c->start_ticks = a.ticks;
	c->start_ns = a.ns;
}

void load_clock_init_monotonic(struct load_clock *c)
{
	*c = (struct load_clock){
		.why = "clock_gettime",
		.mult = 1ULL << LOAD_CLOCK_SHIFT,
		.start_ticks = load_clock_monotonic(),
		.start_ns = clock_mono_ns(),
	};
}

void load_clock_init(struct load_clock *c)
{
	const char *why;
	bool usable = counter_usable(&why);

	load_clock_init_monotonic(c);
	c->why = why;
	c->tsc = usable;
	if (usable)
		calibrate(c);
}

double load_clock_drift(const struct load_clock *c)
{
	struct pair now;
	double ns, real;

	if (!c->tsc)
		return 0;
	now = read_pair(c);
	ns = (double)load_clock_ns(c, now.ticks - c->start_ticks);
	real = (double)(now.ns - c->start_ns);
	return real > 0 ? ns / real - 1 : 0;
}
