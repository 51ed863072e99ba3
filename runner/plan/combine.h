// The combinations of a matrix's levels: for each factor the index of a level.
// Pure.
#pragma once

#include "runner/matrix/matrix.h"

#define COMBINE_ANY SIZE_MAX // in place of a level: the factor has no effect

// How many there are, or SIZE_MAX when more than `max`. Factors that move
// together (`zip`) count once.
size_t combine_count(const struct matrix *m, size_t max);

// The combination after `level`, the last factor running fastest; false after
// the last one. The first has level 0 of every factor.
bool combine_next(const struct matrix *m, size_t *level);

// Whether `level` has all that `part` names; COMBINE_ANY has every level.
bool combine_has(const size_t *level, const struct matrix_partial *part);
