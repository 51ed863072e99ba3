// What a host needs from here, as directories named after their contents:
// agent-HASH/vrun-agent, image-HASH/{vmlinuz,initrd,...} and
// qemu-HASH/{bin/qemu-system-x86_64,share/qemu/...}, in the cache directory of
// the user there. They are never changed, only made and removed whole, so that
// many campaigns may share them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/base/buf.h"
#include "runner/base/err.h"
#include "runner/base/sha256.h"

enum {
	BUNDLE_FILES_MAX = 4096,
	BUNDLE_NAME_MAX = 96,
};

#define BUNDLE_SUMS "SHA256SUMS"

struct bundle_file {
	char *path; // here; owned
	char *name; // there, below the bundle: "bin/qemu-system-x86_64"; owned
	unsigned mode;
	uint64_t bytes;
	char hash[SHA256_HEX_CHARS + 1];
	bool there; // with this hash
};

struct bundle {
	char name[BUNDLE_NAME_MAX]; // "" when there is none
	struct bundle_file *files;
	size_t n, cap;
	// Of a bundle of many files: the text of one more, BUNDLE_SUMS, by
	// which the others are checked there. NULL for one that is checked file
	// by file.
	char *sums;
	bool sums_hold; // all files are there, and as they should be
	bool seen;	// something is there under its name
};

// The agent binary at `path`.
int bundle_agent(const char *path, struct bundle *out,
		 struct err *e) MUST_CHECK;
// What the guest image in `dir` consists of; the initrd with fio only
// `with_fio` (it is large).
int bundle_image(const char *dir, bool with_fio, struct bundle *out,
		 struct err *e) MUST_CHECK;
void bundle_deinit(struct bundle *b); // for CLEANUP, too

// For those who make bundles: adds the file `path`, with its hash; takes name
// over.
int bundle_add(struct bundle *b, const char *path, char *name, unsigned mode,
	       struct err *e) MUST_CHECK;
// Names it after its contents: KIND-HASH. With `sums` it is of many files,
// which are sorted; of two with one name the first is kept.
void bundle_seal(struct bundle *b, const char *kind, bool sums);

bool bundle_is_there(const struct bundle *b);
// Some of it is there, but not all, or other than it should be. Nobody writes
// there, so that it is of no use to anybody.
bool bundle_is_damaged(const struct bundle *b);
uint64_t bundle_bytes(const struct bundle *b);
// Appends " NAME/FILE" of each file; " NAME" of one with sums.
void bundle_list(const struct bundle *b, struct buf *out);
// Takes in a line that sha256sum(1) wrote about one of them, or the word
// "damaged" in the place of the hash.
void bundle_note(struct bundle *b, const char *line);
