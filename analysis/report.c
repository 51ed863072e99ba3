#include "analysis/report.h"

#include <string.h>

#include "analysis/report_parts.h"
#include "analysis/words.h"
#include "runner/base/plain.h"

enum {
	METRICS_NAMED = 5, // in a question
};

static const struct format {
	const char *name, *file;
	void (*write)(const struct report *r, struct buf *out);
} formats[REPORT_FORMATS] = {
	[REPORT_TERM] = { "term", "report.txt", report_write_term },
	[REPORT_MD] = { "md", "report.md", report_write_md },
	[REPORT_CSV] = { "csv", "report.csv", report_write_csv },
	[REPORT_JSON] = { "json", "report.json", report_write_json },
	[REPORT_LATEX] = { "latex", "report.tex", report_write_latex },
	[REPORT_HTML] = { "html", "report.html", report_write_html },
};

const char *report_file_name(enum report_format f)
{
	return formats[f].file;
}

int report_format_from_name(const char *name, enum report_format *out)
{
	for (size_t i = 0; i < REPORT_FORMATS; i++) {
		if (strcmp(formats[i].name, name) == 0) {
			*out = (enum report_format)i;
			return 0;
		}
	}
	return -1;
}

void report_format_list(struct buf *out)
{
	for (size_t i = 0; i < REPORT_FORMATS; i++)
		buf_printf(out, "%s%s", i > 0 ? ", " : "", formats[i].name);
}

void report_write(const struct report *r, enum report_format f, struct buf *out)
{
	formats[f].write(r, out);
}

const char *report_clean(struct arena *a, const char *text)
{
	char *copy = arena_strdup(a, text);

	for (char *p = copy; *p != '\0'; p++) {
		if (*p == '\n' || *p == '\t')
			*p = ' ';
	}
	plain_text(copy);
	return copy;
}

// Has any comparison different levels of this factor?
static bool is_compared(const struct analysis *an, const char *factor)
{
	for (size_t i = 0; i < an->ncomparisons; i++) {
		const struct analysis_comparison *c = &an->comparisons[i];
		const char *a =
			dataset_level(&an->ds->cells[c->baseline], factor);
		const char *b = dataset_level(&an->ds->cells[c->cell], factor);

		if (a != NULL && b != NULL && strcmp(a, b) != 0)
			return true;
	}
	return false;
}

// "a", "a and b", "a, b and c": `i` counts what was said before.
static void join(struct buf *out, size_t i, size_t n, const char *word)
{
	if (i > 0)
		buf_puts(out, i + 1 == n ? " and " : ", ");
	buf_puts(out, word);
}

static void join_factors(const struct analysis *an, struct buf *out)
{
	const struct dataset_cell *first = &an->ds->cells[0];
	size_t n = 0, said = 0;

	for (size_t i = 0; i < first->nlevels; i++)
		n += is_compared(an, first->levels[i].factor);
	buf_puts(out, n == 1 ? "Does " : "Do ");
	for (size_t i = 0; i < first->nlevels; i++)
		if (is_compared(an, first->levels[i].factor))
			join(out, said++, n, first->levels[i].factor);
	buf_puts(out, " change ");
}

static void join_metrics(const struct analysis *an, struct buf *out)
{
	if (an->nmetrics > METRICS_NAMED) {
		words_count(an->nmetrics, "figure", out);
		return;
	}
	for (size_t m = 0; m < an->nmetrics; m++)
		join(out, m, an->nmetrics,
		     an->ds->metrics[an->metrics[m]].name);
}

void report_question(const struct report *r, struct buf *out)
{
	const struct analysis *an = r->an;

	if (r->question != NULL && r->question[0] != '\0') {
		buf_puts(out, r->question);
		return;
	}
	if (an->ncomparisons > 0)
		join_factors(an, out);
	else
		buf_puts(out, "What is ");
	join_metrics(an, out);
	buf_putc(out, '?');
}

static const char *const outcome_words[] = {
	[OUTCOME_OK] = "ok",	       [OUTCOME_FAILED] = "failed",
	[OUTCOME_INVALID] = "invalid", [OUTCOME_TIMEOUT] = "timed out",
	[OUTCOME_LOST] = "lost",
};

void report_counts(const struct report *r, struct buf *out)
{
	const struct dataset *ds = r->ds;

	words_count(ds->ntrials, "trial", out);
	if (r->planned > 0)
		buf_printf(out, " of %zu planned", r->planned);
	for (size_t o = 0; o < ARRAY_LEN(outcome_words); o++)
		if (ds->count[o] > 0 || o == OUTCOME_OK)
			buf_printf(out, "%s %zu %s", o == 0 ? ":" : ",",
				   ds->count[o], outcome_words[o]);
	if (ds->nretried > 0) {
		buf_puts(out, "; ");
		words_count(ds->nretried, "attempt", out);
		buf_puts(out, " repeated");
	}
	if (ds->nwarmup > 0) {
		buf_puts(out, "; ");
		words_count(ds->nwarmup, "warm-up trial", out);
		buf_puts(out, " left out by the plan");
	}
	buf_putc(out, '.');
}
