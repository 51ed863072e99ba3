// The inventory, hosts.yaml: how the hosts that a matrix names are reached,
// and groups of them. A pure function of the file's bytes. It owns an arena;
// all that it points to dies with it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/base/err.h"
#include "runner/base/js.h"
#include "runner/matrix/diag.h"
#include "runner/matrix/param.h"

enum {
	INVENTORY_HOSTS_MAX = 1024,
	INVENTORY_GROUPS_MAX = 256,
	INVENTORY_MEMBERS_MAX = 1024, // of one group
	INVENTORY_TAGS_MAX = 32,      // of one host
	INVENTORY_NAME_MAX = 64,
	INVENTORY_DESTINATION_MAX = 320,
};

#define INVENTORY_FILE	"hosts.yaml"
#define INVENTORY_LOCAL "local"

struct matrix;

struct inventory_host {
	const char *name; // as records have it
	struct place at;
	const char *destination; // "": the name is one, or is the local host's
	const char *qemu;	 // for cells that name none; "": of PATH
	int64_t slots;		 // trials at once: 1
	int64_t lease_ns, connect_ns;
	const char *const *tags;
	size_t ntags;
};

// A list of hosts and groups, or whatever has all the tags.
struct inventory_group {
	const char *name;
	struct place at;
	const char **members;
	struct place *member_at;
	size_t nmembers;
	const char *const *tags;
	size_t ntags;
};

struct inventory {
	struct arena *arena;
	const char *file; // name for messages
	struct inventory_host *hosts;
	size_t nhosts;
	struct inventory_group *groups;
	size_t ngroups;
};

// THE table of what a host can say of itself: the parser, `vrun help hosts`,
// the JSON Schema and matrices/README.md read it.
struct inventory_key {
	struct param like; // type, range, default and help as a parameter's
	size_t offset;	   // in struct inventory_host
	bool (*is_right)(const char *text); // NULL: whatever the type takes
	const char *rule;		    // what is_right wants, for messages
};
extern const struct inventory_key inventory_keys[];
extern const size_t inventory_nkeys;

// On failure `e` has every error of the file, sorted by place.
int inventory_parse(const char *file, const void *data, size_t len,
		    struct inventory **out, struct err *e) MUST_CHECK;
void inventory_free(struct inventory *inv);
void inventory_freep(struct inventory **inv);

// Puts hosts in the place of the names in m->hosts: a host of the inventory, a
// group, `local`, or an SSH destination. (*out)[i] is what is known of
// m->hosts[i] and lives as long as m. `inv` NULL: there is none. Refuses two
// names of one host, and more than INVENTORY_HOSTS_MAX.
int inventory_resolve(const struct inventory *inv, struct matrix *m,
		      struct inventory_host **out, struct err *e) MUST_CHECK;

// For options.json, so that a campaign is resumed on the hosts that it began
// on: [{"name":, "destination":, "qemu":, "lease_ns":, "connect_ns":}].
struct js *inventory_to_js(const struct inventory_host *hosts, size_t n);
// As inventory_resolve, from that list.
int inventory_from_js(const struct js *list, struct matrix *m,
		      struct inventory_host **out, struct err *e) MUST_CHECK;

bool inventory_is_local(const char *name);
// [USER@]HOST[:PORT] of letters, digits and few marks, beginning with a letter
// or digit: nothing in it means anything to a shell or as an option. HOST may
// be an IPv6 address in brackets.
bool inventory_is_destination(const char *text);
