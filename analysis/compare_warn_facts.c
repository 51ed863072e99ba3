// What the arms of a comparison differ in besides their levels.
#include "analysis/compare_parts.h"

#include <string.h>

// "engine" is the factor of "block.engine", too.
static bool is_factor(const struct level *l, const char *name)
{
	const char *dot = strrchr(l->factor, '.');

	return strcmp(dot != NULL ? dot + 1 : l->factor, name) == 0;
}

// Do the two cells have different levels of a factor of this name?
static bool is_wanted(const struct dataset_cell *a,
		      const struct dataset_cell *b, const char *name)
{
	for (size_t i = 0; i < a->nlevels; i++) {
		const char *other = dataset_level(b, a->levels[i].factor);

		if (is_factor(&a->levels[i], name) && other != NULL &&
		    strcmp(other, a->levels[i].text) != 0)
			return true;
	}
	return false;
}

static void say_fact(const struct analysis *an,
		     const struct analysis_comparison *c, enum cell_fact fact,
		     struct buf *out)
{
	const struct cell_facts *facts = &an->ds->facts;
	const struct cell_fact_words *words = cell_fact_words(fact);

	buf_printf(out, "%sthe baseline ran with %s ", out->len > 0 ? "; " : "",
		   words->name);
	cell_facts_text(facts, fact, c->baseline, out);
	buf_puts(out, ", this with ");
	cell_facts_text(facts, fact, c->cell, out);
	buf_printf(out, ": the comparison is also one of %s", words->plural);
}

void compare_say_facts(const struct analysis *an,
		       const struct analysis_comparison *c, struct buf *out)
{
	const struct dataset *ds = an->ds;

	for (int i = 0; i < CELL_FACTS; i++) {
		enum cell_fact fact = (enum cell_fact)i;

		if (cell_facts_differ(&ds->facts, fact, c->baseline, c->cell) &&
		    !is_wanted(&ds->cells[c->baseline], &ds->cells[c->cell],
			       cell_fact_words(fact)->factor))
			say_fact(an, c, fact, out);
	}
}
