// Whether this host can do what a plan needs, found out before anything runs.
// needs: {accels: [text], backings: [text], qemus: [text], images: [text],
//   memory: bytes of the largest VM, cpus: of the largest VM,
//   pages: {"2M": count, "1G": count}, workloads: [{kind, engine, device,
//   size, native: it runs without a VM}],
//   hosts: [{setting: value}] of the cells, each combination once};
//   all may be missing.
// Each check is one row of a table and gives one finding or more: what was
// found, its level, and how to mend it. The controller judges: it may raise
// or lower levels.
#pragma once

#include <stdbool.h>

#include "runner/agent/cpulist.h"
#include "runner/agent/host.h"
#include "runner/base/checks.h"
#include "runner/proto/message.h"

enum {
	PREFLIGHT_LINE = 4096, // bytes of a line that is read
};

enum preflight_level {
	PREFLIGHT_OK,
	PREFLIGHT_WARN,
	PREFLIGHT_REFUSE,
};

struct preflight {
	const char *root; // "" but in tests: prefix of /proc, /sys, /boot
	const struct js *needs;
	struct host *host; // NULL in tests of checks that only read files
	const struct preflight_check *now;
	void (*found)(void *arg, const char *check, enum preflight_level level,
		      const char *what, const char *fix); // fix may be NULL
	void *arg;
};

struct preflight_check {
	enum check_id check;
	enum preflight_level level; // of a problem that it finds
	void (*run)(struct preflight *p);
};

// Checks that read files below root only; ended by a NULL run.
extern const struct preflight_check preflight_machine[];

// Runs the rows of such a table in order.
void preflight_run(struct preflight *p, const struct preflight_check *checks);

// For the checks: reports `what` as a problem at the level of the row, or as
// being well.
void preflight_problem(struct preflight *p, const char *fix, const char *fmt,
		       ...) PRINTF(3, 4);
void preflight_ok(struct preflight *p, const char *fmt, ...) PRINTF(2, 3);

// The first line of a file below root; false when it is not there.
bool preflight_line(const struct preflight *p, const char *path,
		    char out[PREFLIGHT_LINE]);
// The CPUs that are online.
void preflight_cpus(const struct preflight *p, struct cpulist *out);

// Whether needs.<list> holds the text.
bool preflight_needs_text(const struct preflight *p, const char *list,
			  const char *text);
// Whether any cell of the plan runs in a VM.
bool preflight_needs_vm(const struct preflight *p);

// What a kernel configuration enables that slows everything down, as
// "PROVE_LOCKING, KASAN"; empty when nothing. Pure.
void preflight_debug_options(const char *config, struct buf *out);

// Whether the host's kernel, the guest images' kernels are debug kernels.
void preflight_host_debug(struct preflight *p);
void preflight_guest_debug(struct preflight *p);

// How even the host's CPUs are, and its clock.
void preflight_governor(struct preflight *p);
void preflight_turbo(struct preflight *p);
void preflight_smt(struct preflight *p);
void preflight_hybrid(struct preflight *p);
void preflight_throttling(struct preflight *p);
void preflight_clock(struct preflight *p);

// Whether there is room for the files of block workloads on this host.
void preflight_disk(struct preflight *p);

// Serves a `preflight` request: sends the findings. Huge pages that were got
// are held until the agent ends.
void preflight_serve(struct host *h, const struct message *request);
