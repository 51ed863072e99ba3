// What the trials of each cell ran on, as far as two arms could differ in it
// without anybody wanting it: a set of values by cell and fact.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analysis/intern.h"
#include "runner/base/buf.h"
#include "runner/base/js.h"

enum cell_fact {
	CELL_FACT_QEMU,	  // its version
	CELL_FACT_ACCEL,  // what accel: best came to
	CELL_FACT_KERNEL, // where the workload ran
	CELL_FACT_ENGINE, // of block workloads: version of fio
	CELL_FACTS,	  // how many
};

enum {
	CELL_FACTS_VALUES_MAX = 1000, // distinct ones; more are left out
};

struct cell_facts {
	struct intern values;
	struct intern sets; // bytes of (cell, fact, value)
	struct js **last;   // by cell: noted already, by reference
	size_t last_cap;
};

// How a fact is called, and which factor changes it on purpose.
struct cell_fact_words {
	const char *name, *plural, *factor;
};
const struct cell_fact_words *cell_fact_words(enum cell_fact fact);

void cell_facts_init(struct cell_facts *f);
void cell_facts_deinit(struct cell_facts *f);
// Notes the facts of one trial (struct result); NULL is none.
void cell_facts_add(struct cell_facts *f, uint32_t cell, struct js *facts);
// Both are known, and not the same.
bool cell_facts_differ(const struct cell_facts *f, enum cell_fact fact,
		       uint32_t a, uint32_t b);
// "7.2.22 or 8.0": the values of one cell.
void cell_facts_text(const struct cell_facts *f, enum cell_fact fact,
		     uint32_t cell, struct buf *out);
