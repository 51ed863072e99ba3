// p values of a family, adjusted. NaN (no test) leaves the family and stays
// NaN. `adj` has room for n and may be `p` itself. Each returns the size of
// the family, that is how many p were not NaN.
#pragma once

#include <stddef.h>

size_t multiplicity_holm(const double *p, size_t n, double *adj); // Holm 1979
// False discovery rate; for secondary metrics, labelled exploratory.
size_t multiplicity_bh(const double *p, size_t n,
		       double *adj); // Benjamini & Hochberg 1995
size_t multiplicity_bonferroni(const double *p, size_t n, double *adj);
