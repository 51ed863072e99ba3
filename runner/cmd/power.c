#include "runner/cmd/power.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/levels.h"
#include "analysis/planning.h"
#include "analysis/power.h"
#include "analysis/words.h"
#include "runner/base/alloc.h"
#include "runner/base/units.h"
#include "runner/campaign/boundaries.h"
#include "runner/campaign/results.h"
#include "runner/plan/expand.h"

#define PLAN_BOOT_S ((double)PLAN_BOOT_NS / (double)NS_PER_S)

enum {
	REPETITIONS_MAX = 100, // beyond, boots hardly differ
};

// One figure of noise, and what follows from it.
struct noise {
	const char *label;
	double sd_log;	      // of a contrast on one host
	double df;	      // it was estimated with; NaN: it was given
	struct levels levels; // of the pilot's cell; var_trial NaN: unknown
	double repetitions;   // in one boot that make the best use of time
	struct planning plan, upper;
	struct stopping_expectation stop[PLANNING_TRUTHS];
};

struct power {
	struct arena *arena;
	const struct plan *plan; // borrowed
	size_t family;
	struct planning_design design;
	struct noise *noises;
	size_t n, cap;
};

void power_free(struct power *p)
{
	if (p == NULL)
		return;
	arena_free(p->arena);
	free(p);
}

void power_freep(struct power **p)
{
	power_free(*p);
	*p = NULL;
}

static struct noise *add_noise(struct power *p, const char *label)
{
	struct noise *n =
		arena_push(p->arena, &p->noises, &p->n, &p->cap, sizeof(*n));

	n->label = label;
	return n;
}

static int from_figure(struct power *p, const char *text, struct err *e)
{
	struct noise *n;
	double cv;

	if (units_parse_ratio(text, &cv) != UNITS_OK || !(cv > 0) || cv > 10)
		return err_set(e, ERR_USAGE,
			       "--power: \"%.64s\" is neither a results "
			       "directory nor a coefficient of variation "
			       "like 2%%",
			       text);
	n = add_noise(
		p, arena_printf(p->arena, "CV of a trial %.3g %%", 100 * cv));
	n->sd_log = planning_sd_of_cv(cv);
	n->df = NO_FIGURE;
	n->levels.var_trial = n->repetitions = NO_FIGURE;
	return 0;
}

static bool is_planned(const struct plan *plan, const char *metric)
{
	for (size_t i = 0; i < plan->nmetrics; i++) {
		if (strcmp(plan->metrics[i], metric) == 0)
			return true;
	}
	return false;
}

// The longest of any cell.
static double trial_s(const struct plan *plan)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < plan->ncells; i++)
		ns = MAX(ns, expand_work_ns(plan->cells[i].workloads));
	return (double)ns / (double)NS_PER_S;
}

static void from_comparison(struct power *p, const struct results *r,
			    const struct arms_index *ix,
			    const struct analysis_comparison *c)
{
	size_t rounds = r->plan->rounds;
	size_t hosts = r->plan->share ? 1 : c->nhosts;
	CLEANUP(cleanup_free) double *d = NULL;
	CLEANUP(buf_deinit) struct buf label = BUF_INIT;
	struct moments m;
	struct noise *n;

	d = stopping_contrasts(ix, c, rounds);
	m = sample_moments((struct sample){ d, rounds });
	if (!(m.sd > 0) || p->n >= POWER_NOISES_MAX)
		return;
	words_comparison(r->an, c, &label);
	n = add_noise(p, arena_strdup(p->arena, buf_str(&label)));
	// Rounds of the pilot are means over its hosts.
	n->sd_log = m.sd * sqrt((double)MAX(hosts, (size_t)1));
	n->df = (double)m.n - 1;
	n->levels = levels_of(ix, c->cell, c->metric);
	n->repetitions =
		levels_repetitions(&n->levels, trial_s(p->plan), PLAN_BOOT_S);
}

static int from_pilot(struct power *p, const char *dir, struct err *e)
{
	CLEANUP(results_freep) struct results *r = NULL;
	CLEANUP(arms_index_deinit) struct arms_index ix = { 0 };

	if (results_load(dir, 0, &r, e) < 0 ||
	    arms_index_init(&ix, r->ds, e) < 0)
		return -1;
	for (size_t i = 0; i < r->an->ncomparisons; i++) {
		const struct analysis_comparison *c = &r->an->comparisons[i];

		if (is_planned(p->plan, r->ds->metrics[c->metric].name))
			from_comparison(p, r, &ix, c);
	}
	if (p->n > 0)
		return 0;
	return err_set(e, ERR_USAGE,
		       "--power: %s has no comparison of %s with two rounds "
		       "that differ",
		       dir, p->plan->metrics[0]);
}

static int expect(struct power *p, struct err *e)
{
	CLEANUP(boundaries_deinit) struct stopping_test b = { 0 };
	double truths[PLANNING_TRUTHS];

	if (!p->plan->has_stop)
		return 0;
	if (boundaries_rule(p->plan, &b.rule, e) < 0 ||
	    boundaries_obtain(&b, e) < 0)
		return -1;
	planning_truths(p->design.margin, truths);
	for (size_t i = 0; i < p->n; i++) {
		for (int k = 0; k < PLANNING_TRUTHS; k++) {
			struct stopping_truth t = { truths[k],
						    p->noises[i].plan.sd_log };

			p->noises[i].stop[k] =
				stopping_expect(&b, t, PLANNING_CAMPAIGNS);
		}
	}
	return 0;
}

static void plan_all(struct power *p)
{
	for (size_t i = 0; i < p->n; i++) {
		struct noise *n = &p->noises[i];
		double upper = isnan(n->df)
				       ? n->sd_log
				       : power_sd_upper(n->sd_log, n->df,
							PLANNING_UPPER_LEVEL);

		n->plan = planning_make(&p->design, n->sd_log);
		n->upper = planning_make(&p->design, upper);
	}
}

static int set_design(struct power *p, struct err *e)
{
	const struct plan *plan = p->plan;

	if (results_family(plan, &p->family, e) < 0)
		return -1;
	if (p->family == 0)
		return err_set(e, ERR_USAGE,
			       "--power: the plan compares nothing; give it a "
			       "factor");
	p->design = (struct planning_design){
		.rounds = plan->rounds,
		.hosts = plan_hosts_per_round(plan),
		.alpha = COMPARE_ALPHA / (double)p->family,
		.margin = plan->has_margin ? plan->margin : NO_FIGURE,
	};
	return 0;
}

static bool is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int power_new(const struct plan *plan, const char *from, struct power **out,
	      struct err *e)
{
	CLEANUP(power_freep) struct power *p = xcalloc(1, sizeof(*p));

	p->arena = arena_new();
	p->plan = plan;
	if (set_design(p, e) < 0)
		return -1;
	if ((is_dir(from) ? from_pilot : from_figure)(p, from, e) < 0)
		return -1;
	plan_all(p);
	if (expect(p, e) < 0)
		return -1;
	*out = TAKE_PTR(p);
	return 0;
}

// --- text ---

static void print_rounds(size_t rounds, struct buf *out)
{
	if (rounds > 0)
		buf_printf(out, " %10zu", rounds);
	else
		buf_printf(out, " %10s", "-");
}

static void print_row(const struct power *p, const char *label,
		      const struct planning *x, struct buf *out)
{
	buf_printf(out, "  %s\n%20.3g %%", label, 100 * expm1(x->sd_log));
	if (isnan(x->mde))
		buf_printf(out, " %12s", "-");
	else
		buf_printf(out, " %10.3g %%", 100 * x->mde);
	print_rounds(x->rounds_small, out);
	if (p->design.margin > 0)
		print_rounds(x->rounds_margin, out);
	buf_putc(out, '\n');
}

static void print_heads(const struct power *p, struct buf *out)
{
	CLEANUP(buf_deinit) struct buf margin = BUF_INIT;

	buf_printf(out, "%22s %12s %10s", "SD of a round", "detects",
		   "for 1 %");
	buf_printf(&margin, "for %.3g %%", 100 * p->design.margin);
	if (p->design.margin > 0)
		buf_printf(out, " %10s", buf_str(&margin));
	buf_putc(out, '\n');
}

// Kalibera & Jones 2013: what is cheap and noisy is repeated.
static void print_levels(const struct noise *n, struct buf *out)
{
	const struct levels *l = &n->levels;

	if (isnan(n->repetitions))
		return;
	buf_printf(out,
		   "  %s\n%20.3g %% in a boot, %.3g %% from boot to boot: ",
		   n->label, 100 * sqrt(l->var_trial) / l->mean,
		   100 * sqrt(l->var_boot) / l->mean);
	if (n->repetitions > REPETITIONS_MAX)
		buf_printf(out, "repeat: more than %d\n", REPETITIONS_MAX);
	else
		buf_printf(out, "repeat: %.0f\n", n->repetitions);
}

static void print_all_levels(const struct power *p, struct buf *out)
{
	size_t i = 0;

	while (i < p->n && isnan(p->noises[i].repetitions))
		i++;
	if (i == p->n)
		return;
	buf_printf(
		out,
		"\nTrials in one boot that make the best use of time (a boot "
		"takes %.3g s, a trial %.3g s)\n",
		PLAN_BOOT_S, trial_s(p->plan));
	for (i = 0; i < p->n; i++)
		print_levels(&p->noises[i], out);
}

static void print_expectations(const struct power *p, const struct noise *n,
			       struct buf *out)
{
	double truths[PLANNING_TRUTHS];

	planning_truths(p->design.margin, truths);
	buf_printf(out, "  %s\n", n->label);
	for (int k = 0; k < PLANNING_TRUTHS; k++)
		buf_printf(out, "%20.3g %% %12.1f %10.1f %% %10.1f %%\n",
			   100 * truths[k], n->stop[k].rounds,
			   100 * n->stop[k].different,
			   100 * n->stop[k].equivalent);
}

static void print_stop(const struct power *p, struct buf *out)
{
	if (!p->plan->has_stop)
		return;
	buf_printf(out,
		   "\nStopping rule, at most %u rounds; %d campaigns "
		   "simulated\n%22s %12s %12s %12s\n",
		   p->plan->rounds, PLANNING_CAMPAIGNS, "true effect",
		   "mean rounds", "different", "equivalent");
	for (size_t i = 0; i < p->n; i++)
		print_expectations(p, &p->noises[i], out);
}

void power_print(const struct power *p, struct buf *out)
{
	buf_printf(out,
		   "\nPower: what %u rounds detect at %.0f %% power, and "
		   "the rounds that it takes\n(two-sided, alpha %.3g",
		   p->plan->rounds, 100 * POWER_TARGET, COMPARE_ALPHA);
	if (p->family > 1)
		buf_printf(out, " shared by %zu comparisons", p->family);
	buf_puts(out,
		 p->plan->has_stop ? "; without a stopping rule)\n" : ")\n");
	print_heads(p, out);
	for (size_t i = 0; i < p->n; i++) {
		const struct noise *n = &p->noises[i];
		CLEANUP(buf_deinit) struct buf label = BUF_INIT;

		print_row(p, n->label, &n->plan, out);
		if (isnan(n->df))
			continue;
		buf_printf(&label,
			   "the same, if its SD (df %.0f) is at its %.0f %% "
			   "upper limit",
			   n->df, 100 * PLANNING_UPPER_LEVEL);
		print_row(p, buf_str(&label), &n->upper, out);
	}
	print_all_levels(p, out);
	print_stop(p, out);
}

// --- JSON ---

static void set_rounds(struct js *j, const char *key, size_t rounds)
{
	js_set(j, key, rounds > 0 ? js_int((int64_t)rounds) : js_null());
}

static struct js *planning_to_js(const struct planning *x)
{
	struct js *j = js_object();

	js_set_real(j, "sd_log", x->sd_log);
	js_set_real(j, "mde", x->mde);
	set_rounds(j, "rounds_1pct", x->rounds_small);
	set_rounds(j, "rounds_margin", x->rounds_margin);
	return j;
}

static struct js *stop_to_js(const struct power *p, const struct noise *n)
{
	struct js *list = js_array();
	double truths[PLANNING_TRUTHS];

	planning_truths(p->design.margin, truths);
	for (int k = 0; k < PLANNING_TRUTHS; k++) {
		struct js *j = js_object();

		js_set_real(j, "effect", truths[k]);
		js_set_real(j, "rounds", n->stop[k].rounds);
		js_set_real(j, "different", n->stop[k].different);
		js_set_real(j, "equivalent", n->stop[k].equivalent);
		js_append(list, j);
	}
	return list;
}

static struct js *levels_to_js(const struct noise *n)
{
	struct js *j = js_object();

	js_set_real(j, "cv_trial", sqrt(n->levels.var_trial) / n->levels.mean);
	js_set_real(j, "cv_boot", sqrt(n->levels.var_boot) / n->levels.mean);
	js_set_real(j, "repetitions", n->repetitions);
	return j;
}

struct js *power_to_js(const struct power *p)
{
	struct js *j = js_object(), *list = js_array();

	js_set_str(j, "plan", p->plan->id);
	js_set_int(j, "rounds", p->plan->rounds);
	js_set_int(j, "hosts", (int64_t)p->plan->nhosts);
	js_set_real(j, "alpha", COMPARE_ALPHA);
	js_set_int(j, "family", (int64_t)p->family);
	js_set_real(j, "power", POWER_TARGET);
	js_set_real(j, "margin", p->design.margin);
	for (size_t i = 0; i < p->n; i++) {
		const struct noise *n = &p->noises[i];
		struct js *one = planning_to_js(&n->plan);

		js_set_str(one, "noise", n->label);
		js_set_real(one, "df", n->df);
		if (!isnan(n->repetitions))
			js_set(one, "boot", levels_to_js(n));
		if (!isnan(n->df))
			js_set(one, "upper", planning_to_js(&n->upper));
		if (p->plan->has_stop)
			js_set(one, "stop", stop_to_js(p, n));
		js_append(list, one);
	}
	js_set(j, "noises", list);
	return j;
}
