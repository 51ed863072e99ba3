#include "analysis/rcbd.h"

#include <math.h>
#include <stdbool.h>

#include "analysis/dist.h"
#include "analysis/sample.h"
#include "runner/base/alloc.h"

// Complete blocks, row by row.
struct table {
	double *y;
	size_t b, t;
};

static bool is_complete(const double *row, size_t t)
{
	for (size_t j = 0; j < t; j++)
		if (!isfinite(row[j]))
			return false;
	return true;
}

static double *complete_rows(const double *y, struct table *k)
{
	double *out = xcalloc(k->b * k->t + 1, sizeof *out);
	size_t n = 0;

	for (size_t i = 0; i < k->b; i++) {
		if (!is_complete(y + i * k->t, k->t))
			continue;
		for (size_t j = 0; j < k->t; j++)
			out[n * k->t + j] = y[i * k->t + j];
		n++;
	}
	k->b = n;
	return out;
}

static double row_mean(const struct table *k, size_t i)
{
	double sum = 0;

	for (size_t j = 0; j < k->t; j++)
		sum += k->y[i * k->t + j];
	return sum / (double)k->t;
}

static double column_mean(const struct table *k, size_t j)
{
	double sum = 0;

	for (size_t i = 0; i < k->b; i++)
		sum += k->y[i * k->t + j];
	return sum / (double)k->b;
}

static double square(double x)
{
	return x * x;
}

// Sums of squares from centred means and residuals, which keep their digits
// where differences of raw sums lose them.
static void set_sums(struct rcbd *r, const struct table *k, const double *col)
{
	for (size_t j = 0; j < k->t; j++)
		r->ss_treat += (double)k->b * square(col[j] - r->grand);
	for (size_t i = 0; i < k->b; i++) {
		double row = row_mean(k, i);

		r->ss_block += (double)k->t * square(row - r->grand);
		for (size_t j = 0; j < k->t; j++)
			r->ss_error += square(k->y[i * k->t + j] - row -
					      col[j] + r->grand);
	}
}

static void set_tests(struct rcbd *r, double b, double t)
{
	double ms_block = r->ss_block / r->df_block;

	r->f = r->f_block = r->p = r->p_block = r->rel_eff = NAN;
	r->ms_error = r->df_error > 0 ? r->ss_error / r->df_error : NO_FIGURE;
	if (!(r->ms_error > 0))
		return;
	r->f = r->ss_treat / r->df_treat / r->ms_error;
	r->p = dist_f_upper(r->f, r->df_treat, r->df_error);
	r->f_block = ms_block / r->ms_error;
	r->p_block = dist_f_upper(r->f_block, r->df_block, r->df_error);
	r->rel_eff = (r->df_block * ms_block + b * (t - 1) * r->ms_error) /
		     ((b * t - 1) * r->ms_error);
}

struct rcbd rcbd(const double *y, size_t blocks, size_t treatments,
		 double *treat_means)
{
	CLEANUP(cleanup_free) double *rows = NULL;
	CLEANUP(cleanup_free) double *col = NULL;
	struct table k = { .b = blocks, .t = treatments };
	struct rcbd r = { .grand = 0 };

	k.y = rows = complete_rows(y, &k);
	col = xcalloc(k.t + 1, sizeof *col);
	r.blocks = k.b;
	r.dropped = blocks - k.b;
	for (size_t j = 0; j < k.t; j++) {
		col[j] = column_mean(&k, j);
		r.grand += col[j] / (double)k.t;
		if (treat_means != NULL)
			treat_means[j] = col[j];
	}
	r.df_block = (double)k.b - 1;
	r.df_treat = (double)k.t - 1;
	r.df_error = r.df_block * r.df_treat;
	if (k.b < 2 || k.t < 2)
		r.df_error = 0;
	set_sums(&r, &k, col);
	set_tests(&r, (double)k.b, (double)k.t);
	return r;
}
