// The results directory of one campaign: its layout, its lock (one writer at
// a time) and the files that are written whole. results/README.md documents
// the format.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "runner/base/err.h"
#include "runner/base/js.h"
#include "runner/plan/plan.h"

enum {
	STORE_VERSION = 1,
	STORE_FILE_MAX = 256 << 20, // of plan.json and the like
	STORE_ID_CHARS = 8,	    // of the plan's id in the name
	STORE_ROOM_MIN_MIB = 64,    // free room to begin with
};

// Names inside the directory.
#define STORE_MATRIX	 "matrix.yaml"
#define STORE_OPTIONS	 "options.json"
#define STORE_PLAN	 "plan.json"
#define STORE_BOUNDARIES "boundaries.json" // with design.stop
#define STORE_HOSTS	 "hosts.json"
#define STORE_HOOKS	 "hooks.json" // with hooks:
#define STORE_TRIALS	 "trials.jsonl"
#define STORE_ARTIFACTS	 "artifacts"
#define STORE_FIGURES	 "figures"
#define STORE_MANIFEST	 "MANIFEST.sha256"
#define STORE_LOCK	 ".lock"

struct store {
	char *dir; // absolute
	int lock;  // open and locked while the store is
};

// Whether a campaign could be kept under `root`: if it exists a file is written
// there and removed, else rights are asked for and nothing is made.
// *free_bytes is the room there.
int store_probe(const char *root, uint64_t *free_bytes,
		struct err *e) MUST_CHECK;

// Makes <root>/<plan's name>-<UTC time>-<start of its id> and locks it.
int store_create(const char *root, const struct plan *plan, struct store **out,
		 struct err *e) MUST_CHECK;
// Locks a directory that exists. Refuses one that another writer has (says
// who) and one that is no campaign.
int store_open(const char *dir, struct store **out, struct err *e) MUST_CHECK;
// Whether `dir` is a results directory: ERR_USAGE when it holds no plan.
int store_check(const char *dir, struct err *e) MUST_CHECK;
bool store_has(const char *dir, const char *name);
void store_close(struct store *s);
void store_closep(struct store **s);

char *store_path(const struct store *s, const char *name); // caller frees
int store_write(const struct store *s, const char *name, const char *data,
		size_t len, struct err *e) MUST_CHECK;
int store_write_js(const struct store *s, const char *name, const struct js *j,
		   struct err *e) MUST_CHECK;
// Reads <dir>/<name>; NULL with an error.
struct js *store_read_js(const char *dir, const char *name,
			 struct err *e) MUST_CHECK;

struct store_attempt {
	uint32_t trial, attempt; // from 0, from 1
};

// Keeps a file that one attempt left behind in artifacts/<trial>, from the
// second attempt on in artifacts/<trial>.<attempt>. An attempt that leaves
// nothing has no directory. `name` is a good one of artifact.h.
int store_artifact(const struct store *s, struct store_attempt of,
		   const char *name, const struct buf *data,
		   struct err *e) MUST_CHECK;

// Writes MANIFEST.sha256 over every file of the finished campaign.
int store_finish(const struct store *s, struct err *e) MUST_CHECK;
