// What each parameter is in one combination of levels (plan/combine.h). Pure.
#pragma once

#include "runner/matrix/matrix.h"

struct cell_settings;

// On the arena; `m` is borrowed.
struct cell_settings *cell_settings_new(const struct matrix *m,
					struct arena *a);

// Whether the factor's level makes a difference beside those of the others.
bool cell_settings_factor_matters(const struct cell_settings *s,
				  const size_t *level,
				  const struct matrix_factor *f);

// New references, as in struct plan_cell; a parameter without effect has its
// default.
struct js *cell_settings_host(struct cell_settings *s, const size_t *level);
struct js *cell_settings_vm(struct cell_settings *s, const size_t *level);
struct js *cell_settings_workloads(struct cell_settings *s,
				   const size_t *level);
struct js *cell_settings_vars(const struct cell_settings *s,
			      const size_t *level);

// Whether the parameter had an effect in any combination asked for.
bool cell_settings_mattered(const struct cell_settings *s, size_t owner,
			    const struct param *p);
