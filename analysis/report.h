// A report: question, answer in one sentence, table, methods, environment,
// treatment checks, failures, warnings; in several formats. Pure: text out of
// an analysis and what the caller knows about its origin.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/compare.h"
#include "analysis/dataset.h"
#include "analysis/stopping.h"
#include "runner/base/buf.h"
#include "runner/base/js.h"

enum {
	REPORT_VERSION = 1, // of the JSON form
	REPORT_WIDTH = 80,
};

enum report_format {
	REPORT_TERM,
	REPORT_MD,
	REPORT_CSV, // tidy: one line per cell and per comparison
	REPORT_JSON,
	REPORT_LATEX,	// tables for a paper
	REPORT_HTML,	// one file, with figures
	REPORT_FORMATS, // how many
};

// Everything is borrowed; texts may be NULL when unknown.
struct report {
	const struct dataset *ds;
	const struct analysis *an;
	const char *name;     // of the campaign or file
	const char *question; // NULL: one is made from the comparison
	const char *source;   // results directory or file
	const char *plan_id, *rng, *order; // "blocks": as in the matrix
	bool has_seed;
	uint64_t seed;
	const char *started, *finished; // UTC stamps
	size_t planned;			// trials in the plan; 0: not known
	const char *stopped; // why it is not complete, as a sentence, or NULL
	const struct stopping *stopping; // the rule and its looks, or NULL
	bool aa;		      // a baseline against itself: see noise.h
	const struct js *environment; // {host: {facts}} or NULL
	const char *const *notes;     // more warnings, as sentences
	size_t nnotes;
	// Terminal only.
	unsigned width; // columns; 0: REPORT_WIDTH
	bool color;	// escape codes; off for pipes and NO_COLOR
};

// "report.txt", "report.md", ...
const char *report_file_name(enum report_format f);
// From "term", "md", "csv", "json", "latex", "html".
int report_format_from_name(const char *name,
			    enum report_format *out) MUST_CHECK; // 0, -1
// "term, md, csv, ...": all of them.
void report_format_list(struct buf *out);

void report_write(const struct report *r, enum report_format f,
		  struct buf *out);
// The report as a tree, for callers that add to it; the caller unrefs.
struct js *report_to_js(const struct report *r);

// The answer in one sentence, never "no difference".
void report_answer(const struct report *r, struct buf *out);
