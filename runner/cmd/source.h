// What a campaign is made from: a matrix file and the overrides of the command
// line, and the plan that they give; kept in the results directory, so that
// `vrun resume` can make the same plan again.
#pragma once

#include <stdint.h>

#include "runner/base/buf.h"
#include "runner/base/err.h"
#include "runner/base/js.h"
#include "runner/base/strv.h"
#include "runner/cmd/cmd.h"
#include "runner/matrix/inventory.h"
#include "runner/matrix/matrix.h"
#include "runner/plan/plan.h"

// Rows for the table of options of a command that takes a matrix.
// clang-format off
#define SOURCE_OPTIONS                                                         \
	{ "rounds", 'r', "N", "rounds instead of design.rounds" },             \
	{ "seed", 's', "N", "seed instead of design.seed" },                   \
	{ "set", 'S', "KEY=VALUE", "override one key of the matrix; may be "   \
				   "given again" },                            \
	{ "hosts", 'H', "HOST,...",                                            \
	  "hosts, groups or SSH destinations instead of the matrix's" },       \
	{ "aa", 0, NULL, "A/A: the baseline against itself" }
// clang-format on

struct source {
	const char *file; // name of the matrix, borrowed
	struct buf text;  // its bytes
	struct strv set;  // "KEY=VALUE", in the order given
	struct strv says; // the option each was given by; "" for --set
	uint32_t seed;	  // the plan's
	bool aa;	  // the baseline against itself
	struct matrix *matrix;
	struct inventory_host *hosts; // by index in the plan, the matrix's
	struct plan *plan;
};

// From the operand and the options; draws a seed when none is given.
int source_load(const struct cmd_args *args, struct source *out,
		struct err *e) MUST_CHECK;
// From what source_options wrote and the matrix kept in `dir`. `file` is its
// path, which must live as long as the source.
int source_reload(const char *dir, const char *file, struct source *out,
		  struct err *e) MUST_CHECK;
// {"v":, "vrun":, "matrix":, "seed":, "set": [], "hosts": []}, and "aa": true,
// for options.json.
struct js *source_options(const struct source *s);
void source_deinit(struct source *s); // for CLEANUP, too
