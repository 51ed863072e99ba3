#include "runner/agent/host_facts.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "runner/agent/procfs.h"
#include "runner/base/alloc.h"
#include "runner/base/fd.h"

enum {
	TEXT_MAX = 4096,
	FILE_MAX = 4 << 20,
};

// Facts that are one line of one file.
static const struct line_fact {
	const char *key, *path;
} line_facts[] = {
	{ "cmdline", "/proc/cmdline" },
	{ "clocksource",
	  "/sys/devices/system/clocksource/clocksource0/current_clocksource" },
	{ "governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor" },
	{ "cpufreq_driver",
	  "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver" },
	{ "no_turbo", "/sys/devices/system/cpu/intel_pstate/no_turbo" },
	{ "boost", "/sys/devices/system/cpu/cpufreq/boost" },
	{ "smt", "/sys/devices/system/cpu/smt/control" },
	{ "online_cpus", "/sys/devices/system/cpu/online" },
	{ "isolated_cpus", "/sys/devices/system/cpu/isolated" },
	{ "numa_nodes", "/sys/devices/system/node/online" },
	{ "thp", "/sys/kernel/mm/transparent_hugepage/enabled" },
	{ "thp_shmem", "/sys/kernel/mm/transparent_hugepage/shmem_enabled" },
	{ "product", "/sys/class/dmi/id/product_name" },
};

static void add_lines(struct js *facts)
{
	char text[TEXT_MAX];

	for (size_t i = 0; i < ARRAY_LEN(line_facts); i++) {
		if (file_read_line(line_facts[i].path, text, sizeof(text)) ==
			    0 &&
		    text[0] != '\0')
			js_set_str(facts, line_facts[i].key, text);
	}
}

// The value of the first "key<blanks>: value" or "key=value" line of a file.
static void add_field(struct js *facts, const char *name, const char *path,
		      const char *key)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct err e = { 0 };
	char *line, *save = NULL;

	if (file_read(path, FILE_MAX, &text, ERR_HOST, &e) < 0 || text.len == 0)
		return;
	for (line = strtok_r(text.data, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save)) {
		if (strncmp(line, key, strlen(key)) != 0)
			continue;
		line += strlen(key);
		line += strspn(line, "\t :=\"");
		line[strcspn(line, "\"")] = '\0';
		js_set_str(facts, name, line);
		return;
	}
}

static void add_kernel(struct js *facts)
{
	struct utsname u;

	if (uname(&u) < 0)
		return;
	js_set_str(facts, "hostname", u.nodename);
	js_set_str(facts, "kernel", u.release);
	js_set_str(facts, "kernel_version", u.version);
	js_set_str(facts, "arch", u.machine);
}

static void add_mitigations(struct js *facts)
{
	static const char dir[] = "/sys/devices/system/cpu/vulnerabilities";
	struct js *all = js_object();
	DIR *d = opendir(dir);
	struct dirent *ent;

	while (d != NULL && (ent = readdir(d)) != NULL) {
		CLEANUP(cleanup_free) char *path = NULL;
		char text[TEXT_MAX];

		path = xasprintf("%s/%s", dir, ent->d_name);
		if (ent->d_name[0] != '.' &&
		    file_read_line(path, text, sizeof(text)) == 0)
			js_set_str(all, ent->d_name, text);
	}
	if (d != NULL)
		closedir(d);
	js_set(facts, "mitigations", all);
}

struct js *host_facts(void)
{
	struct js *facts = js_object();
	uint64_t memory;

	add_kernel(facts);
	add_field(facts, "os", "/etc/os-release", "PRETTY_NAME");
	add_field(facts, "cpu", "/proc/cpuinfo", "model name");
	add_field(facts, "microcode", "/proc/cpuinfo", "microcode");
	js_set_int(facts, "cpus", sysconf(_SC_NPROCESSORS_ONLN));
	if (procfs_meminfo("", "MemTotal", &memory) == 0)
		js_set_int(facts, "memory_bytes", (int64_t)memory);
	add_lines(facts);
	add_mitigations(facts);
	return facts;
}
