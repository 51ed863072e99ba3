// A file's bytes as a YAML tree. There is a tree or a finding; the tree keeps
// within its limits and no map has a key twice.
#include <assert.h>
#include <string.h>

#include "runner/matrix/yaml.h"
#include "tests/fuzz/fuzz.h"

static void check_keys(const struct ynode *map)
{
	for (size_t i = 0; i < map->n; i++) {
		assert(map->keys[i]->kind == YNODE_SCALAR);
		assert(ynode_get(map, map->keys[i]->text) == map->values[i]);
	}
}

// Returns the number of nodes.
static size_t check_node(const struct ynode *n, unsigned depth)
{
	size_t size = 1;

	assert(depth <= YNODE_DEPTH_MAX * 2); // an alias may start deep
	assert(n->at.line > 0 && n->at.col > 0 && n->text != NULL);
	if (n->kind == YNODE_MAP)
		check_keys(n);
	for (size_t i = 0; i < n->n; i++)
		size += check_node(n->values[i], depth + 1) +
			(n->kind == YNODE_MAP);
	assert(size == n->size && size <= YNODE_NODES_MAX);
	return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct diags d = { .arena = a };
	struct err e = { 0 };
	const struct ynode *root = ynode_parse("f", data, size, &d);

	assert(root != NULL || d.n > 0);
	if (root != NULL)
		check_node(root, 0);
	if (diag_report(&d, &e) < 0)
		assert(e.kind == ERR_USAGE && e.msg[0] != '\0');
	return 0;
}
