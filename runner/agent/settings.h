// Host settings that the agent changes, and the lease that remembers how they
// were: written before the first change, restored at the end, and by the next
// agent when this one dies first. A lease of a living agent is respected.
#pragma once

#include "runner/agent/vm_spec.h"
#include "runner/base/err.h"
#include "runner/base/js.h"

enum {
	SETTINGS_LEASE_MAX = 1 << 16,	  // bytes of a lease file
	SETTINGS_SPARE_BYTES = 256 << 20, // of memory left to everything else
	SETTINGS_VALUE_MAX = 256,	  // bytes of one value
};

struct settings {
	char *root;	  // "" but in tests: prefix of /sys and /proc
	char *dir;	  // where the leases of this user's agents live
	char *lease;	  // own lease file
	struct js *saved; // {path: value before}; NULL: nothing changed
};

// Restores from leases whose agents are dead.
int settings_init(struct settings *s, const char *dir, const char *root,
		  struct err *e) MUST_CHECK;
// Frees; does not restore.
void settings_deinit(struct settings *s);

// The page size that "2M" or "1G" names; 0 for another name.
uint64_t settings_page_bytes(const char *key);
// Makes `need` huge pages available beside those in use. *got is what there
// is then; less than `need` is an outcome, not an error. Where memory is too
// short for it nothing is changed, and *got is what it could hold.
int settings_hold_pages(struct settings *s, uint64_t page_bytes, uint64_t need,
			uint64_t *got, struct err *e) MUST_CHECK;
// The huge pages that this VM's memory takes; an error when there are fewer.
int settings_hold_for(struct settings *s, const struct vm_spec *spec,
		      struct err *e) MUST_CHECK;
// {"pages": {"2M": 256}} of a `settings` request.
int settings_apply(struct settings *s, const struct js *apply,
		   struct err *e) MUST_CHECK;
// Puts back what was changed and removes the lease; nothing when nothing was.
// On failure the lease stays, for an agent that may do more.
int settings_restore(struct settings *s, struct err *e) MUST_CHECK;
