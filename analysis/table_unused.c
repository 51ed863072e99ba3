#include "analysis/table_unused.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "runner/base/alloc.h"
#include "runner/base/units.h"

void table_unused_init(struct table_unused *u, const struct table_map *m)
{
	for (size_t c = 0; c < m->header.n && u->n < TABLE_UNUSED_MAX; c++) {
		if (m->used[c])
			continue;
		u->columns[u->n++] = (struct table_unused_column){
			.column = c,
			.name = xstrdup(m->header.v[c]),
			.numeric = true,
		};
	}
}

void table_unused_deinit(struct table_unused *u)
{
	for (size_t i = 0; i < u->n; i++) {
		struct table_unused_column *c = &u->columns[i];

		for (size_t k = 0; k < c->cap; k++)
			free(c->of_cell[k]);
		free(c->of_cell);
		free(c->name);
		free(c->first);
		free(c->second);
	}
}

static void see_column(struct table_unused_column *c, const char *text,
		       uint32_t cell)
{
	double x;

	c->numeric &= units_parse_real(text, &x) == UNITS_OK;
	if (c->varies)
		return;
	c->of_cell = xgrow(c->of_cell, &c->cap, (size_t)cell + 1,
			   sizeof *c->of_cell);
	if (c->of_cell[cell] == NULL) {
		c->of_cell[cell] = xstrdup(text);
	} else if (strcmp(c->of_cell[cell], text) != 0) {
		c->varies = true;
		c->first = xstrdup(c->of_cell[cell]);
		c->second = xstrdup(text);
	}
}

void table_unused_see(struct table_unused *u, const struct csv_row *row,
		      uint32_t cell)
{
	for (size_t i = 0; i < u->n; i++)
		see_column(&u->columns[i],
			   row->fields[u->columns[i].column].text, cell);
}

static bool is_round_name(const char *name)
{
	static const char *const names[] = {
		"round", "block", "pass", "rep", "repetition", "iteration"
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcasecmp(name, names[i]) == 0)
			return true;
	return false;
}

void table_unused_note(const struct table_unused *u, struct strv *notes)
{
	for (size_t i = 0; i < u->n; i++) {
		const struct table_unused_column *c = &u->columns[i];

		if (!c->varies)
			continue;
		if (!c->numeric)
			strv_addf(
				notes,
				"column \"%s\" differs within a cell (\"%s\", "
				"\"%s\") and is not named: its rows are "
				"pooled; --factors or --where keeps them "
				"apart",
				c->name, c->first, c->second);
		else if (is_round_name(c->name))
			strv_addf(notes,
				  "column \"%s\" is not used: the arms are not "
				  "paired; --block %s pairs them, if equal "
				  "values ran side by side",
				  c->name, c->name);
	}
}
