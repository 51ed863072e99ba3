// YAML text to a tree in which every node knows its place. Anchors, aliases
// and `<<` are resolved; everything hangs on the caller's arena. Scalars stay
// text: their types are the business of whoever reads them.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "runner/base/arena.h"
#include "runner/matrix/diag.h"

enum {
	YNODE_BYTES_MAX = 1 << 20,
	YNODE_DEPTH_MAX = 32,
	YNODE_NODES_MAX = 20000, // once aliases are expanded
};

enum ynode_kind {
	YNODE_SCALAR,
	YNODE_LIST,
	YNODE_MAP
};

struct ynode {
	enum ynode_kind kind;
	struct place at;
	const char *text;      // scalar: its text, "" when left out
	struct ynode **keys;   // map: scalars, all different
	struct ynode **values; // map: values; list: elements
	size_t n;
	size_t size; // nodes in it, aliases counted in full
};

// One document. NULL when there is no tree to go on with; findings, such as
// duplicate keys, are added to `d` in either case. Aliased nodes are shared,
// so the tree must not be changed in place below its root's own values.
struct ynode *ynode_parse(const char *file, const void *data, size_t len,
			  struct diags *d);

// The value of a key, or NULL. NULL and other kinds have no keys.
struct ynode *ynode_get(const struct ynode *map, const char *key);

// A scalar, for values that come from elsewhere than a file.
struct ynode *ynode_scalar(struct arena *a, struct place at, const char *text);
struct ynode *ynode_map(struct arena *a, struct place at);

// Adds a pair whose key is new.
void ynode_push(struct arena *a, struct ynode *map, struct ynode *key,
		struct ynode *value);
// Sets or replaces a key.
void ynode_set(struct arena *a, struct ynode *map, const char *key,
	       struct ynode *value);

const char *ynode_kind_name(const struct ynode *n); // "a list", for messages
