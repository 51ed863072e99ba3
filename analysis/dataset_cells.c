// The cells of a dataset.
#include <string.h>

#include "analysis/dataset.h"
#include "runner/base/alloc.h"

// "factor=text, factor=text"
static void print_levels(const struct level *levels, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++)
		buf_printf(out, "%s%s=%s", i > 0 ? ", " : "", levels[i].factor,
			   levels[i].text);
	if (n == 0)
		buf_puts(out, "all");
}

// What tells cells apart. The NULs go in, so that no level can fake another.
static void print_key(const struct level *levels, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		buf_add(out, levels[i].factor, strlen(levels[i].factor) + 1);
		buf_add(out, levels[i].text, strlen(levels[i].text) + 1);
	}
}

static void push_cell(struct dataset *ds, const struct level *levels, size_t n)
{
	CLEANUP(buf_deinit) struct buf label = BUF_INIT;
	struct dataset_cell *c;
	struct level *copy;

	copy = arena_array(ds->arena, n, sizeof *copy);
	for (size_t i = 0; i < n; i++) {
		copy[i].factor = arena_strdup(ds->arena, levels[i].factor);
		copy[i].text = arena_strdup(ds->arena, levels[i].text);
	}
	print_levels(levels, n, &label);
	arena_push(ds->arena, &ds->cells, &ds->ncells, &ds->cells_cap,
		   sizeof *ds->cells);
	c = &ds->cells[ds->ncells - 1];
	c->label = arena_strdup(ds->arena, buf_str(&label));
	c->levels = copy;
	c->nlevels = n;
}

int dataset_add_cell(struct dataset *ds, const struct level *levels, size_t n,
		     uint32_t *cell, struct err *e)
{
	struct buf *key = &ds->key;
	uint32_t id;

	buf_clear(key);
	print_key(levels, n, key);
	id = intern_find(&ds->cell_keys, buf_str(key), key->len);
	if (id == INTERN_NONE) {
		if (ds->ncells == DATASET_CELLS_MAX)
			return err_set(e, ERR_USAGE,
				       "more than %d cells; is a factor a "
				       "measured figure?",
				       DATASET_CELLS_MAX);
		id = intern_id(&ds->cell_keys, buf_str(key), key->len);
		push_cell(ds, levels, n);
	}
	*cell = id;
	return 0;
}

uint32_t dataset_find_cell(const struct dataset *ds, const struct level *levels,
			   size_t n)
{
	CLEANUP(buf_deinit) struct buf key = BUF_INIT;

	print_key(levels, n, &key);
	return intern_find(&ds->cell_keys, buf_str(&key), key.len);
}

static bool has_levels(const struct dataset_cell *c, const struct level *levels,
		       size_t n)
{
	if (c->nlevels != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (strcmp(c->levels[i].factor, levels[i].factor) != 0 ||
		    strcmp(c->levels[i].text, levels[i].text) != 0)
			return false;
	return true;
}

// Levels tell; the number only says where to look first.
int dataset_cell_of(struct dataset *ds, const struct record *r, uint32_t *cell,
		    struct err *e)
{
	uint32_t *hint;

	if (r->cell >= DATASET_CELLS_MAX)
		return dataset_add_cell(ds, r->levels, r->nlevels, cell, e);
	ds->hint = xgrow(ds->hint, &ds->hint_cap, (size_t)r->cell + 1,
			 sizeof *ds->hint);
	hint = &ds->hint[r->cell];
	*cell = *hint;
	if (*hint < ds->ncells &&
	    has_levels(&ds->cells[*hint], r->levels, r->nlevels))
		return 0;
	if (dataset_add_cell(ds, r->levels, r->nlevels, cell, e) != 0)
		return -1;
	*hint = *cell;
	return 0;
}

const char *dataset_level(const struct dataset_cell *c, const char *factor)
{
	for (size_t i = 0; i < c->nlevels; i++)
		if (strcmp(c->levels[i].factor, factor) == 0)
			return c->levels[i].text;
	return NULL;
}
