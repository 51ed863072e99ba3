// Which program runs for a QEMU that the matrix or the inventory names: the
// host's own or, where it has none of that path, the controller's, which was
// copied there beside the agent.
#pragma once

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "runner/agent/watch.h"

enum {
	QEMU_PROGRAM_SAYS_S = 30,
	QEMU_PROGRAM_HEX = 64, // of SHA-256
	QEMU_PROGRAM_LINE_MAX = 256,
	QEMU_PROGRAM_SUMS = 8,
};

// Sums of files that an agent has seen, the newest over the oldest.
struct qemu_sums {
	struct qemu_sum {
		struct stat st;
		char sha256[QEMU_PROGRAM_HEX + 1]; // "": free
	} of[QEMU_PROGRAM_SUMS];
	size_t next;
};

struct qemu_program {
	char *run;    // what is executed: a path, or a name of PATH; owned
	char *file;   // that file, without links; owned; NULL: not found
	bool copied;  // it is the controller's
	bool nowhere; // neither side has it
	char sha256[QEMU_PROGRAM_HEX + 1]; // of the file; "" not known
	dev_t device;			   // and the inode: the file itself
	ino_t inode;
};

// `given` is what was named; "": qemu-system-x86_64 of PATH.
void qemu_program_find(const char *given, struct qemu_program *out);
// Fills in sha256, with sha256sum(1), once for each file in `sums`; where that
// cannot be run it stays "". `dir` is for its output. Faults only when the
// agent is to stop.
int qemu_program_hash(struct qemu_program *p, struct qemu_sums *sums,
		      struct watch *w, const char *dir,
		      struct fault *f) MUST_CHECK;
// The sum that a copy must have; "" when it is none.
void qemu_program_due(const struct qemu_program *p,
		      char out[QEMU_PROGRAM_HEX + 1]);
// Whether it is what the process executes.
bool qemu_program_is_run_by(const struct qemu_program *p, pid_t pid);
void qemu_program_deinit(struct qemu_program *p); // for CLEANUP, too

// The first line that a program prints, cut to fit. 0 or -1 with why.
int qemu_program_says(struct watch *w, const char *dir, char *const *argv,
		      char out[QEMU_PROGRAM_LINE_MAX],
		      struct fault *f) MUST_CHECK;
