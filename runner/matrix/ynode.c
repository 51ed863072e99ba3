#include "runner/matrix/yaml.h"

#include <string.h>

void ynode_push(struct arena *a, struct ynode *map, struct ynode *key,
		struct ynode *value)
{
	size_t n = map->n, cap = n;

	// Both arrays grow in step: at sizes 0, 8, 16, 32... they are full.
	if (n == 0 || (n >= 8 && (n & (n - 1)) == 0)) {
		cap = n ? n * 2 : 8;
		struct ynode **keys = arena_array(a, cap, sizeof(*keys));
		struct ynode **values = arena_array(a, cap, sizeof(*values));

		if (n > 0) {
			memcpy(keys, map->keys, n * sizeof(*keys));
			memcpy(values, map->values, n * sizeof(*values));
		}
		map->keys = keys;
		map->values = values;
	}
	map->keys[n] = key;
	map->values[n] = value;
	map->n++;
}

struct ynode *ynode_get(const struct ynode *map, const char *key)
{
	if (map == NULL || map->kind != YNODE_MAP)
		return NULL;
	for (size_t i = 0; i < map->n; i++) {
		if (strcmp(map->keys[i]->text, key) == 0)
			return map->values[i];
	}
	return NULL;
}

struct ynode *ynode_scalar(struct arena *a, struct place at, const char *text)
{
	struct ynode *n = arena_alloc(a, sizeof(*n));

	*n = (struct ynode){ .kind = YNODE_SCALAR,
			     .at = at,
			     .text = arena_strdup(a, text),
			     .size = 1 };
	return n;
}

struct ynode *ynode_map(struct arena *a, struct place at)
{
	struct ynode *n = ynode_scalar(a, at, "");

	n->kind = YNODE_MAP;
	return n;
}

void ynode_set(struct arena *a, struct ynode *map, const char *key,
	       struct ynode *value)
{
	for (size_t i = 0; i < map->n; i++) {
		if (strcmp(map->keys[i]->text, key) == 0) {
			map->values[i] = value;
			return;
		}
	}
	ynode_push(a, map, ynode_scalar(a, value->at, key), value);
}

const char *ynode_kind_name(const struct ynode *n)
{
	switch (n->kind) {
	case YNODE_SCALAR:
		return n->text[0] == '\0' ? "nothing" : "text";
	case YNODE_LIST:
		return "a list";
	case YNODE_MAP:
		return "a map";
	}
	return "?";
}
