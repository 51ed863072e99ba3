#include "runner/agent/guest_facts.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/base/fd.h"

#define VULNERABILITIES "/sys/devices/system/cpu/vulnerabilities"
#define CLOCKSOURCE \
	"/sys/devices/system/clocksource/clocksource0/current_clocksource"

enum {
	TEXT_MAX = 4096,
	PROC_MAX = 16 << 20,
};

const char *guest_facts_arch(void)
{
#if defined(__x86_64__)
	return "x86_64";
#elif defined(__aarch64__)
	return "aarch64";
#else
#error "name this architecture"
#endif
}

static void add_line(struct js *facts, const char *key, const char *path)
{
	char text[TEXT_MAX];

	if (file_read_line(path, text, sizeof(text)) == 0)
		js_set_str(facts, key, text);
}

// The value after "key<spaces>:" in a /proc file; false when there is none.
static bool proc_value(const char *path, const char *key, char *out,
		       size_t size)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct err ignored;
	const char *at, *colon;

	if (file_read(path, PROC_MAX, &text, ERR_HOST, &ignored) < 0)
		return false;
	at = strstr(buf_str(&text), key);
	if (at == NULL)
		return false;
	colon = at + strcspn(at, ":\n");
	if (*colon != ':')
		return false;
	colon += 1 + strspn(colon + 1, " \t");
	snprintf(out, size, "%.*s", (int)strcspn(colon, "\n"), colon);
	return true;
}

static void add_memory(struct js *facts)
{
	char text[TEXT_MAX];

	if (proc_value("/proc/meminfo", "MemTotal", text, sizeof(text)))
		js_set_int(facts, "memory_bytes",
			   (int64_t)strtoll(text, NULL, 10) * 1024);
}

static void add_cpu(struct js *facts)
{
	char text[TEXT_MAX];

	js_set_int(facts, "cpus", sysconf(_SC_NPROCESSORS_ONLN));
	if (proc_value("/proc/cpuinfo", "model name", text, sizeof(text)))
		js_set_str(facts, "cpu_model", text);
	if (proc_value("/proc/cpuinfo", "flags", text, sizeof(text)))
		js_set_bool(facts, "hypervisor",
			    strstr(text, " hypervisor") != NULL);
}

static void add_mitigations(struct js *facts)
{
	struct js *all = js_object();
	DIR *d = opendir(VULNERABILITIES);
	const struct dirent *entry;

	while (d != NULL && (entry = readdir(d)) != NULL) {
		CLEANUP(cleanup_free) char *path = NULL;

		if (entry->d_name[0] == '.')
			continue;
		path = xasprintf(VULNERABILITIES "/%s", entry->d_name);
		add_line(all, entry->d_name, path);
	}
	if (d != NULL)
		closedir(d);
	js_set(facts, "mitigations", all);
}

// Files that only a kernel with that option has. What leaves no file (a plain
// KASAN shows itself in none) is not claimed either way.
static void add_debug(struct js *facts, const char *version)
{
	static const struct {
		const char *path, *sign;
	} signs[] = {
		{ "/proc/lockdep", "LOCKDEP" },
		{ "/proc/lock_stat", "LOCK_STAT" },
		{ "/sys/kernel/debug/kmemleak", "DEBUG_KMEMLEAK" },
		{ "/sys/kernel/debug/provoke-crash", "LKDTM" },
		{ "/sys/kernel/debug/kcsan", "KCSAN" },
		{ "/sys/kernel/debug/debug_objects", "DEBUG_OBJECTS" },
		{ "/sys/kernel/debug/kcov", "KCOV" },
		{ "/sys/kernel/debug/fail_page_alloc", "FAULT_INJECTION" },
	};
	struct js *found = js_array();

	for (size_t i = 0; i < ARRAY_LEN(signs); i++) {
		if (access(signs[i].path, F_OK) == 0)
			js_append(found, js_string(signs[i].sign));
	}
	if (strstr(version, "debug") != NULL)
		js_append(found, js_string("the release is named debug"));
	js_set(facts, "debug", found);
}

static const char *add_kernel(struct js *facts, struct utsname *u)
{
	if (uname(u) < 0)
		return "";
	js_set_str(facts, "kernel", u->release);
	js_set_str(facts, "kernel_version", u->version);
	return u->release;
}

struct js *guest_facts(void)
{
	struct js *facts = js_object();
	struct utsname u;
	const char *release = add_kernel(facts, &u);

	js_set_str(facts, "arch", guest_facts_arch());
	add_line(facts, "cmdline", "/proc/cmdline");
	add_line(facts, "clocksource", CLOCKSOURCE);
	add_memory(facts);
	add_cpu(facts);
	add_mitigations(facts);
	add_debug(facts, release);
	return facts;
}
