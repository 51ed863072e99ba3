#include "analysis/levels.h"

#include <math.h>
#include <stdlib.h>

#include "runner/base/alloc.h"

struct figure {
	uint64_t boot;
	double x;
};

// Sums over hosts.
struct sums {
	double within, between; // squares
	double df_within, df_between;
	double repeat; // what var_boot counts in `between`, times df_between
	double total;
};

static int by_boot(const void *a, const void *b)
{
	const struct figure *x = a, *y = b;

	return (x->boot > y->boot) - (x->boot < y->boot);
}

static struct figure *figures_of(const struct arms_index *ix, uint32_t cell,
				 size_t host, uint32_t metric, size_t *n)
{
	const size_t *start = &ix->start[cell * ix->nhosts + host];
	struct figure *out = xcalloc(start[1] - start[0] + 1, sizeof *out);

	*n = 0;
	for (size_t i = start[0]; i < start[1]; i++) {
		const struct arms_trial *t = &ix->trials[i];
		double x = ix->ds->values[metric][t->row];

		if (isfinite(x))
			out[(*n)++] = (struct figure){ t->boot, x };
	}
	qsort(out, *n, sizeof *out, by_boot);
	return out;
}

static double mean_of(const struct figure *f, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += f[i].x;
	return sum / (double)n;
}

static void add_boot(struct sums *s, const struct figure *f, size_t n,
		     double grand)
{
	double m = mean_of(f, n);

	for (size_t i = 0; i < n; i++)
		s->within += (f[i].x - m) * (f[i].x - m);
	s->between += (double)n * (m - grand) * (m - grand);
	s->df_within += (double)n - 1;
	s->df_between += 1;
}

static void add_host(struct sums *s, struct levels *l, const struct figure *f,
		     size_t n)
{
	double grand = mean_of(f, n), squares = 0;

	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && f[to].boot == f[from].boot;)
			to++;
		add_boot(s, f + from, to - from, grand);
		squares += (double)((to - from) * (to - from));
		l->boots++;
	}
	s->df_between -= 1; // the mean of the host
	s->repeat += (double)n - squares / (double)n;
	s->total += grand * (double)n;
	l->trials += n;
}

struct levels levels_of(const struct arms_index *ix, uint32_t cell,
			uint32_t metric)
{
	struct levels l = { .var_trial = NO_FIGURE, .var_boot = NO_FIGURE };
	struct sums s = { 0 };

	for (size_t h = 0; h < ix->nhosts; h++) {
		CLEANUP(cleanup_free) struct figure *f = NULL;
		size_t n;

		f = figures_of(ix, cell, h, metric, &n);
		if (n > 0)
			add_host(&s, &l, f, n);
	}
	l.mean = l.trials > 0 ? s.total / (double)l.trials : NO_FIGURE;
	if (s.df_within > 0)
		l.var_trial = s.within / s.df_within;
	if (s.df_within > 0 && s.df_between > 0)
		l.var_boot = fmax(0, (s.between - s.df_between * l.var_trial) /
					     s.repeat);
	return l;
}

double levels_repetitions(const struct levels *l, double trial, double boot)
{
	return power_repetitions((struct power_level){ trial, l->var_trial },
				 (struct power_level){ boot, l->var_boot });
}
