// Functions of one and of two arms: what each case prints. Part of oracle.c.
#pragma once

#include "analysis/describe.h"
#include "analysis/interval.h"
#include "analysis/paired.h"
#include "analysis/twosample.h"
#include "tests/tools/oracle_suite.h"

static inline void put_effect(const struct test *t, const struct effect *e)
{
	PUT(t, { "log_ratio", e->log_ratio }, { "se_log", e->se },
	    { "df", e->df }, { "t", e->t }, { "p", e->p }, { "pct", e->pct },
	    { "lo_pct", e->lo_pct }, { "hi_pct", e->hi_pct });
}

static inline void run_describe(const struct test *t)
{
	struct describe d = describe(vector(t, "x"));

	PUT(t, { "n", (double)d.n }, { "n_invalid", (double)d.invalid },
	    { "mean", d.mean }, { "sd", d.sd }, { "var", d.var },
	    { "sem", d.sem }, { "cv", d.cv }, { "min", d.min }, { "q1", d.q1 },
	    { "median", d.median }, { "q3", d.q3 }, { "max", d.max },
	    { "mad", d.mad }, { "lag1", d.lag1 }, { "gmean", d.gmean },
	    { "hmean", d.hmean });
}

static inline void run_mean_ci(const struct test *t)
{
	struct interval_mean m = interval_mean(vector(t, "x"), conf(t));

	PUT(t, { "mean", m.mean }, { "lo", m.lo }, { "hi", m.hi },
	    { "half", m.half }, { "half_rel", m.half_rel }, { "df", m.df });
}

static inline void run_quantile_ci(const struct test *t)
{
	struct interval_quantile q = interval_quantile(
		vector(t, "x"), param_real(t, "p", 0.5), conf(t));

	put_bool(t, "available", q.available);
	PUT(t, { "median", q.value }, { "k_lo", (double)q.k_lo },
	    { "k_hi", (double)q.k_hi }, { "lo", q.lo }, { "hi", q.hi },
	    { "conf_exact", q.conf_exact });
}

static inline void run_cv_ci(const struct test *t)
{
	struct interval_cv c = interval_cv(vector(t, "x"), conf(t));

	PUT(t, { "cv", c.cv }, { "lo", c.lo }, { "hi", c.hi });
}

static inline void run_welch(const struct test *t)
{
	struct welch w =
		twosample_welch(vector(t, "a"), vector(t, "b"), conf(t));

	PUT(t, { "diff", w.diff }, { "se", w.se }, { "df", w.df }, { "t", w.t },
	    { "p", w.p }, { "lo", w.lo }, { "hi", w.hi });
}

static inline void run_ratio_unpaired(const struct test *t)
{
	struct effect e =
		twosample_ratio(vector(t, "a"), vector(t, "b"), conf(t));

	put_effect(t, &e);
}

static inline void run_fieller(const struct test *t)
{
	struct fieller f =
		twosample_fieller(vector(t, "a"), vector(t, "b"), conf(t));

	put_bool(t, "bounded", f.bounded);
	PUT(t, { "df", f.df }, { "pct", f.pct }, { "lo_pct", f.lo_pct },
	    { "hi_pct", f.hi_pct });
}

static inline void run_hedges(const struct test *t)
{
	struct hedges h =
		twosample_hedges(vector(t, "a"), vector(t, "b"), conf(t));

	PUT(t, { "d", h.d }, { "J", h.j }, { "g", h.g },
	    { "t_pooled", h.t_pooled }, { "lo", h.lo }, { "hi", h.hi });
}

static inline void put_paired(const struct test *t, const struct paired *p)
{
	put_effect(t, &p->effect);
	PUT(t, { "n", (double)p->rounds },
	    { "dropped_rounds", (double)p->dropped });
}

static inline void run_paired_ratio(const struct test *t)
{
	struct paired p = paired_ratio(vector(t, "a"), vector(t, "b"), conf(t));

	put_paired(t, &p);
}

static inline void run_paired_log(const struct test *t)
{
	struct paired p = paired_log(vector(t, "a"), vector(t, "b"), conf(t));

	put_paired(t, &p);
}

static inline void put_tost(const struct test *t, struct effect e)
{
	struct tost r =
		effect_tost(&e, param_real(t, "margin", NO_FIGURE), alpha(t));

	PUT(t, { "margin_log", r.margin_log }, { "t_lower", r.t_lower },
	    { "t_upper", r.t_upper }, { "p_lower", r.p_lower },
	    { "p_upper", r.p_upper }, { "p", r.p }, { "lo90_pct", r.lo_pct },
	    { "hi90_pct", r.hi_pct });
	put_bool(t, "equivalent", r.equivalent);
}

static inline void run_tost_paired(const struct test *t)
{
	put_tost(t,
		 paired_ratio(vector(t, "a"), vector(t, "b"), conf(t)).effect);
}

static inline bool is_paired(const struct test *t)
{
	return strcmp(param(t, "paired"), "true") == 0;
}

static inline void run_tost_unpaired(const struct test *t)
{
	put_tost(t, twosample_ratio(vector(t, "a"), vector(t, "b"), conf(t)));
}

// For a case that does not name its function.
static inline void run_tost(const struct test *t)
{
	if (is_paired(t))
		run_tost_paired(t);
	else
		run_tost_unpaired(t);
}
