// Normal boundaries by recursive numerical integration.
//
// The score S_k = Z_k sqrt(t_k) has independent increments of variance
// t_k - t_{k-1}. The density of S_k among paths that have not stopped is held
// at Gauss-Legendre nodes on (-b_k, b_k), b_k = z_k sqrt(t_k).
#include <math.h>

#include <gsl/gsl_integration.h>

#include "analysis/dist.h"
#include "analysis/sequential.h"
#include "runner/base/alloc.h"

enum {
	SEQUENTIAL_NODES = 256
};

// No boundary lies beyond: P(|Z| > 12) is 4e-33.
#define SEQUENTIAL_Z_FAR 12.0

struct density {
	double node[SEQUENTIAL_NODES];
	double mass[SEQUENTIAL_NODES]; // density times weight
	size_t n;		       // 1 at the start: all mass at 0
};

struct crossing {
	const struct density *from;
	double step; // SD of the increment
	double target;
};

// P(not stopped before, and |S_k| >= b), less the target.
static double crossing_excess(double b, void *arg)
{
	const struct crossing *c = arg;
	double p = 0;

	for (size_t i = 0; i < c->from->n; i++) {
		double s = c->from->node[i];

		p += c->from->mass[i] * (dist_normal_upper((b - s) / c->step) +
					 dist_normal_upper((b + s) / c->step));
	}
	return p - c->target;
}

static double density_at(const struct density *from, double x, double step)
{
	double sum = 0;

	for (size_t i = 0; i < from->n; i++) {
		double u = (x - from->node[i]) / step;

		sum += from->mass[i] * exp(-u * u / 2);
	}
	return sum / (step * sqrt(2 * M_PI));
}

// The density after the look with boundary b.
static int density_advance(struct density *d, double b, double step)
{
	gsl_integration_glfixed_table *rule =
		gsl_integration_glfixed_table_alloc(SEQUENTIAL_NODES);
	struct density *to;
	int status = 0;

	if (rule == NULL)
		return -1;
	to = xcalloc(1, sizeof *to);
	to->n = SEQUENTIAL_NODES;
	for (size_t i = 0; i < to->n && status == 0; i++) {
		double weight;

		status = gsl_integration_glfixed_point(-b, b, i, &to->node[i],
						       &weight, rule);
		to->mass[i] = weight * density_at(d, to->node[i], step);
	}
	gsl_integration_glfixed_table_free(rule);
	*d = *to;
	free(to);
	return status == 0 ? 0 : -1;
}

// The boundary of one look on the score scale; Inf where there is nothing to
// spend, NaN when the numerics fail.
static double boundary(struct crossing *c, double root_t)
{
	double far = SEQUENTIAL_Z_FAR * root_t;

	if (!(c->target > 0) || crossing_excess(far, c) > 0)
		return HUGE_VAL;
	return dist_root(crossing_excess, c, 0, far);
}

static int ascends(const double *info, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(info[i] > (i > 0 ? info[i - 1] : 0)) || info[i] > 1)
			return 0;
	return n > 0 && n <= SEQUENTIAL_LOOKS_MAX;
}

int sequential_z_bounds(const double *info, size_t n, enum sequential_spend s,
			double alpha, double *z)
{
	CLEANUP(cleanup_free) struct density *d = xcalloc(1, sizeof *d);
	double spent = 0, before = 0;

	if (!ascends(info, n))
		return -1;
	d->n = 1;
	d->mass[0] = 1;
	for (size_t k = 0; k < n; k++) {
		double now = sequential_spent(s, alpha, info[k]);
		double root_t = sqrt(info[k]), step = sqrt(info[k] - before);
		struct crossing c = { d, step, now - spent };
		double b = boundary(&c, root_t);

		if (isnan(b))
			return -1;
		z[k] = b / root_t;
		b = fmin(b, SEQUENTIAL_Z_FAR * root_t);
		if (density_advance(d, b, step) != 0)
			return -1;
		spent = now;
		before = info[k];
	}
	return 0;
}
