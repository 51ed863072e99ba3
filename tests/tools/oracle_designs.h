// Functions of designs, ranks, series, plans, histograms and the verdict: what
// each case prints. Part of oracle.c.
#pragma once

#include "analysis/bootstrap.h"
#include "analysis/diagnose.h"
#include "analysis/exact.h"
#include "analysis/hosts.h"
#include "analysis/latency.h"
#include "analysis/multiplicity.h"
#include "analysis/power.h"
#include "analysis/rcbd.h"
#include "analysis/sequential.h"
#include "analysis/serial.h"
#include "analysis/verdict.h"
#include "tests/tools/oracle_arms.h"

static inline void run_p_adjust(const struct test *t)
{
	static const struct {
		const char *field;
		size_t (*adjust)(const double *p, size_t n, double *adj);
	} methods[] = {
		{ "holm", multiplicity_holm },
		{ "bh", multiplicity_bh },
		{ "bonferroni", multiplicity_bonferroni },
	};
	struct sample p = vector(t, "p");
	double *adj = arena_array(t->suite->arena, p.n + 1, sizeof *adj);
	size_t m = 0;

	for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
		m = methods[i].adjust(p.x, p.n, adj);
		put_array(t, methods[i].field, adj, p.n);
	}
	PUT(t, { "m", (double)m });
}

static inline void run_rcbd(const struct test *t)
{
	size_t columns;
	struct sample y = matrix(t, "y", &columns);
	double *means = arena_array(t->suite->arena, columns, sizeof *means);
	struct rcbd r = rcbd(y.x, y.n / columns, columns, means);

	put_array(t, "treat_means", means, columns);
	PUT(t, { "grand", r.grand }, { "ss_block", r.ss_block },
	    { "ss_treat", r.ss_treat }, { "ss_error", r.ss_error },
	    { "df_treat", r.df_treat }, { "df_error", r.df_error },
	    { "ms_error", r.ms_error }, { "F", r.f }, { "p", r.p },
	    { "F_block", r.f_block }, { "p_block", r.p_block },
	    { "rel_eff", r.rel_eff });
}

static inline void run_hosts(const struct test *t)
{
	struct sample l = vector(t, "log_ratio"), se = vector(t, "se");
	struct effect *h = arena_array(t->suite->arena, l.n + 1, sizeof *h);
	struct hosts_population p;

	for (size_t i = 0; i < l.n; i++) {
		h[i] = effect_undefined(conf(t));
		h[i].log_ratio = l.x[i];
		h[i].se = i < se.n ? se.x[i] : NO_FIGURE;
	}
	p = hosts_population(h, l.n, conf(t));
	put_effect(t, &p.effect);
	PUT(t, { "sd_hosts", p.sd_hosts }, { "Q", p.q }, { "p_Q", p.p_q },
	    { "I2", p.i2 }, { "tau2_dl", p.tau2 });
}

static inline void run_mann_whitney(const struct test *t)
{
	struct exact_mann_whitney u =
		exact_mann_whitney(vector(t, "a"), vector(t, "b"));

	PUT(t, { "U_a", u.u_a }, { "p_exact", u.p_exact },
	    { "p_asym", u.p_asym });
}

static inline void run_signed_rank(const struct test *t)
{
	struct exact_signed_rank r = exact_signed_rank(vector(t, "d"));

	PUT(t, { "V", r.v }, { "n", (double)r.n }, { "p_exact", r.p });
}

static inline void run_sign_flip(const struct test *t)
{
	struct exact_flip f = exact_sign_flip(vector(t, "d"));

	PUT(t, { "p_exact", f.p }, { "p_min", f.p_min });
}

static inline void run_von_neumann(const struct test *t)
{
	struct serial_vn v = serial_von_neumann(vector(t, "x"));

	PUT(t, { "vn", v.vn }, { "z", v.z }, { "p_pos", v.p_pos },
	    { "lag1", v.lag1 }, { "n_eff", v.n_eff });
}

static inline void run_trend(const struct test *t)
{
	struct serial_trend r = serial_trend(vector(t, "x"));

	PUT(t, { "S", r.s }, { "var", r.var }, { "z", r.z }, { "p", r.p },
	    { "slope", r.slope }, { "slope_t", r.slope_t },
	    { "slope_p", r.slope_p }, { "drift_pct", r.drift_pct });
}

static inline void put_indices(const struct test *t, const char *field,
			       const enum diagnose_outlier *flag, size_t n,
			       enum diagnose_outlier which)
{
	double *index = arena_array(t->suite->arena, n + 1, sizeof *index);
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (flag[i] == which)
			index[k++] = (double)i;
	put_array(t, field, index, k);
}

static inline void run_outliers(const struct test *t)
{
	struct sample x = vector(t, "x");
	enum diagnose_outlier *flag =
		arena_array(t->suite->arena, x.n + 1, sizeof *flag);
	struct diagnose_outliers o = diagnose_outliers(x, flag);

	PUT(t, { "q1", o.q1 }, { "q3", o.q3 }, { "modz_max", o.modz_max });
	put_indices(t, "mild", flag, x.n, DIAGNOSE_MILD);
	put_indices(t, "severe", flag, x.n, DIAGNOSE_SEVERE);
}

static inline void run_two_cluster(const struct test *t)
{
	struct diagnose_clusters c = diagnose_clusters(
		vector(t, "x"),
		param_real(t, "min_frac", DIAGNOSE_CLUSTER_FRAC));

	PUT(t, { "r2", c.r2 }, { "split", (double)c.split },
	    { "low_mean", c.low_mean }, { "high_mean", c.high_mean });
}

static inline size_t put_flips(const struct test *t, char arm, const bool *flip,
			       struct sample s, size_t from)
{
	struct arena *a = t->suite->arena;

	for (size_t i = 0; i < s.n; i++)
		if (flip[i])
			put_text(t, "flips", arena_printf(a, "%zu", from++),
				 arena_printf(a, "%c%zu", arm, i));
	return from;
}

static inline void run_fragility(const struct test *t)
{
	struct diagnose_pair d = { vector(t, "a"), vector(t, "b"),
				   is_paired(t) };
	bool *in_a = arena_array(t->suite->arena, d.a.n + 1, sizeof *in_a);
	bool *in_b = arena_array(t->suite->arena, d.b.n + 1, sizeof *in_b);
	struct diagnose_fragility f =
		diagnose_fragility(&d, alpha(t), in_a, in_b);
	size_t n = put_flips(t, 'a', in_a, d.a, 0);

	if (put_flips(t, 'b', in_b, d.b, n) == 0)
		put_text(t, "flips", "", "(empty)");
	put_bool(t, "significant", f.significant);
	put_bool(t, "fragile", f.fragile);
}

static inline void run_order_confounding(const struct test *t)
{
	struct lines l = input(t, "order");
	bool *is_b = arena_array(t->suite->arena, l.n + 1, sizeof *is_b);
	struct diagnose_order o;

	for (size_t i = 0; i < l.n; i++)
		is_b[i] = strcmp(l.v[i].f[4], "B") == 0;
	o = diagnose_order(
		is_b, l.n,
		param_real(t, "threshold", DIAGNOSE_ORDER_THRESHOLD));
	PUT(t, { "auc", o.auc }, { "max_run", (double)o.max_run });
	put_bool(t, "confounded", o.confounded);
}

static inline struct power_goal goal(const struct test *t)
{
	return (struct power_goal){ alpha(t),
				    param_real(t, "power", POWER_TARGET) };
}

static inline double delta(const struct test *t)
{
	return param_real(t, "delta_pct", NO_FIGURE) / 100;
}

static inline double sd_log(const struct test *t)
{
	return param_real(t, "sd_log", NO_FIGURE);
}

static inline void run_power_paired(const struct test *t)
{
	size_t rounds = (size_t)param_real(t, "rounds", 0);

	PUT(t,
	    { "power", power_paired(rounds, delta(t), sd_log(t), alpha(t)) });
}

static inline void run_rounds_needed(const struct test *t)
{
	PUT(t, { "rounds",
		 (double)power_rounds_needed(delta(t), sd_log(t), goal(t)) });
}

static inline void run_trials_needed_welch(const struct test *t)
{
	double cv_a = describe(vector(t, "a")).cv;
	double cv_b = describe(vector(t, "b")).cv;
	size_t n = power_trials_needed(delta(t), cv_a, cv_b, goal(t));

	PUT(t, { "cv_a", cv_a }, { "cv_b", cv_b }, { "per_arm", (double)n });
}

static inline void run_mde_welch(const struct test *t)
{
	struct effect e =
		twosample_ratio(vector(t, "a"), vector(t, "b"), conf(t));

	PUT(t, { "mde_pct", 100 * power_mde(&e, goal(t)) });
}

static inline enum sequential_spend spending(const struct test *t)
{
	const char *name = param(t, "spend");

	if (strcmp(name, "obf") == 0)
		return SEQUENTIAL_OBF;
	return strcmp(name, "pocock") == 0 ? SEQUENTIAL_POCOCK : SEQUENTIAL_KD2;
}

static inline void run_gs_z_bounds(const struct test *t)
{
	struct sample info = param_array(t, "info");
	double *z = arena_array(t->suite->arena, info.n + 1, sizeof *z);
	double *spent = arena_array(t->suite->arena, info.n + 1, sizeof *z);

	if (sequential_z_bounds(info.x, info.n, spending(t), alpha(t), z) != 0)
		return;
	for (size_t i = 0; i < info.n; i++)
		spent[i] = sequential_spent(spending(t), alpha(t), info.x[i]);
	put_array(t, "spent", spent, info.n);
	put_array(t, "z", z, info.n);
}

static inline void run_gs_t_bounds(const struct test *t)
{
	struct sample n = param_array(t, "looks");
	size_t *looks = arena_array(t->suite->arena, n.n + 1, sizeof *looks);
	double *crit = arena_array(t->suite->arena, n.n + 1, sizeof *crit);
	struct sequential_plan p = {
		.looks = looks,
		.n = n.n,
		.n_max = (size_t)param_real(t, "n_max", 0),
		.alpha = alpha(t),
		.spend = spending(t),
		.paths = SEQUENTIAL_PATHS,
		.seed = SEQUENTIAL_SEED,
	};

	for (size_t i = 0; i < n.n; i++)
		looks[i] = (size_t)n.x[i];
	if (sequential_t_bounds(&p, crit) == 0)
		put_array(t, "crit", crit, n.n);
}

static inline void run_anytime_t(const struct test *t)
{
	struct sequential_anytime a = sequential_anytime(
		(size_t)param_real(t, "n", 0), param_real(t, "t", NO_FIGURE),
		param_real(t, "c2", 1), alpha(t));

	PUT(t, { "e_value", a.e_value }, { "p_anytime", a.p },
	    { "crit", a.crit });
}

static inline void run_hist_percentiles(const struct test *t)
{
	struct lines l = input(t, "h");
	struct sample p = param_array(t, "p");
	struct arena *a = t->suite->arena;
	struct latency_bin *bins = arena_array(a, l.n + 1, sizeof *bins);
	double *out = arena_array(a, p.n + 1, sizeof *out);

	for (size_t i = 0; i < l.n; i++)
		bins[i] = (struct latency_bin){ real(l.v[i].f[3]),
						real(l.v[i].f[4]) };
	latency_percentiles(bins, l.n, p.x, p.n, out);
	for (size_t i = 0; i < p.n; i++) {
		const char *key = arena_printf(a, "p[%zu]", i);

		put_text(t, arena_printf(a, "p%s", param(t, key)), "",
			 number(t, out[i]));
	}
}

static inline void run_fio_bucket(const struct test *t)
{
	struct sample index = vector(t, "idx");
	double *ns = arena_array(t->suite->arena, index.n + 1, sizeof *ns);

	for (size_t i = 0; i < index.n; i++)
		ns[i] = latency_fio_value((size_t)index.x[i]);
	put_array(t, "value_ns", ns, index.n);
}

static inline void put_bootstrap(const struct test *t,
				 const struct bootstrap *b)
{
	PUT(t, { "estimate", b->estimate }, { "z0", b->z0 },
	    { "accel", b->accel }, { "alpha_lo", b->alpha_lo }, { "lo", b->lo },
	    { "alpha_hi", b->alpha_hi }, { "hi", b->hi });
}

static inline size_t draws(const struct test *t)
{
	return (size_t)param_real(t, "B", BOOTSTRAP_DRAWS);
}

static inline void run_bca_mean(const struct test *t)
{
	struct bootstrap b = bootstrap_mean(vector(t, "x"), conf(t), draws(t));

	put_bootstrap(t, &b);
}

static inline void run_bca_log_ratio(const struct test *t)
{
	struct bootstrap b = bootstrap_log_ratio(vector(t, "a"), vector(t, "b"),
						 conf(t), draws(t));

	put_bootstrap(t, &b);
}

static inline struct verdict_input verdict_input(const struct test *t,
						 struct effect *e)
{
	struct sample a = vector(t, "a"), b = vector(t, "b");
	struct verdict_input in = {
		.effect = e,
		.n_a = sample_moments(a).n,
		.n_b = sample_moments(b).n,
		.alpha = alpha(t),
		.margin = param_real(t, "margin", NO_FIGURE),
	};

	if (is_paired(t)) {
		struct paired p = paired_ratio(a, b, 1 - in.alpha);

		*e = p.effect;
		in.n_a = in.n_b = p.rounds;
	} else {
		*e = twosample_ratio(a, b, 1 - in.alpha);
	}
	in.p_diff = e->p;
	in.p_eq = effect_tost(e, in.margin, in.alpha).p;
	return in;
}

static inline void run_verdict(const struct test *t)
{
	struct effect e;
	struct verdict_input in = verdict_input(t, &e);
	struct verdict v;

	if (better_from_name(param(t, "polarity"), &in.better) != 0)
		in.better = BETTER_NEITHER;
	v = verdict_decide(&in);
	PUT(t, { "pct", e.pct }, { "lo_pct", e.lo_pct }, { "hi_pct", e.hi_pct },
	    { "p_diff", in.p_diff }, { "p_tost", in.p_eq });
	put_text(t, "verdict", "", verdict_kind_name(v.kind));
	put_text(t, "reason", "", verdict_reason_name(v.reason));
	put_bool(t, "significant", v.significant);
}
