#include "runner/plan/combine.h"

size_t combine_count(const struct matrix *m, size_t max)
{
	size_t n = 1;

	for (size_t i = 0; i < m->nfactors; i++) {
		if (m->factors[i].moves_with != i)
			continue;
		if (__builtin_mul_overflow(n, m->factors[i].ncrossed, &n) ||
		    n > max)
			return SIZE_MAX;
	}
	return n;
}

bool combine_next(const struct matrix *m, size_t *level)
{
	bool more = false;

	for (size_t i = m->nfactors; i-- > 0 && !more;) {
		if (m->factors[i].moves_with != i)
			continue;
		more = ++level[i] < m->factors[i].ncrossed;
		level[i] = more ? level[i] : 0;
	}
	for (size_t i = 0; i < m->nfactors; i++)
		level[i] = level[m->factors[i].moves_with];
	return more;
}

bool combine_has(const size_t *level, const struct matrix_partial *part)
{
	for (size_t i = 0; i < part->n; i++) {
		size_t at = level[part->refs[i].factor];

		if (at != part->refs[i].level && at != COMBINE_ANY)
			return false;
	}
	return true;
}
