// What a host needs from here, as directories named after their contents:
// agent-HASH/vrun-agent and image-HASH/{vmlinuz,initrd,...}, in the cache
// directory of the user there. They are never changed, only made and removed
// whole, so that many campaigns may share them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/base/buf.h"
#include "runner/base/err.h"
#include "runner/base/sha256.h"

enum {
	BUNDLE_FILES_MAX = 8,
	BUNDLE_NAME_MAX = 96,
};

struct bundle_file {
	char *path;	  // here; owned
	const char *name; // there
	unsigned mode;
	uint64_t bytes;
	char hash[SHA256_HEX_CHARS + 1];
	bool there; // with this hash
};

struct bundle {
	char name[BUNDLE_NAME_MAX]; // "" when there is none
	struct bundle_file files[BUNDLE_FILES_MAX];
	size_t n;
	bool seen; // something is there under its name
};

// The agent binary at `path`.
int bundle_agent(const char *path, struct bundle *out,
		 struct err *e) MUST_CHECK;
// What the guest image in `dir` consists of; the initrd with fio only
// `with_fio` (it is large).
int bundle_image(const char *dir, bool with_fio, struct bundle *out,
		 struct err *e) MUST_CHECK;
void bundle_deinit(struct bundle *b); // for CLEANUP, too

bool bundle_is_there(const struct bundle *b);
// Some of it is there, but not all, or other than it should be. Nobody writes
// there, so that it is of no use to anybody.
bool bundle_is_damaged(const struct bundle *b);
uint64_t bundle_bytes(const struct bundle *b);
// Appends " NAME/FILE" of each file.
void bundle_list(const struct bundle *b, struct buf *out);
// Takes in a line that sha256sum(1) wrote about one of them.
void bundle_note(struct bundle *b, const char *line);
