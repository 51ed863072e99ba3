// What the files of the comparison share; not for others.
#pragma once

#include "analysis/arms.h"
#include "analysis/compare.h"
#include "runner/base/buf.h"

enum {
	COMPARE_ALIKE_MAX = 3, // warnings of one kind, before they become one
};

struct compare_ctx {
	const struct dataset *ds;
	const struct compare_spec *spec;
	struct arms_index ix;
	double conf; // 1 - alpha
	struct analysis *an;
};

// One comparison: fills `c`, whose cell, baseline and metric are set. Holm
// and the verdict come later: they need the family.
void compare_pair(const struct compare_ctx *cx, struct analysis_comparison *c);

// What compare_pair does last with spec->interim: the effect and its tests
// become those of a look at any time.
void compare_interim(const struct compare_ctx *cx,
		     struct analysis_comparison *c);

// an->secondary, after an->comparisons.
void compare_secondary(const struct compare_ctx *cx);

// an->cells and an->host_cells.
void compare_describe_cells(const struct compare_ctx *cx);
// One of an->cells, over all hosts; of any metric. Needs cx's ds, ix and conf.
struct analysis_cell compare_describe_cell(const struct compare_ctx *cx,
					   uint32_t metric, uint32_t cell);

// an->warnings, after everything else.
void compare_warn(const struct compare_ctx *cx);
void compare_warn_cells(struct analysis *an);
// Facts that differ between the arms though no factor says so.
void compare_say_facts(const struct analysis *an,
		       const struct analysis_comparison *c, struct buf *out);
// Copies the text; over a limit it says that there are more.
void compare_push_warning(struct analysis *an, const struct buf *text);
