// Names of hosts and groups, and what they stand for: between the files that
// read an inventory; nobody else includes it.
#pragma once

#include "runner/matrix/inventory.h"
#include "runner/matrix/read.h"

#define INVENTORY_NAME_RULE                                            \
	"must be at most 64 letters, digits, \"-\", \"_\" and \".\", " \
	"beginning with a letter or digit"

bool inventory_is_name(const char *text); // INVENTORY_NAME_RULE
void inventory_set_defaults(struct inventory_host *h, struct arena *a);
// Gives the matrix these hosts; their texts are copied to its arena.
void inventory_set_hosts(struct matrix *m, struct inventory_host *hosts,
			 size_t n);

// NULL: there is none.
const struct inventory_host *inventory_find_host(const struct inventory *inv,
						 const char *name);
const struct inventory_group *inventory_find_group(const struct inventory *inv,
						   const char *name);

// Findings: members that are neither host nor group, groups that hold
// themselves, tags that no host has.
void inventory_check_groups(struct reading *r, const struct inventory *inv);
