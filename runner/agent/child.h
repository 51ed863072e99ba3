// A process that the agent started: its own process group, killed by the
// kernel when the agent dies, always reaped. Its standard output and error go
// to a log.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "runner/base/buf.h"
#include "runner/base/err.h"

enum {
	CHILD_TERM_MS = 500,   // from SIGTERM to SIGKILL
	CHILD_LOG_TAIL = 1500, // bytes of the log's end that are quoted
};

struct child {
	pid_t pid;	  // 0: none; also its process group
	int pidfd;	  // readable once it has ended; -1: none
	const char *name; // "QEMU"; borrowed
	char *log;	  // path; owned
	bool ended;
	int status; // as of waitpid, once ended
};

#define CHILD_INIT          \
	{                   \
		.pidfd = -1 \
	}

struct child_spec {
	const char *name;
	char *const *argv; // argv[0] is looked up in PATH; with env a path
	const char *log;   // created or truncated
	char *const *env;  // its environment; NULL: the agent's
	int in_fd;	   // its standard input; 0: /dev/null
	int keep_fd;	   // stays open in the child under this number; or -1
	// The longest file it may write, its log included; 0: no limit. One
	// that writes more is killed by SIGXFSZ.
	uint64_t file_max;
};

// Must be called by the thread that lives as long as the agent: the kernel
// ties the child's life to it. Says so when the program cannot be executed.
int child_start(struct child *c, const struct child_spec *spec,
		struct err *e) MUST_CHECK;

bool child_running(const struct child *c);

// Reaps it if it has ended; true if it has.
bool child_has_ended(struct child *c);

// Ends it (SIGTERM, after CHILD_TERM_MS SIGKILL to its group), reaps it, and
// forgets it. Nothing when there is none.
void child_stop(struct child *c);

// "QEMU was killed by signal 9 (Killed)", "QEMU exited with status 1", then
// ": " and the end of its log if it is not empty.
void child_describe_end(const struct child *c, struct buf *out);

// The end of a text file for a one-line message: lines joined by " | ",
// other control characters dropped. Nothing when it is empty or not there.
void log_tail(const char *path, size_t bytes, struct buf *out);
