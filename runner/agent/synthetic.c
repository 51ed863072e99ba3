#include "runner/agent/synthetic.h"

#include <math.h>

#include "runner/agent/field.h"
#include "runner/base/clock.h"
#include "runner/base/rng.h"

// Each quantity has a stream of its own, so that one parameter does not shift
// the draws of another.
enum stream {
	STREAM_AR1 = 1,
	STREAM_BOOT,
	STREAM_TRIAL,
	STREAM_MODE,
	STREAM_FAIL,
	STREAM_INVALID,
};

enum {
	AR1_TERMS_MAX = 20000,
};

static const char *const betters[] = {
	[BETTER_HIGHER] = "higher",
	[BETTER_LOWER] = "lower",
	[BETTER_LOWER + 1] = NULL,
};

#define AT(m)  offsetof(struct synthetic_params, m)
#define DAY_NS (24.0 * 3600 * 1e9)

static const struct field fields[] = {
	{ "mean", FIELD_REAL, AT(mean), -1e15, 1e15, NULL },
	{ "cv", FIELD_REAL, AT(cv), 0, 10, NULL },
	{ "effect", FIELD_REAL, AT(effect), -1, 100, NULL },
	{ "drift", FIELD_REAL, AT(drift), -100, 100, NULL },
	{ "ar1", FIELD_REAL, AT(ar1), 0, 0.999, NULL },
	{ "ar1-cv", FIELD_REAL, AT(ar1_cv), 0, 10, NULL },
	{ "modes", FIELD_REAL, AT(modes), -1, 100, NULL },
	{ "mode-p", FIELD_REAL, AT(mode_p), 0, 1, NULL },
	{ "boot-cv", FIELD_REAL, AT(boot_cv), 0, 10, NULL },
	{ "fail", FIELD_REAL, AT(fail), 0, 1, NULL },
	{ "invalid", FIELD_REAL, AT(invalid), 0, 1, NULL },
	{ "unit", FIELD_TEXT, AT(unit), 0, 0, NULL },
	{ "better", FIELD_CHOICE, AT(better), 0, 0, betters },
	{ "runtime", FIELD_INT, AT(runtime_ns), 0, 7 * DAY_NS, NULL },
};

static const struct synthetic_params defaults = {
	.mean = 100,
	.cv = 0.02,
	.unit = "1",
	.better = BETTER_HIGHER,
};

int synthetic_params_decode(const struct js *w, const char *where,
			    struct arena *a, struct synthetic_params *out,
			    struct err *e)
{
	struct synthetic_params p = defaults;
	const struct field_set set = { fields, ARRAY_LEN(fields), where, a };

	if (field_decode(w, &set, &p, e) < 0)
		return -1;
	*out = p;
	return 0;
}

static struct rng stream(uint64_t seed, enum stream s, int64_t index)
{
	struct rng r;

	rng_seed(&r, seed);
	rng_seed(&r, rng_next(&r) ^ (uint64_t)s << 56 ^ (uint64_t)index);
	return r;
}

static double normal_at(uint64_t seed, enum stream s, int64_t index)
{
	struct rng r = stream(seed, s, index);

	return rng_normal(&r);
}

static double uniform_at(uint64_t seed, enum stream s, int64_t index)
{
	struct rng r = stream(seed, s, index);

	return rng_uniform(&r);
}

// x_t = phi x_{t-1} + sqrt(1 - phi^2) e_t with x_0 = e_0: variance 1 at every
// t (Box & Jenkins 1976, 3.2). Steps whose weight has died away are left out.
static double ar1_at(uint64_t seed, double phi, int64_t t)
{
	int64_t first = MAX(t - AR1_TERMS_MAX, (int64_t)0);
	double x = normal_at(seed, STREAM_AR1, first);

	for (int64_t i = first + 1; i <= t; i++)
		x = phi * x +
		    sqrt(1 - phi * phi) * normal_at(seed, STREAM_AR1, i);
	return x;
}

struct synthetic_draw synthetic_draw(const struct synthetic_params *p,
				     const struct workload_place *at)
{
	double v = p->mean * (1 + p->effect) *
		   (1 + p->drift * (double)at->seq / 100);

	v *= 1 + p->cv * normal_at(at->seed, STREAM_TRIAL, at->seq);
	v *= 1 + p->boot_cv * normal_at(at->seed, STREAM_BOOT, at->boot);
	if (p->ar1_cv > 0)
		v *= 1 + p->ar1_cv * ar1_at(at->seed, p->ar1, at->seq);
	if (uniform_at(at->seed, STREAM_MODE, at->seq) < p->mode_p)
		v *= 1 + p->modes;
	return (struct synthetic_draw){
		.value = v,
		.failed = uniform_at(at->seed, STREAM_FAIL, at->seq) < p->fail,
		.invalid = uniform_at(at->seed, STREAM_INVALID, at->seq) <
			   p->invalid,
	};
}

int synthetic_run(const struct js *w, struct workload_run *run, struct err *e)
{
	struct synthetic_params p;
	struct synthetic_draw d;

	if (synthetic_params_decode(w, run->name, run->a, &p, e) < 0)
		return -1;
	workload_stage(run, "measure");
	clock_sleep_ns(p.runtime_ns);
	d = synthetic_draw(&p, &run->place);
	if (d.failed)
		return err_set(e, ERR_HOST,
			       "%s: this trial fails, as the model's \"fail\" "
			       "drew it",
			       run->name);
	if (d.invalid) {
		struct check c = { .parameter = "synthetic.invalid",
				   .expected = "a valid treatment",
				   .seen = "an invalid one, drawn",
				   .source = "the model",
				   .status = CHECK_FAILED };
		workload_check(run, &c);
	}
	workload_metric(run, "value", d.value, p.unit, (enum better)p.better);
	return 0;
}
