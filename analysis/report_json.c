// The report for programs. The fields are a contract (REPORT_VERSION):
// documented in results/README.md. NaN is null.
#include "analysis/report_parts.h"

#include <math.h>

#include "analysis/words.h"
#include "runner/base/clock.h"

static struct js *levels_js(const struct level *levels, size_t n)
{
	struct js *j = js_object();

	for (size_t i = 0; i < n; i++)
		js_set_str(j, levels[i].factor, levels[i].text);
	return j;
}

static void set_sentence(struct js *j, const char *key, const struct report *r,
			 void (*say)(const struct report *r, struct buf *out))
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	say(r, &text);
	js_set_str(j, key, buf_str(&text));
}

static void set_describe(struct js *j, const struct describe *d)
{
	js_set_real(j, "sd", d->sd);
	js_set_real(j, "cv", d->cv);
	js_set_real(j, "min", d->min);
	js_set_real(j, "q1", d->q1);
	js_set_real(j, "q3", d->q3);
	js_set_real(j, "max", d->max);
	js_set_real(j, "mad", d->mad);
	js_set_real(j, "lag1", d->lag1);
}

// `conf` is the level of all its intervals.
static void set_figures(struct js *j, const struct analysis_cell *c,
			double conf)
{
	struct interval_cv cv =
		interval_cv_of(c->d.n, c->d.mean, c->d.sd, conf);

	js_set_int(j, "n", (int64_t)c->n);
	js_set_int(j, "failed", (int64_t)c->failed);
	js_set_int(j, "invalid", (int64_t)c->invalid);
	js_set_int(j, "units", (int64_t)c->units);
	js_set_real(j, "mean", c->d.mean);
	js_set_real(j, "lo", c->mean.lo);
	js_set_real(j, "hi", c->mean.hi);
	js_set_real(j, "median", c->d.median);
	js_set_real(j, "median_lo", c->median.lo);
	js_set_real(j, "median_hi", c->median.hi);
	set_describe(j, &c->d);
	// Several hosts have no common interval.
	js_set_real(j, "cv_lo", isfinite(c->mean.lo) ? cv.lo : NO_FIGURE);
	js_set_real(j, "cv_hi", isfinite(c->mean.lo) ? cv.hi : NO_FIGURE);
	js_set_bool(j, "autocorrelated", c->autocorrelated);
}

static struct js *cell_hosts_js(const struct report *r, size_t cell)
{
	size_t nhosts = r->ds->hosts.n;
	struct js *arr = js_array();

	for (size_t h = 0; h < nhosts; h++) {
		const struct analysis_cell *c =
			&r->an->host_cells[cell * nhosts + h];
		struct js *j = js_object();

		js_set_str(j, "host", intern_name(&r->ds->hosts, c->host));
		set_figures(j, c, 1 - r->an->alpha);
		js_append(arr, j);
	}
	return arr;
}

static void set_stamp(struct js *j, const char *key, int64_t wall_ns)
{
	char text[CLOCK_STAMP_MAX];

	if (wall_ns == 0)
		return;
	clock_format_utc(wall_ns, text);
	js_set_str(j, key, text);
}

static struct js *cells_js(const struct report *r)
{
	const struct dataset *ds = r->ds;
	struct js *arr = js_array();

	for (size_t i = 0; i < r->an->ncells; i++) {
		const struct analysis_cell *c = &r->an->cells[i];
		const struct dataset_cell *dc = &ds->cells[c->cell];
		struct js *j = js_object();

		js_set_str(j, "cell", dc->label);
		js_set(j, "levels", levels_js(dc->levels, dc->nlevels));
		js_set_str(j, "metric", ds->metrics[c->metric].name);
		js_set_str(j, "unit", ds->metrics[c->metric].unit);
		js_set_str(j, "better",
			   better_name(ds->metrics[c->metric].better));
		set_stamp(j, "first", dc->first_ns);
		set_stamp(j, "last", dc->last_ns);
		set_figures(j, c, 1 - r->an->alpha);
		if (r->an->nhost_cells > 0)
			js_set(j, "hosts", cell_hosts_js(r, i));
		js_append(arr, j);
	}
	return arr;
}

static void set_effect(struct js *j, const struct effect *e)
{
	js_set_real(j, "ratio_pct", e->pct);
	js_set_real(j, "lo_pct", e->lo_pct);
	js_set_real(j, "hi_pct", e->hi_pct);
	js_set_real(j, "log_ratio", e->log_ratio);
	js_set_real(j, "se_log", e->se);
	js_set_real(j, "df", e->df);
	js_set_real(j, "t", e->t);
	js_set_real(j, "p_diff", e->p);
}

static struct js *hosts_js(const struct report *r,
			   const struct analysis_comparison *c)
{
	struct js *arr = js_array();

	for (size_t i = 0; i < c->nhosts; i++) {
		const struct analysis_host *h = &c->hosts[i];
		struct js *j = js_object();

		js_set_str(j, "host", intern_name(&r->ds->hosts, h->host));
		js_set_int(j, "n", (int64_t)h->n);
		js_set_int(j, "n_baseline", (int64_t)h->n_baseline);
		js_set_int(j, "dropped", (int64_t)h->dropped);
		set_effect(j, &h->effect);
		js_append(arr, j);
	}
	return arr;
}

static struct js *population_js(const struct analysis *an,
				const struct analysis_comparison *c)
{
	const struct hosts_population *p = &c->population;
	struct analysis_comparison as = *c; // for its words
	struct js *j = js_object();

	js_set_int(j, "hosts", (int64_t)p->k);
	set_effect(j, &p->effect);
	js_set_real(j, "sd_hosts", p->sd_hosts);
	js_set_real(j, "q", p->q);
	js_set_real(j, "p_q", p->p_q);
	js_set_real(j, "i2", p->i2);
	js_set_real(j, "tau2", p->tau2);
	js_set_real(j, "p_holm", c->population_p_holm);
	js_set_real(j, "p_equivalent", c->population_tost.p);
	js_set_real(j, "p_equivalent_holm", c->population_p_eq_holm);
	as.verdict = c->population_verdict;
	js_set_str(j, "verdict", words_verdict_kind(an, &as));
	js_set_str(j, "reason", verdict_reason_text(&as.verdict));
	return j;
}

static void set_unpaired(struct js *j, const struct analysis_comparison *c)
{
	js_set_real(j, "p_welch", c->welch.p);
	js_set_real(j, "t_welch", c->welch.t);
	js_set_real(j, "df_welch", c->welch.df);
	js_set_real(j, "fieller_lo_pct", c->fieller.lo_pct);
	js_set_real(j, "fieller_hi_pct", c->fieller.hi_pct);
	js_set_real(j, "hedges_g", c->hedges.g);
	js_set_real(j, "p_exact", c->p_exact);
	js_set_real(j, "p_exact_min", c->p_exact_min);
	js_set_real(j, "rel_eff", c->rel_eff);
	js_set_real(j, "hedges_lo", c->hedges.lo);
	js_set_real(j, "hedges_hi", c->hedges.hi);
}

static void set_verdict(struct js *j, const struct analysis *an,
			const struct analysis_comparison *c)
{
	js_set_real(j, "p_holm", c->p_holm);
	js_set_real(j, "p_equivalent", c->tost.p);
	js_set_real(j, "p_equivalent_holm", c->p_eq_holm);
	js_set_str(j, "verdict", words_verdict_kind(an, c));
	js_set_str(j, "reason", verdict_reason_text(&c->verdict));
	js_set_bool(j, "beyond_margin", c->verdict.beyond_margin);
	js_set_bool(j, "detectable", c->verdict.detectable);
	js_set_bool(j, "fragile", c->fragility.fragile);
	js_set_real(j, "order_auc", c->auc);
}

static void set_pair(struct js *j, const struct dataset *ds,
		     const struct analysis_comparison *c)
{
	js_set_str(j, "cell", ds->cells[c->cell].label);
	js_set_str(j, "baseline", ds->cells[c->baseline].label);
	js_set_str(j, "metric", ds->metrics[c->metric].name);
}

static struct js *comparison_js(const struct report *r,
				const struct analysis_comparison *c)
{
	struct js *j = js_object();

	set_pair(j, r->ds, c);
	js_set_str(j, "estimator",
		   c->estimator == COMPARE_BLOCKED ? "blocked" : "unblocked");
	js_set_int(j, "n", (int64_t)c->n);
	js_set_int(j, "n_baseline", (int64_t)c->n_baseline);
	js_set_int(j, "dropped", (int64_t)c->dropped);
	set_effect(j, &c->effect);
	set_unpaired(j, c);
	set_verdict(j, r->an, c);
	report_reach_js(r, c, j);
	if (c->nhosts > 1) {
		js_set(j, "hosts", hosts_js(r, c));
		js_set(j, "population", population_js(r->an, c));
	}
	return j;
}

static struct js *comparisons_js(const struct report *r)
{
	struct js *arr = js_array();

	for (size_t i = 0; i < r->an->ncomparisons; i++)
		js_append(arr, comparison_js(r, &r->an->comparisons[i]));
	return arr;
}

static struct js *secondary_js(const struct report *r)
{
	const struct dataset *ds = r->ds;
	struct js *arr = js_array();

	for (size_t i = 0; i < r->an->nsecondary; i++) {
		const struct analysis_comparison *c = &r->an->secondary[i];
		struct js *j = js_object();

		set_pair(j, ds, c);
		js_set_str(j, "better",
			   better_name(ds->metrics[c->metric].better));
		js_set_int(j, "n", (int64_t)c->n);
		js_set_int(j, "n_baseline", (int64_t)c->n_baseline);
		set_effect(j, &c->effect);
		js_set_real(j, "q", c->q);
		js_append(arr, j);
	}
	return arr;
}

static struct js *warnings_js(const struct report *r)
{
	struct js *arr = js_array();

	for (size_t i = 0; i < r->an->nwarnings; i++)
		js_append(arr, js_string(r->an->warnings[i]));
	for (size_t i = 0; i < r->nnotes; i++)
		js_append(arr, js_string(r->notes[i]));
	return arr;
}

static struct js *checks_js(const struct dataset *ds)
{
	struct js *arr = js_array();

	for (size_t i = 0; i < ds->nchecks; i++) {
		struct js *j = js_object();

		js_set_str(j, "parameter", ds->checks[i].parameter);
		for (size_t s = 0; s < ARRAY_LEN(ds->checks[i].count); s++)
			js_set_int(j, check_status_name((enum check_status)s),
				   (int64_t)ds->checks[i].count[s]);
		js_append(arr, j);
	}
	return arr;
}

static struct js *failures_js(const struct dataset *ds)
{
	struct js *arr = js_array();
	char name[16];

	for (size_t i = 0; i < ds->nfailures; i++) {
		const struct dataset_failure *f = &ds->failures[i];
		struct js *j = js_object();

		js_set_int(j, "trial", f->trial);
		js_set_int(j, "attempt", f->attempt);
		js_set_str(j, "cell", ds->cells[f->cell].label);
		js_set_str(j, "host", intern_name(&ds->hosts, f->host));
		js_set_str(j, "block", dataset_block_name(ds, f->block, name));
		js_set_str(j, "outcome", outcome_name(f->outcome));
		js_set_bool(j, "retried", f->retried);
		js_set_str(j, "reason", f->reason);
		js_set_str(j, "stage", f->stage);
		js_append(arr, j);
	}
	return arr;
}

static struct js *counts_js(const struct report *r)
{
	const struct dataset *ds = r->ds;
	struct js *j = js_object();

	if (r->planned > 0)
		js_set_int(j, "planned", (int64_t)r->planned);
	for (size_t o = 0; o < ARRAY_LEN(ds->count); o++)
		js_set_int(j, outcome_name((enum outcome)o),
			   (int64_t)ds->count[o]);
	js_set_int(j, "retried", (int64_t)ds->nretried);
	js_set_int(j, "warmup", (int64_t)ds->nwarmup);
	return j;
}

static struct js *design_js(const struct report *r)
{
	struct js *j = js_object();

	js_set_str(j, "plan", r->plan_id);
	js_set_str(j, "order", r->order);
	if (r->has_seed)
		js_set_int(j, "seed", (int64_t)r->seed);
	js_set_str(j, "rng", r->rng);
	js_set_real(j, "alpha", r->an->alpha);
	js_set_real(j, "margin", r->an->margin);
	js_set(j, "baseline", levels_js(r->an->baseline, r->an->nbaseline));
	js_set_int(j, "family", (int64_t)r->an->family);
	set_sentence(j, "methods", r, report_methods);
	return j;
}

struct js *report_to_js(const struct report *r)
{
	struct js *j = js_object();

	js_set_int(j, "version", REPORT_VERSION);
	js_set_str(j, "name", r->name);
	set_sentence(j, "question", r, report_question);
	set_sentence(j, "answer", r, report_answer);
	js_set(j, "cells", cells_js(r));
	js_set(j, "comparisons", comparisons_js(r));
	js_set(j, "secondary", secondary_js(r));
	js_set(j, "warnings", warnings_js(r));
	js_set(j, "environment",
	       r->environment != NULL ? js_copy(r->environment) : js_object());
	js_set(j, "design", design_js(r));
	js_set(j, "trials", counts_js(r));
	js_set(j, "checks", checks_js(r->ds));
	js_set(j, "failures", failures_js(r->ds));
	js_set_str(j, "source", r->source);
	js_set_str(j, "started", r->started);
	js_set_str(j, "finished", r->finished);
	js_set_str(j, "stopped", r->stopped);
	js_set_bool(j, "interim", r->an->interim);
	if (r->aa)
		js_set(j, "aa", report_noise_js(r));
	if (r->stopping != NULL)
		js_set(j, "stopping", report_stopping_js(r));
	return j;
}

void report_write_json(const struct report *r, struct buf *out)
{
	CLEANUP(js_unrefp) struct js *j = report_to_js(r);

	js_print_pretty(j, out);
}
