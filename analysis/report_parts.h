// What the report formats for people share: the sections of a report in their
// order, given to a renderer piece by piece. Not for others.
#pragma once

#include "analysis/report.h"
#include "runner/base/arena.h"

// Rows of texts, filled cell by cell.
struct report_column {
	const char *title;
	bool right; // figures
};

struct report_table {
	struct arena *arena;
	const char *title; // of the section that it stands in; or NULL
	const struct report_column *columns;
	size_t ncolumns;
	const char **text; // nrows * ncolumns
	size_t ntext, cap;
};

static inline size_t report_table_rows(const struct report_table *t)
{
	return t->ntext / t->ncolumns;
}

void report_table_init(struct report_table *t, struct arena *a,
		       const struct report_column *columns, size_t ncolumns);
// The next cell of the table; copied.
void report_table_add(struct report_table *t, const char *text);
// Likewise what `b` holds, which is emptied.
void report_table_take(struct report_table *t, struct buf *b);

// The tables of a report. Each is empty (no rows) when it has nothing to say.
void report_table_cells(const struct report *r, struct report_table *t);
void report_table_noise(const struct report *r, struct report_table *t);
void report_table_comparisons(const struct report *r, struct report_table *t);
void report_table_hosts(const struct report *r, struct report_table *t);
void report_table_secondary(const struct report *r, struct report_table *t);
#define REPORT_SECONDARY "Also measured (exploratory)"

// The same as text.
void report_secondary_title(const struct report *r, struct buf *out);
// Latencies in the middle and at the end, of the first comparisons.
void report_table_secondary_brief(const struct report *r,
				  struct report_table *t);
// Of each cell the percentiles of its trials, and of all of them pooled.
void report_table_latency(const struct report *r, struct report_table *t);
// Every trial with its figures, thinned as the pictures are.
void report_table_trials(const struct report *r, struct report_table *t);
void report_table_checks(const struct report *r, struct report_table *t);
void report_table_failures(const struct report *r, struct report_table *t);
void report_table_environment(const struct report *r, struct report_table *t);
// The few facts without which the figures cannot be read.
void report_table_setup(const struct report *r, struct report_table *t);

struct report_renderer {
	bool brief; // for a screen: leaves out what other formats have
	// NULL where the page has one of its own.
	void (*title)(struct buf *out, const struct report *r,
		      const char *text);
	void (*heading)(struct buf *out, const struct report *r,
			const char *text);
	void (*answer)(struct buf *out, const struct report *r,
		       const char *text);
	void (*paragraph)(struct buf *out, const struct report *r,
			  const char *text);
	void (*list)(struct buf *out, bool begins); // around items; or NULL
	void (*item)(struct buf *out, const struct report *r, const char *text);
	void (*table)(struct buf *out, const struct report *r,
		      const struct report_table *t);
	// Below the tables of results; NULL where there is no picture.
	void (*figures)(struct buf *out, const struct report *r);
};

void report_render(const struct report *r, const struct report_renderer *to,
		   struct buf *out);

// "Does backing change block.iops?" unless the report has a question.
void report_question(const struct report *r, struct buf *out);
// Estimator, degrees of freedom, alpha, margin, family, order, seed.
void report_methods(const struct report *r, struct buf *out);
enum {
	REPORT_REACH_MAX = 3, // sentences; JSON has the figures of all
};

// What the first undecided comparisons could have detected, and what it would
// take: a sentence each.
size_t report_reach(const struct report *r, struct arena *a,
		    const char *out[REPORT_REACH_MAX]);
void report_reach_js(const struct report *r,
		     const struct analysis_comparison *c, struct js *j);
// Of a report with r->aa.
void report_noise_answer(const struct report *r, struct buf *out);
struct js *report_noise_js(const struct report *r);
// The stopping rule: how it looks, and what became of it. With r->stopping.
void report_stopping_rule(const struct report *r, struct buf *out);
void report_stopping(const struct report *r, struct buf *out);
struct js *report_stopping_js(const struct report *r);
// Counts of trials by outcome, as a sentence.
void report_counts(const struct report *r, struct buf *out);

// `text` without control characters, which a host's messages may hold.
const char *report_clean(struct arena *a, const char *text);

void report_write_term(const struct report *r, struct buf *out);
void report_write_md(const struct report *r, struct buf *out);
void report_write_csv(const struct report *r, struct buf *out);
void report_write_json(const struct report *r, struct buf *out);
void report_write_latex(const struct report *r, struct buf *out);
void report_write_html(const struct report *r, struct buf *out);
