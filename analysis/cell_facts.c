#include "analysis/cell_facts.h"

#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"

static const struct source {
	const char *section, *key; // NULL: any section that has the key
	struct cell_fact_words words;
} sources[CELL_FACTS] = {
	[CELL_FACT_QEMU] = { "qemu",
			     "version",
			     { "QEMU", "QEMU versions", "qemu" } },
	[CELL_FACT_ACCEL] = { "qemu",
			      "accel",
			      { "accelerator", "accelerators", "accel" } },
	[CELL_FACT_KERNEL] = { "guest",
			       "kernel",
			       { "kernel", "kernels", "image" } },
	[CELL_FACT_ENGINE] = { NULL,
			       "engine",
			       { "engine", "engines", "engine" } },
};

// What a set holds. Written byte by byte: it has no padding.
struct entry {
	uint32_t cell, fact, value;
};

const struct cell_fact_words *cell_fact_words(enum cell_fact fact)
{
	return &sources[fact].words;
}

void cell_facts_init(struct cell_facts *f)
{
	intern_init(&f->values);
	intern_init(&f->sets);
}

void cell_facts_deinit(struct cell_facts *f)
{
	for (size_t i = 0; i < f->last_cap; i++)
		js_unref(f->last[i]);
	free(f->last);
	intern_deinit(&f->values);
	intern_deinit(&f->sets);
}

static void add_value(struct cell_facts *f, uint32_t cell, uint32_t fact,
		      const char *text)
{
	struct entry entry = { cell, fact, INTERN_NONE };

	if (text == NULL)
		return;
	entry.value = intern_find(&f->values, text, strlen(text));
	if (entry.value == INTERN_NONE) {
		if (f->values.n == CELL_FACTS_VALUES_MAX)
			return;
		entry.value = intern_id(&f->values, text, strlen(text));
	}
	intern_id(&f->sets, (const char *)&entry, sizeof entry);
}

static void add_any(struct cell_facts *f, uint32_t cell, uint32_t fact,
		    const struct js *facts)
{
	const char *key;
	struct js *section;

	JS_FOREACH (facts, key, section) {
		(void)key;
		add_value(f, cell, fact,
			  js_get_str(section, sources[fact].key, NULL));
	}
}

// Trials of a cell mostly share their facts, tree and all.
static bool is_noted(struct cell_facts *f, uint32_t cell, struct js *facts)
{
	f->last =
		xgrow(f->last, &f->last_cap, (size_t)cell + 1, sizeof *f->last);
	if (f->last[cell] == facts)
		return true;
	js_unref(f->last[cell]);
	f->last[cell] = js_ref(facts);
	return false;
}

void cell_facts_add(struct cell_facts *f, uint32_t cell, struct js *facts)
{
	if (facts == NULL || is_noted(f, cell, facts))
		return;
	for (uint32_t i = 0; i < CELL_FACTS; i++) {
		const struct source *s = &sources[i];

		if (s->section == NULL)
			add_any(f, cell, i, facts);
		else
			add_value(f, cell, i,
				  js_get_str(js_get(facts, s->section), s->key,
					     NULL));
	}
}

static bool has(const struct cell_facts *f, struct entry entry)
{
	return intern_find(&f->sets, (const char *)&entry, sizeof entry) !=
	       INTERN_NONE;
}

bool cell_facts_differ(const struct cell_facts *f, enum cell_fact fact,
		       uint32_t a, uint32_t b)
{
	size_t in_a = 0, in_b = 0, in_both = 0;

	for (uint32_t v = 0; v < f->values.n; v++) {
		bool is_a = has(f, (struct entry){ a, fact, v });
		bool is_b = has(f, (struct entry){ b, fact, v });

		in_a += is_a;
		in_b += is_b;
		in_both += is_a && is_b;
	}
	return in_a > 0 && in_b > 0 && (in_both < in_a || in_both < in_b);
}

void cell_facts_text(const struct cell_facts *f, enum cell_fact fact,
		     uint32_t cell, struct buf *out)
{
	size_t said = 0;

	for (uint32_t v = 0; v < f->values.n; v++) {
		if (!has(f, (struct entry){ cell, fact, v }))
			continue;
		buf_puts(out, said++ > 0 ? " or " : "");
		buf_puts(out, intern_name(&f->values, v));
	}
}
