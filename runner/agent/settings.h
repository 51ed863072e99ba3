// Host settings that the agent changes: huge pages, and those that the matrix
// names. A lease (lease.h) remembers how they were.
#pragma once

#include "runner/agent/lease.h"
#include "runner/agent/vm_spec.h"
#include "runner/base/err.h"
#include "runner/base/js.h"
#include "runner/record/result.h"

enum {
	SETTINGS_SPARE_BYTES = 256 << 20, // of memory left to everything else
};

struct settings {
	char *root; // "" but in tests: prefix of /sys and /proc
	struct lease lease;
	bool keep_pages; // take only huge pages that are free already
	struct js *held; // {path: value} of settings_hold; NULL: none
};

// Restores from leases whose agents are dead. A lease of a former boot is only
// removed: the reboot has put everything back.
int settings_init(struct settings *s, const char *dir, const char *root,
		  struct err *e) MUST_CHECK;
// Frees; does not restore.
void settings_deinit(struct settings *s);

// The page size that "2M" or "1G" names; 0 for another name.
uint64_t settings_page_bytes(const char *key);
// Makes `need` huge pages available, unless keep_pages says otherwise, beside
// those in use. *got is what there is then; less than `need` is an outcome, not
// an error. Where memory is too short for it nothing is changed, and *got is
// what it could hold.
int settings_hold_pages(struct settings *s, uint64_t page_bytes, uint64_t need,
			uint64_t *got, struct err *e) MUST_CHECK;
// The huge pages that this VM's memory takes; an error when there are fewer.
int settings_hold_for(struct settings *s, const struct vm_spec *spec,
		      struct err *e) MUST_CHECK;
// {"pages": {"2M": 256}} of a `settings` request.
int settings_apply(struct settings *s, const struct js *apply,
		   struct err *e) MUST_CHECK;
// Makes the host as `want` says, {name or path: value} (knob.h); what an
// earlier call set and this one does not name goes back to what it was. Each
// file is read back. {} or NULL: all back.
int settings_hold(struct settings *s, const struct js *want,
		  struct err *e) MUST_CHECK;
// A treatment check for each of `want`, read back from the files.
void settings_check(const struct settings *s, const struct js *want,
		    struct arena *a, struct result *r);
// Writes what is dirty, then lets the page cache, dentries and inodes go.
int settings_drop_caches(const struct settings *s, struct err *e) MUST_CHECK;
// Puts back what was changed and removes the lease; nothing when nothing was.
// On failure the lease stays, for an agent that may do more.
int settings_restore(struct settings *s, struct err *e) MUST_CHECK;
