#include "runner/record/memory.h"

#include <stdlib.h>

#include "runner/base/alloc.h"

void record_memory_init(struct record_memory *m)
{
	*m = (struct record_memory){ .arena = arena_new() };
}

static void unref_trees(struct record_memory *m)
{
	for (size_t i = 0; i < m->ntrees; i++)
		js_unref(m->trees[i]);
	m->ntrees = 0;
	m->facts = NULL;
}

void record_memory_reset(struct record_memory *m)
{
	unref_trees(m);
	arena_reset(m->arena);
}

void record_memory_deinit(struct record_memory *m)
{
	unref_trees(m);
	free(m->trees);
	arena_free(m->arena);
}

void record_memory_keep(struct record_memory *m, struct js *tree)
{
	if (tree == NULL)
		return;
	m->trees = xgrow(m->trees, &m->trees_cap, m->ntrees + 1,
			 sizeof(struct js *));
	m->trees[m->ntrees++] = tree;
}
