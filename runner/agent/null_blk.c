#include "runner/agent/null_blk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/agent/child.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"

#define CONFIGFS "/sys/kernel/config"
#define NULLB	 CONFIGFS "/nullb"
#define PREFIX	 "vrun-"

enum {
	ATTR_PATH_MAX = 160,
	VALUE_MAX = 32,
	NODE_WAIT_MS = 2000, // for devtmpfs or udev to make the node
	MIB = 1 << 20,
	MODPROBE_WAIT_MS = 30000,
	POLL_MS = 10,
};

// One attribute: its name in configfs, and where its value stands.
static const struct attr {
	const char *name;
	size_t offset;
	bool is_bool, in_mib;
} attrs[] = {
#define AT(m) offsetof(struct null_blk_settings, m)
	{ "queue_mode", AT(queue_mode), false, false },
	{ "submit_queues", AT(submit_queues), false, false },
	{ "hw_queue_depth", AT(hw_queue_depth), false, false },
	{ "irqmode", AT(irqmode), false, false },
	{ "completion_nsec", AT(completion_nsec), false, false },
	{ "size", AT(size), false, true },
	{ "blocksize", AT(blocksize), false, false },
	{ "memory_backed", AT(memory_backed), true, false },
#undef AT
};

static void attr_value(const struct attr *at, const struct null_blk_settings *s,
		       char out[VALUE_MAX])
{
	const char *p = (const char *)s + at->offset;
	long long v = at->is_bool
			      ? *(const bool *)p
			      : (long long)*(const int64_t *)(const void *)p;

	snprintf(out, VALUE_MAX, "%lld", at->in_mib ? v / MIB : v);
}

static void attr_path(const char *device, const char *attr,
		      char out[ATTR_PATH_MAX])
{
	snprintf(out, ATTR_PATH_MAX, NULLB "/%s/%s", device, attr);
}

static int attr_write(const char *device, const char *attr, const char *value,
		      struct err *e)
{
	char path[ATTR_PATH_MAX];

	attr_path(device, attr, path);
	if (file_write_value(path, value) < 0)
		return err_sys(e, ERR_HOST,
			       "null_blk: cannot set %s to %s (%s)", attr,
			       value, path);
	return 0;
}

static int attr_read(const char *device, const char *attr, char *out,
		     size_t size)
{
	char path[ATTR_PATH_MAX];

	attr_path(device, attr, path);
	return file_read_line(path, out, size);
}

static bool exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

// Runs modprobe to its end; its own words are the error.
static int modprobe(char *const argv[], const char *log, struct err *e)
{
	CLEANUP(child_stop) struct child c = CHILD_INIT;
	CLEANUP(buf_deinit) struct buf why = BUF_INIT;
	struct child_spec spec = {
		.name = "modprobe", .argv = argv, .log = log, .keep_fd = -1
	};

	if (child_start(&c, &spec, e) < 0)
		return -1;
	for (int ms = 0; !child_has_ended(&c) && ms < MODPROBE_WAIT_MS;
	     ms += POLL_MS)
		clock_sleep_ns(POLL_MS * NS_PER_MS);
	if (child_has_ended(&c) && c.status == 0)
		return 0;
	if (!child_has_ended(&c))
		return err_set(e, ERR_HOST, "modprobe did not end within %d s",
			       MODPROBE_WAIT_MS / 1000);
	child_describe_end(&c, &why);
	return err_set(e, ERR_HOST, "%s", buf_str(&why));
}

static int load_module(struct err *e)
{
	char name[] = "modprobe", module[] = "null_blk",
	     param[] = "nr_devices=0";
	char *argv[] = { name, module, param, NULL };
	char log[] = "/tmp/vrun-modprobe-XXXXXX";
	CLEANUP(fd_closep) int fd = mkostemp(log, O_CLOEXEC);
	int rc;

	if (fd < 0)
		return err_sys(e, ERR_HOST, "%s", log);
	rc = modprobe(argv, log, e);
	unlink(log);
	return rc;
}

static int need_module(struct err *e)
{
	if (!exists("/sys/module/null_blk") && load_module(e) < 0)
		return err_wrap(e, "null_blk: the module cannot be loaded; "
				   "this kernel needs CONFIG_BLK_DEV_NULL_BLK "
				   "and root, or use another device");
	if (exists(NULLB))
		return 0;
	if (mount("none", CONFIGFS, "configfs", 0, NULL) < 0 && errno != EBUSY)
		return err_sys(e, ERR_HOST,
			       "null_blk: cannot mount configfs "
			       "on " CONFIGFS);
	if (!exists(NULLB))
		return err_set(e, ERR_HOST,
			       "null_blk: " NULLB " is not there: this kernel "
			       "lacks CONFIG_CONFIGFS_FS or null_blk is older "
			       "than Linux 4.14");
	return 0;
}

static void remove_device(const char *name)
{
	char path[ATTR_PATH_MAX];
	struct err ignored;

	// Switched off or not: rmdir does the rest.
	if (attr_write(name, "power", "0", &ignored) < 0)
		errno = 0;
	snprintf(path, sizeof(path), NULLB "/%s", name);
	rmdir(path);
}

// Devices are named after the process that made them.
static void remove_stale(void)
{
	DIR *d = opendir(NULLB);
	const struct dirent *entry;

	while (d != NULL && (entry = readdir(d)) != NULL) {
		long pid = 0;

		if (strlen(entry->d_name) < NULL_BLK_NAME_MAX &&
		    sscanf(entry->d_name, PREFIX "%ld", &pid) == 1 && pid > 0 &&
		    kill((pid_t)pid, 0) < 0 && errno == ESRCH)
			remove_device(entry->d_name);
	}
	if (d != NULL)
		closedir(d);
}

// Newer kernels name the disk as the directory, older ones nullb<index>.
static bool find_disk(struct null_blk *nb)
{
	char index[VALUE_MAX], path[NULL_BLK_PATH_MAX];

	snprintf(path, sizeof(path), "/sys/block/%s", nb->name);
	if (exists(path)) {
		memcpy(nb->disk, nb->name, sizeof(nb->disk));
	} else {
		if (attr_read(nb->name, "index", index, sizeof(index)) < 0)
			return false;
		snprintf(nb->disk, sizeof(nb->disk), "nullb%.8s", index);
	}
	snprintf(nb->path, sizeof(nb->path), "/dev/%s", nb->disk);
	return exists(nb->path);
}

static int switch_on(struct null_blk *nb, struct err *e)
{
	if (attr_write(nb->name, "power", "1", e) < 0)
		return -1;
	for (int ms = 0; ms < NODE_WAIT_MS; ms += POLL_MS) {
		if (find_disk(nb))
			return 0;
		clock_sleep_ns(POLL_MS * NS_PER_MS);
	}
	return err_set(e, ERR_HOST, "null_blk: %s did not appear",
		       nb->path[0] ? nb->path : "its device node");
}

static int configure(struct null_blk *nb, const struct null_blk_settings *s,
		     struct err *e)
{
	char path[ATTR_PATH_MAX], value[VALUE_MAX];

	snprintf(path, sizeof(path), NULLB "/%s", nb->name);
	if (mkdir(path, 0755) < 0)
		return err_sys(e, ERR_HOST, "null_blk: cannot make %s", path);
	for (size_t i = 0; i < ARRAY_LEN(attrs); i++) {
		attr_value(&attrs[i], s, value);
		if (attr_write(nb->name, attrs[i].name, value, e) < 0)
			return -1;
	}
	return switch_on(nb, e);
}

int null_blk_setup(struct null_blk *nb, const struct null_blk_settings *s,
		   struct err *e)
{
	*nb = (struct null_blk){ .name = "" };
	if (s->size % MIB != 0)
		return err_set(e, ERR_USAGE,
			       "null_blk: null_size must be whole MiB");
	if (need_module(e) < 0)
		return -1;
	remove_stale();
	snprintf(nb->name, sizeof(nb->name), PREFIX "%ld", (long)getpid());
	if (configure(nb, s, e) < 0) {
		null_blk_teardown(nb);
		return -1;
	}
	return 0;
}

void null_blk_check(const struct null_blk *nb,
		    const struct null_blk_settings *s, struct workload_run *run)
{
	char name[128], path[ATTR_PATH_MAX], expected[VALUE_MAX];
	char seen[VALUE_MAX];

	for (size_t i = 0; i < ARRAY_LEN(attrs); i++) {
		struct check c = { .parameter = name,
				   .expected = expected,
				   .seen = seen,
				   .source = path };

		snprintf(name, sizeof(name), "%s.%s", run->name, attrs[i].name);
		attr_path(nb->name, attrs[i].name, path);
		attr_value(&attrs[i], s, expected);
		if (file_read_line(path, seen, sizeof(seen)) < 0) {
			snprintf(seen, sizeof(seen), "not readable");
			c.status = CHECK_UNVERIFIED;
		} else if (strcmp(seen, expected) != 0) {
			c.status = CHECK_FAILED;
		}
		workload_check(run, &c);
	}
}

void null_blk_teardown(struct null_blk *nb)
{
	if (nb->name[0] != '\0')
		remove_device(nb->name);
	nb->name[0] = '\0';
}
