// What must be said about single series of figures: one cell on one host.
#include "analysis/compare_parts.h"

#include "analysis/words.h"

typedef void say_cell(const struct analysis_cell *c, struct buf *out);

static void say_outliers(const struct analysis_cell *c, struct buf *out)
{
	size_t fenced = c->outliers.mild + c->outliers.severe;

	if (!diagnose_outliers_warn(&c->outliers))
		return;
	if (fenced == 0) {
		buf_printf(
			out,
			"outliers by modified z (up to %.1f, over 3.5); none "
			"is left out",
			c->outliers.modz_max);
		return;
	}
	words_count(fenced, "outlier", out);
	buf_printf(out,
		   " of %zu by Tukey's fences, modified z up to %.1f; none is "
		   "left out",
		   c->units, c->outliers.modz_max);
}

static void say_clusters(const struct analysis_cell *c, struct buf *out)
{
	if (c->clusters.warn)
		buf_printf(out,
			   "two modes %.1f %% apart: more rounds average them, "
			   "they do not explain them",
			   100 * c->clusters.apart);
}

static void say_drift(const struct analysis_cell *c, struct buf *out)
{
	if (!(c->trend.p < 0.01) && !(c->trend.slope_p < 0.01))
		return;
	buf_puts(out, "drifts by ");
	words_pct(c->trend.drift_pct, out);
	buf_puts(out, " over the run");
}

static void say_alike(const struct analysis_cell *c, struct buf *out)
{
	if (c->autocorrelated)
		buf_puts(out, "successive figures are alike (von Neumann p < "
			      ".05): its own interval counts fewer of them");
}

static void say_quantised(const struct analysis_cell *c, struct buf *out)
{
	if (c->quantised && c->d.sd > 0)
		buf_puts(out, "its spread is below the resolution of the "
			      "figures");
}

static const struct cell_rule {
	say_cell *say;
	const char *many; // what is said of more than COMPARE_ALIKE_MAX
} of_cells[] = {
	{ say_outliers, "have outliers; none is left out" },
	{ say_clusters, "show two modes: more rounds average them, they do not "
			"explain them" },
	{ say_drift, "drift over the run" },
	{ say_alike, "have successive figures that are alike: their own "
		     "intervals count fewer of them" },
	{ say_quantised, "have a spread below the resolution of the figures" },
};

static void warn_cell(struct analysis *an, const struct analysis_cell *c,
		      const char *said)
{
	const struct dataset *ds = an->ds;
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;

	if (an->nmetrics > 1)
		buf_printf(&text, "%s, ", ds->metrics[c->metric].name);
	words_cell(an, c->cell, &text);
	if (c->host != DATASET_NONE)
		buf_printf(&text, " on %s", intern_name(&ds->hosts, c->host));
	buf_printf(&text, ": %s", said);
	compare_push_warning(an, &text);
}

static size_t count_cells(const struct cell_rule *rule,
			  const struct analysis_cell *cells, size_t n)
{
	CLEANUP(buf_deinit) struct buf said = BUF_INIT;
	size_t hits = 0;

	for (size_t i = 0; i < n; i++) {
		buf_clear(&said);
		rule->say(&cells[i], &said);
		hits += said.len > 0;
	}
	return hits;
}

static void warn_cells(struct analysis *an, const struct cell_rule *rule)
{
	bool by_host = an->nhost_cells > 0;
	const struct analysis_cell *cells =
		by_host ? an->host_cells : an->cells;
	size_t n = by_host ? an->nhost_cells : an->ncells;
	size_t hits = count_cells(rule, cells, n);
	CLEANUP(buf_deinit) struct buf said = BUF_INIT;

	if (hits > COMPARE_ALIKE_MAX) {
		buf_printf(&said, "%zu of %zu series %s", hits, n, rule->many);
		compare_push_warning(an, &said);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		buf_clear(&said);
		rule->say(&cells[i], &said);
		if (said.len > 0)
			warn_cell(an, &cells[i], buf_str(&said));
	}
}

void compare_warn_cells(struct analysis *an)
{
	for (size_t i = 0; i < ARRAY_LEN(of_cells); i++)
		warn_cells(an, &of_cells[i]);
}
