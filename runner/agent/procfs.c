#include "runner/agent/procfs.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/base/buf.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"

enum {
	PROC_FILE_MAX = 1 << 20
};

static uint64_t ticks_to_ns(unsigned long long ticks)
{
	return ticks * (uint64_t)(NS_PER_S / sysconf(_SC_CLK_TCK));
}

// Fields are numbered as in proc(5); the name (2) may hold anything, blanks
// and parentheses too, so the count starts after the last ')'.
int procfs_parse_stat(const char *text, struct procfs_stat *out)
{
	const char *s = strrchr(text, ')');
	unsigned long long utime, stime, start;
	char state;
	int cpu;

	if (s == NULL ||
	    sscanf(s + 1,
		   " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu "
		   "%*d %*d %*d %*d %*d %*d %llu %*u %*d %*u %*u %*u %*u %*u "
		   "%*u %*u %*u %*u %*u %*u %*u %*u %*d %d",
		   &state, &utime, &stime, &start, &cpu) != 5)
		return -1;
	*out = (struct procfs_stat){
		.cpu_ns = ticks_to_ns(utime + stime),
		.start_ticks = start,
		.last_cpu = cpu,
		.ended = state == 'Z' || state == 'X',
	};
	return 0;
}

int procfs_stat(pid_t pid, pid_t tid, struct procfs_stat *out)
{
	char path[64], text[1024];

	if (tid == 0)
		snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	else
		snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid,
			 (int)tid);
	if (file_read_line(path, text, sizeof(text)) < 0)
		return -1;
	return procfs_parse_stat(text, out);
}

int procfs_comm(pid_t pid, pid_t tid, char out[32])
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)pid,
		 (int)tid);
	return file_read_line(path, out, 32);
}

// "Key:   123 kB" of a file of such lines.
static int read_kb(const char *path, const char *key, uint64_t *bytes)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct err e = { 0 };
	unsigned long long kb;
	size_t len = strlen(key);

	if (file_read(path, PROC_FILE_MAX, &text, ERR_HOST, &e) < 0)
		return -1;
	for (const char *s = buf_str(&text); s != NULL; s = strchr(s, '\n')) {
		s += *s == '\n';
		if (strncmp(s, key, len) != 0 || s[len] != ':')
			continue;
		if (sscanf(s + len + 1, " %llu kB", &kb) != 1)
			return -1;
		*bytes = kb << 10;
		return 0;
	}
	return -1;
}

int procfs_status_bytes(pid_t pid, const char *key, uint64_t *out)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	return read_kb(path, key, out);
}

int procfs_meminfo(const char *root, const char *key, uint64_t *bytes)
{
	CLEANUP(cleanup_free) char *path = xasprintf("%s/proc/meminfo", root);

	return read_kb(path, key, bytes);
}

int procfs_steal_ns(uint64_t *ns)
{
	char text[4096];
	unsigned long long steal;

	if (file_read_line("/proc/stat", text, sizeof(text)) < 0 ||
	    sscanf(text, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &steal) != 1)
		return -1;
	*ns = ticks_to_ns(steal);
	return 0;
}

int procfs_boot_id(char out[PROCFS_BOOT_ID_MAX])
{
	return file_read_line("/proc/sys/kernel/random/boot_id", out,
			      PROCFS_BOOT_ID_MAX);
}
