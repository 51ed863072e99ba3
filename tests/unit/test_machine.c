#include "tests/unit/unit.h"

#include <string.h>
#include <unistd.h>

#include "runner/agent/preflight.h"
#include "tests/fake/root.h"

struct found {
	struct buf text; // "check level what; " of each finding
};

static void take(void *arg, const char *check, enum preflight_level level,
		 const char *what, const char *fix)
{
	static const char *const names[] = { "ok", "warn", "refuse" };
	struct found *f = arg;

	assert_non_null(check);
	assert_true(fix == NULL || fix[0] != '\0');
	buf_printf(&f->text, "%s %s %s; ", check, names[level], what);
}

static void look_with(const struct preflight_check *checks, const char *root,
		      const char *needs, struct found *f)
{
	struct err e = { 0 };
	CLEANUP(js_unrefp)
	struct js *j = js_parse(needs, strlen(needs), "test", &e);
	struct preflight p = {
		.root = root, .needs = j, .found = take, .arg = f
	};

	assert_non_null(j);
	preflight_run(&p, checks);
}

static void look(const char *root, const char *needs, struct found *f)
{
	look_with(preflight_machine, root, needs, f);
}

#define VM "{\"accels\":[\"tcg\"],\"memory\":1073741824,\"cpus\":2"

#define ONE_CPU "{\"accels\":[\"tcg\"],\"cpus\":1}"

static const struct machine_case {
	const char *path, *text, *needs, *finding;
} machine_cases[] = {
	{ "/proc/meminfo", "MemTotal: 9 kB\nMemAvailable: 1048576 kB\n",
	  VM ",\"backings\":[\"4k\"]}",
	  "memory refuse 1024 MiB are available, the largest VM needs "
	  "1280" },
	{ "/proc/meminfo", "MemAvailable: 1048576 kB\n",
	  VM ",\"backings\":[\"hugetlb-2M\"]}", "memory ok" },
	{ "/proc/meminfo", "MemAvailable: x\n", VM ",\"backings\":[\"4k\"]}",
	  "memory refuse" },
	{ "/sys/devices/system/cpu/online", "0-3\n", VM "}", "cpus ok" },
	{ "/sys/devices/system/cpu/online", "0\n", VM "}",
	  "cpus warn the largest VM has 2 CPUs, the host 1" },
	{ "/sys/devices/system/cpu/online", "0-1\n", VM "}",
	  "cpus warn the largest VM takes every CPU of the host (2)" },
	{ "/sys/kernel/mm/transparent_hugepage/enabled",
	  "always madvise [never]\n", VM ",\"backings\":[\"thp\"]}",
	  "thp refuse backing thp gets no huge pages" },
	{ "/sys/kernel/mm/transparent_hugepage/enabled",
	  "always [madvise] never\n", VM ",\"backings\":[\"thp\"]}", "thp ok" },
	{ "/nothing", "", VM ",\"backings\":[\"thp\"]}", "thp refuse" },
	{ "/sys/kernel/mm/transparent_hugepage/shmem_enabled",
	  "always within_size [advise] never deny force\n",
	  VM ",\"backings\":[\"4k\"]}", "thp refuse backing 4k" },
	{ "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
	  "powersave\n", "{}",
	  "governor warn the CPU frequency governor is \"powersave\"" },
	{ "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
	  "performance\n", "{}", "governor ok" },
	{ "/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n", "{}",
	  "turbo warn" },
	{ "/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n", "{}",
	  "turbo ok" },
	{ "/sys/devices/system/cpu/cpufreq/boost", "1\n", "{}", "turbo warn" },
	{ "/sys/devices/system/cpu/cpufreq/boost", "0\n", "{}", "turbo ok" },
	{ "/sys/devices/system/cpu/smt/active", "1\n", "{}", "smt warn" },
	{ "/sys/devices/system/cpu/smt/active", "0\n", "{}", "smt ok" },
	{ "/sys/devices/system/cpu/cpu0/cpu_capacity", "1024\n", "{}",
	  "hybrid ok" },
	{ "/sys/devices/cpu_core/cpus", "0-7\n", "{}", "hybrid ok" },
	{ "/sys/devices/system/cpu/cpu0/thermal_throttle/"
	  "core_throttle_count",
	  "3\n", "{}", "throttling warn CPUs were throttled" },
	{ "/sys/devices/system/cpu/cpu0/thermal_throttle/"
	  "core_throttle_count",
	  "0\n", "{}", "throttling ok no CPU" },
	{ "/nothing", "", "{}", "throttling ok the kernel counts no" },
	{ "/sys/devices/system/clocksource/clocksource0/"
	  "current_clocksource",
	  "hpet\n", "{}", "clock warn the clock source is \"hpet\"" },
	{ "/sys/devices/system/clocksource/clocksource0/"
	  "current_clocksource",
	  "tsc\n", "{}", "clock ok" },
	{ "/proc/loadavg", "1.50 0 0 1/1 1\n", "{}",
	  "load warn load average 1.50" },
	{ "/proc/loadavg", "0.01 0 0 1/1 1\n", "{}", "load ok" },
	{ "/sys/devices/system/cpu/online", "0\n", ONE_CPU,
	  "cpus warn the largest VM takes every CPU of the host (1)" },
	{ "/proc/loadavg", "\n", "{}", "load warn" },
	{ "/proc/77/comm", "qemu-system-x86\n", "{}",
	  "other-vms warn 1 other virtual machine runs here" },
	{ "/proc/77/comm", "bash\n", "{}", "other-vms ok" },
};

static void each_file_gives_its_finding(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(machine_cases); i++) {
		CLEANUP(fake_dir_freep) char *root = fake_dir_new();
		struct found f = { BUF_INIT };

		fake_root_put(root, machine_cases[i].path,
			      machine_cases[i].text);
		look(root, machine_cases[i].needs, &f);
		if (strstr(buf_str(&f.text), machine_cases[i].finding) == NULL)
			fail_msg("%s = %s: no \"%s\" in %s",
				 machine_cases[i].path, machine_cases[i].text,
				 machine_cases[i].finding, buf_str(&f.text));
		buf_deinit(&f.text);
	}
}

static void cpus_are_counted_without_sys(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	CLEANUP(cleanup_free)
	char *load = xasprintf("load warn load average 1.50 over the last "
			       "minute, %ld CPU%s; ",
			       sysconf(_SC_NPROCESSORS_ONLN),
			       sysconf(_SC_NPROCESSORS_ONLN) == 1 ? "" : "s");
	struct found f = { BUF_INIT };

	(void)state;
	fake_root_put(root, "/proc/loadavg", "1.50 0 0 1/1 1\n");
	look(root, VM "}", &f);
	if (strstr(buf_str(&f.text), load) == NULL)
		fail_msg("%s", buf_str(&f.text));
	buf_deinit(&f.text);
}

static void cpus_that_differ_are_found(void **state)
{
	static const struct {
		const char *files[3][2];
		const char *finding;
	} cases[] = {
		{ { { "/sys/devices/cpu_core/cpus", "0-7\n" },
		    { "/sys/devices/cpu_atom/cpus", "8-15\n" },
		    { "/nothing", "" } },
		  "hybrid warn CPUs 0-7 are P cores, 8-15 E cores" },
		{ { { "/sys/devices/system/cpu/online", "0-1\n" },
		    { "/sys/devices/system/cpu/cpu0/cpu_capacity", "446\n" },
		    { "/sys/devices/system/cpu/cpu1/cpu_capacity", "1024\n" } },
		  "hybrid warn CPU 1 has a capacity of 1024, CPU 0 of 446" },
		{ { { "/sys/devices/system/cpu/online", "0-1\n" },
		    { "/sys/devices/system/cpu/cpu0/cpu_capacity", "1024\n" },
		    { "/sys/devices/system/cpu/cpu1/cpu_capacity", "1024\n" } },
		  "hybrid ok" },
		{ { { "/sys/devices/system/cpu/online", "0-1\n" },
		    { "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
		      "performance\n" },
		    { "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor",
		      "schedutil\n" } },
		  "governor warn the CPU frequency governor is \"schedutil\" "
		  "on 1 of 2 CPUs" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(fake_dir_freep) char *root = fake_dir_new();
		struct found f = { BUF_INIT };

		for (size_t k = 0; k < ARRAY_LEN(cases[i].files); k++)
			fake_root_put(root, cases[i].files[k][0],
				      cases[i].files[k][1]);
		look(root, "{}", &f);
		if (strstr(buf_str(&f.text), cases[i].finding) == NULL)
			fail_msg("no \"%s\" in %s", cases[i].finding,
				 buf_str(&f.text));
		buf_deinit(&f.text);
	}
}

static void a_plan_without_vms_asks_nothing_of_their_room(void **state)
{
	CLEANUP(fake_dir_freep) char *root = fake_dir_new();
	struct found f = { BUF_INIT };

	(void)state;
	look(root, "{\"accels\":[\"native\"],\"memory\":9999999999999}", &f);
	assert_null(strstr(buf_str(&f.text), "memory"));
	assert_null(strstr(buf_str(&f.text), "refuse"));
	buf_deinit(&f.text);
}

// A file below the working directory.
#define FILE_OF(name, size)                                      \
	"{\"kind\":\"block\",\"native\":true,\"device\":\"" name \
	"\",\"size\":" size "}"
#define PIB "1125899906842624"

static void files_are_to_have_room_together(void **state)
{
	static const struct preflight_check checks[] = {
		{ CHECK_DISK, PREFLIGHT_REFUSE, preflight_disk },
		{ .run = NULL },
	};
	static const struct {
		const char *workloads, *finding;
	} cases[] = {
		{ FILE_OF("a", "4194304"),
		  "disk ok files of block workloads: 4 MiB are to be written" },
		{ FILE_OF("a", "4194304") "," FILE_OF("b", "1"),
		  "disk ok files of block workloads: 5 MiB are" },
		{ FILE_OF("a", "4194304") "," FILE_OF(
			  "a", "8388608") "," FILE_OF("a", "8388608"),
		  "disk ok files of block workloads: 8 MiB are" },
		{ FILE_OF("a", PIB),
		  "disk refuse no room for the files of block workloads: "
		  "1073741824 MiB are to be written, " },
		{ FILE_OF("a", "9223372036854775807") "," FILE_OF(
			  "b", "9223372036854775807") "," FILE_OF("c", "2"),
		  "disk refuse" },
		{ FILE_OF("there", PIB), "disk ok" },
		{ FILE_OF("nowhere/a", "1"), "disk refuse" },
		{ "{\"kind\":\"block\",\"device\":\"/a\",\"size\":" PIB "}",
		  "" },
		{ "{\"kind\":\"block\",\"native\":true,\"size\":" PIB "}", "" },
	};
	CLEANUP(fake_dir_freep) char *dir = fake_dir_new();

	(void)state;
	fake_root_put(dir, "/there", "x");
	assert_int_equal(chdir(dir), 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(cleanup_free)
		char *needs =
			xasprintf("{\"workloads\":[%s]}", cases[i].workloads);
		struct found f = { BUF_INIT };

		look_with(checks, "", needs, &f);
		if (strstr(buf_str(&f.text), cases[i].finding) == NULL ||
		    (cases[i].finding[0] == '\0') != (f.text.len == 0))
			fail_msg("%s: no \"%s\" in %s", needs, cases[i].finding,
				 buf_str(&f.text));
		buf_deinit(&f.text);
	}
}

static void debug_options_are_found_only_when_set(void **state)
{
	static const struct {
		const char *config, *found;
	} cases[] = {
		{ "", "" },
		{ "CONFIG_KASAN=y\n", "KASAN" },
		{ "CONFIG_LOCKDEP=y\nCONFIG_PROVE_LOCKING=y", "LOCKDEP, "
							      "PROVE_LOCKING" },
		{ "# CONFIG_KASAN is not set\n", "" },
		{ "#CONFIG_KASAN=y\n", "" },
		{ "CONFIG_KASAN=yes\nCONFIG_KASAN=m\n", "" },
		{ "CONFIG_HAVE_DEBUG_VM=y\nCONFIG_DEBUG_VM_PGTABLE=y\n", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_deinit) struct buf b = BUF_INIT;

		preflight_debug_options(cases[i].config, &b);
		if (strcmp(buf_str(&b), cases[i].found) != 0)
			fail_msg("%s: found %s", cases[i].config, buf_str(&b));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_file_gives_its_finding),
		cmocka_unit_test(cpus_are_counted_without_sys),
		cmocka_unit_test(cpus_that_differ_are_found),
		cmocka_unit_test(a_plan_without_vms_asks_nothing_of_their_room),
		cmocka_unit_test(files_are_to_have_room_together),
		cmocka_unit_test(debug_options_are_found_only_when_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
