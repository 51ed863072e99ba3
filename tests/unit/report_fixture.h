// A table of figures with its analysis and report, for tests of reports.
#pragma once

#include "tests/unit/numbers.h"

#include <string.h>

#include "analysis/report.h"
#include "analysis/table.h"

struct fixture {
	struct buf file, text;
	struct dataset *ds;
	struct strv notes;
	struct analysis *an;
	struct report report;
};

static void fixture_deinit(struct fixture *f)
{
	buf_deinit(&f->file);
	buf_deinit(&f->text);
	analysis_free(f->an);
	strv_deinit(&f->notes);
	dataset_free(f->ds);
}

static const char *const where[] = { "where" };
static const char *const y[] = { "y" };

static const struct table_spec small = {
	.where = "t.csv",
	.values = { y, 1 },
	.factors = { where, 1 },
	.has_better = true,
};

static void analyse(struct fixture *f, const struct table_spec *table)
{
	struct compare_spec spec = { .alpha = COMPARE_ALPHA, .margin = 0.02 };
	struct err e = { 0 };

	f->ds = dataset_new();
	if (table_read(table, f->ds, &f->notes, &e) != 0 ||
	    compare_run(f->ds, &spec, &f->an, &e) != 0)
		fail_msg("%s", e.msg);
	f->report = (struct report){ .ds = f->ds, .an = f->an, .name = "test" };
}

static inline void analyse_small(struct fixture *f, const char *text)
{
	struct table_spec spec = small;

	spec.text = text;
	spec.len = strlen(text);
	analyse(f, &spec);
}

static inline const char *written(struct fixture *f, enum report_format format)
{
	buf_clear(&f->text);
	report_write(&f->report, format, &f->text);
	return buf_str(&f->text);
}

#define assert_says(text, words)                                        \
	do {                                                            \
		const char *text_ = (text);                             \
		if (strstr(text_, (words)) == NULL)                     \
			fail_msg("\"%s\" is not in\n%s", words, text_); \
	} while (0)
