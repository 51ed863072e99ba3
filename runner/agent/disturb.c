#include "runner/agent/disturb.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/base/fd.h"

static bool add_count(const char *cpu, const char *name, uint64_t *sum)
{
	CLEANUP(cleanup_free)
	char *path = xasprintf("%s/thermal_throttle/%s", cpu, name);
	unsigned long long n;
	char text[32];

	if (file_read_line(path, text, sizeof(text)) < 0 ||
	    sscanf(text, "%llu", &n) != 1)
		return false;
	*sum += n;
	return true;
}

// A package's count shows at each of its CPUs: the sum tells growth, not a
// number of events.
static bool add_cpu(const char *dir, const char *name, uint64_t *sum)
{
	CLEANUP(cleanup_free) char *cpu = xasprintf("%s/%s", dir, name);
	bool core, package;

	if (strncmp(name, "cpu", 3) != 0 || !isdigit((unsigned char)name[3]))
		return false;
	core = add_count(cpu, "core_throttle_count", sum);
	package = add_count(cpu, "package_throttle_count", sum);
	return core || package;
}

bool disturb_throttles(const char *root, uint64_t *out)
{
	CLEANUP(cleanup_free)
	char *dir = xasprintf("%s/sys/devices/system/cpu", root);
	DIR *d = opendir(dir);
	const struct dirent *ent;
	bool counted = false;
	uint64_t sum = 0;

	while (d != NULL && (ent = readdir(d)) != NULL)
		counted = add_cpu(dir, ent->d_name, &sum) || counted;
	if (d != NULL)
		closedir(d);
	if (counted)
		*out = sum;
	return counted;
}

void disturb_take(struct disturb *now)
{
	*now = (struct disturb){
		.asleep_ns = clock_apart_ns(clock_boot_ns, clock_mono_ns),
		.set_ns = clock_apart_ns(clock_wall_ns, clock_boot_ns),
	};
	if (!disturb_throttles("", &now->throttles))
		now->throttles = 0;
}

// The same words in every trial, so that a report can count them.
void disturb_note(const struct disturb *before, const struct disturb *after,
		  struct arena *a, struct result *r)
{
	if (after->asleep_ns - before->asleep_ns > DISTURB_APART_MS * NS_PER_MS)
		result_note(a, r,
			    "the host was suspended in the trial: figures "
			    "across that are not comparable");
	if (after->throttles > before->throttles)
		result_note(a, r,
			    "CPUs of the host were throttled for heat in the "
			    "trial");
	if (llabs(after->set_ns - before->set_ns) >
	    DISTURB_APART_MS * NS_PER_MS)
		result_note(a, r,
			    "the clock of the host was set in the trial: what "
			    "is timed by the time of day is wrong there");
}
