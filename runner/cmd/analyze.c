// vrun analyze FILE.csv: the rules of vrun's reports for anybody's table.
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/compare.h"
#include "analysis/dataset.h"
#include "analysis/report.h"
#include "analysis/sample.h"
#include "analysis/table.h"
#include "runner/base/alloc.h"
#include "runner/base/fd.h"
#include "runner/base/strv.h"
#include "runner/base/units.h"
#include "runner/cmd/cmd.h"
#include "runner/cmd/show.h"

enum {
	TABLE_BYTES_MAX = 1 << 30,
};

static const struct cmd_option options[] = {
	{ "value", 'v', "COLUMN,...",
	  "the figures; several, or FIRST..LAST: a wide table" },
	{ "columns", 0, "WHAT",
	  "of a wide table: arms (default), rounds, repeats or metrics" },
	{ "factors", 'F', "COLUMN,...", "what tells the cells apart" },
	{ "baseline", 'b', "FACTOR=LEVEL,...",
	  "what is compared with (default: the first cell)" },
	{ "where", 'w', "COLUMN=VALUE,...", "only rows that have these" },
	{ "block", 0, "COLUMN", "rounds: rows that ran side by side" },
	{ "host", 0, "COLUMN", "the machine; machines are estimated apart" },
	{ "boot", 0, "COLUMN", "the life of a VM; its rows are averaged" },
	{ "order", 0, "COLUMN", "when the row ran: an ascending number" },
	{ "status", 0, "COLUMN", "\"ok\", or the row failed" },
	{ "metric", 0, "COLUMN", "names the figure of each row" },
	{ "margin", 'm', "RATIO", "equivalence margin, as 2%" },
	{ "better", 0, "higher|lower", "which direction is better" },
	{ "exact", 0, "METRIC,...",
	  "have no noise: equal figures are no reason for doubt" },
	{ "separator", 0, "CHAR",
	  "between fields; or tab or blanks (default: found out)" },
	{ "header", 0, "LINE", "has the names of the columns: 1, 2, .. none" },
	{ "names", 0, "NAME,...", "of the columns, instead of the header's" },
	{ "comment", 0, "TEXT", "lines that begin with it are skipped" },
	{ "decimal", 0, "CHAR", "decimal sign of figures: . (default) or ," },
	{ "units", 0, NULL, "figures may have units: 1.3M, 12 ms, 4 KiB" },
	{ "question", 0, "TEXT", "what the report answers" },
	{ "accept-confounded", 0, NULL,
	  "let the order pass as no reason for doubt; the report says so" },
	SHOW_OPTIONS,
	{ NULL, 0, NULL, NULL },
};

struct pairs {
	struct level *v;
	size_t n, cap;
};

// What the options say, in the shapes that the analysis takes.
struct request {
	struct strv values, factors, exact, names, notes;
	struct strv texts; // owns what the pairs point to
	struct pairs filters, baseline;
	struct table_spec table;
	struct compare_spec compare;
	struct buf text; // of the file
};

static void request_deinit(struct request *q)
{
	strv_deinit(&q->values);
	strv_deinit(&q->factors);
	strv_deinit(&q->exact);
	strv_deinit(&q->names);
	strv_deinit(&q->notes);
	strv_deinit(&q->texts);
	free(q->filters.v);
	free(q->baseline.v);
	buf_deinit(&q->text);
}

static int add_factor(struct request *q, const char *option, const char *item,
		      struct err *e)
{
	for (size_t i = 0; i < q->factors.n; i++)
		if (strcmp(q->factors.v[i], item) == 0)
			return err_set(e, ERR_USAGE, "--%s: \"%s\" twice",
				       option, item);
	strv_add(&q->factors, item);
	return 0;
}

static int add_pair(struct request *q, struct pairs *to, const char *option,
		    const char *item, struct err *e)
{
	const char *eq = strchr(item, '=');

	if (eq == NULL || eq == item)
		return err_set(e, ERR_USAGE,
			       "--%s: \"%s\" is no NAME=VALUE, as in "
			       "backing=4k",
			       option, item);
	strv_addf(&q->texts, "%.*s", (int)(eq - item), item);
	strv_add(&q->texts, eq + 1);
	to->v = xgrow(to->v, &to->cap, to->n + 1, sizeof *to->v);
	to->v[to->n++] = (struct level){ q->texts.v[q->texts.n - 2],
					 q->texts.v[q->texts.n - 1] };
	return 0;
}

static int add_filter(struct request *q, const char *option, const char *item,
		      struct err *e)
{
	return add_pair(q, &q->filters, option, item, e);
}

static int add_baseline(struct request *q, const char *option, const char *item,
			struct err *e)
{
	return add_pair(q, &q->baseline, option, item, e);
}

// Options that take lists; given again, they add up. Items are texts in `to`,
// or `add` reads them.
static const struct list_option {
	const char *name;
	size_t to; // a struct strv of the request
	int (*add)(struct request *q, const char *option, const char *item,
		   struct err *e);
} lists[] = {
	{ "value", offsetof(struct request, values), NULL },
	{ "names", offsetof(struct request, names), NULL },
	{ "exact", offsetof(struct request, exact), NULL },
	{ "factors", 0, add_factor },
	{ "where", 0, add_filter },
	{ "baseline", 0, add_baseline },
};

static int add_item(struct request *q, const struct list_option *l,
		    const char *item, struct err *e)
{
	if (l->add != NULL)
		return l->add(q, l->name, item, e);
	strv_add((struct strv *)((char *)q + l->to), item);
	return 0;
}

static int add_list(struct request *q, const struct list_option *l,
		    const char *text, struct err *e)
{
	for (;;) {
		size_t len = strcspn(text, ",");
		CLEANUP(cleanup_free)
		char *item = xasprintf("%.*s", (int)len, text);

		if (len == 0)
			return err_set(e, ERR_USAGE,
				       "--%s: an empty name between commas",
				       l->name);
		if (add_item(q, l, item, e) != 0)
			return -1;
		if (text[len] == '\0')
			return 0;
		text += len + 1;
	}
}

static int read_lists(const struct cmd_args *args, struct request *q,
		      struct err *e)
{
	for (size_t g = 0; g < args->ngiven; g++)
		for (size_t i = 0; i < ARRAY_LEN(lists); i++)
			if (strcmp(args->given[g].option->name,
				   lists[i].name) == 0 &&
			    add_list(q, &lists[i], args->given[g].value, e) !=
				    0)
				return -1;
	if (q->values.n == 0)
		return err_set(e, ERR_USAGE,
			       "analyze: --value COLUMN says which column has "
			       "the figures");
	return 0;
}

static int read_margin(const struct cmd_args *args, struct request *q,
		       struct err *e)
{
	const char *text = cmd_value(args, "margin");
	enum units_status st;

	q->compare.margin = NO_FIGURE;
	if (text == NULL)
		return 0;
	st = units_parse_ratio(text, &q->compare.margin);
	if (st != UNITS_OK)
		return err_set(e, ERR_USAGE,
			       "--margin: \"%s\" %s; write a ratio, as 2%%",
			       text, units_status_text(st));
	if (!(q->compare.margin > 0) || q->compare.margin >= 1)
		return err_set(e, ERR_USAGE,
			       "--margin: \"%s\" is not between 0 and 100 %%",
			       text);
	return 0;
}

static int read_separator(const char *text, struct table_spec *to,
			  struct err *e)
{
	static const struct {
		const char *name;
		char separator;
	} named[] = {
		{ "tab", '\t' },
		{ "\\t", '\t' },
		{ "blanks", CSV_BLANKS },
	};

	for (size_t i = 0; i < ARRAY_LEN(named); i++) {
		if (strcmp(text, named[i].name) != 0)
			continue;
		to->format.separator = named[i].separator;
		return 0;
	}
	if (strlen(text) != 1 || strchr("\"\r\n", text[0]) != NULL)
		return err_set(e, ERR_USAGE,
			       "--separator: \"%s\" is no single character "
			       "(or tab, or blanks)",
			       text);
	to->format.separator = text[0];
	return 0;
}

static int read_header(const char *text, struct table_spec *to, struct err *e)
{
	uint64_t line;

	to->no_header = strcmp(text, "none") == 0;
	if (to->no_header)
		return 0;
	if (units_parse_count(text, &line) != UNITS_OK || line == 0)
		return err_set(e, ERR_USAGE,
			       "--header: \"%s\" is no number of a line, from "
			       "1, or none",
			       text);
	to->format.first_line = line;
	return 0;
}

static int read_comment(const char *text, struct table_spec *to, struct err *e)
{
	if (text[0] == '\0')
		return err_set(e, ERR_USAGE,
			       "--comment: empty; say what such lines begin "
			       "with, as '#'");
	to->format.comment = text;
	return 0;
}

static int read_decimal(const char *text, struct table_spec *to, struct err *e)
{
	if (strcmp(text, ".") != 0 && strcmp(text, ",") != 0)
		return err_set(e, ERR_USAGE,
			       "--decimal: \"%s\" is no decimal sign (have . "
			       "and ,)",
			       text);
	to->style.decimal = text[0];
	return 0;
}

static int read_units(const char *text, struct table_spec *to, struct err *e)
{
	(void)text;
	(void)e;
	to->style.units = true;
	return 0;
}

static int read_columns(const char *text, struct table_spec *to, struct err *e)
{
	static const char *const names[] = {
		[TABLE_ARMS] = "arms",
		[TABLE_ROUNDS] = "rounds",
		[TABLE_REPEATS] = "repeats",
		[TABLE_METRICS] = "metrics",
	};

	for (unsigned i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(text, names[i]) != 0)
			continue;
		to->wide = (enum table_wide)i;
		return 0;
	}
	return err_set(e, ERR_USAGE,
		       "--columns: \"%s\" is nothing that columns are (have "
		       "arms, rounds, repeats, metrics)",
		       text);
}

static int read_better(const char *text, struct table_spec *to, struct err *e)
{
	if (better_from_name(text, &to->better) != 0)
		return err_set(e, ERR_USAGE,
			       "--better: \"%s\" is no direction (have "
			       "higher, lower, neither)",
			       text);
	to->has_better = true;
	return 0;
}

// Options that say how the table is to be read.
static const struct table_option {
	const char *name;
	int (*read)(const char *text, struct table_spec *to, struct err *e);
} table_options[] = {
	{ "separator", read_separator }, { "header", read_header },
	{ "comment", read_comment },	 { "decimal", read_decimal },
	{ "units", read_units },	 { "columns", read_columns },
	{ "better", read_better },
};

static int read_table_options(const struct cmd_args *args, struct request *q,
			      struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(table_options); i++) {
		const char *text = cmd_value(args, table_options[i].name);

		if (text != NULL &&
		    table_options[i].read(text, &q->table, e) != 0)
			return -1;
	}
	return 0;
}

static void fill_specs(const struct cmd_args *args, struct request *q)
{
	q->table.values =
		(struct table_columns){ (const char *const *)q->values.v,
					q->values.n };
	q->table.factors =
		(struct table_columns){ (const char *const *)q->factors.v,
					q->factors.n };
	q->table.names =
		(struct table_columns){ (const char *const *)q->names.v,
					q->names.n };
	q->table.filters = q->filters.v;
	q->table.nfilters = q->filters.n;
	q->table.block = cmd_value(args, "block");
	q->table.host = cmd_value(args, "host");
	q->table.boot = cmd_value(args, "boot");
	q->table.order = cmd_value(args, "order");
	q->table.status = cmd_value(args, "status");
	q->table.metric = cmd_value(args, "metric");
	q->compare.baseline = q->baseline.v;
	q->compare.nbaseline = q->baseline.n;
	q->compare.alpha = COMPARE_ALPHA;
	q->compare.accept_confounded = cmd_has(args, "accept-confounded");
}

static int read_options(const struct cmd_args *args, struct request *q,
			struct err *e)
{
	if (read_lists(args, q, e) != 0 || read_margin(args, q, e) != 0 ||
	    read_table_options(args, q, e) != 0)
		return -1;
	fill_specs(args, q);
	return 0;
}

static int read_file(const char *path, struct request *q, struct err *e)
{
	if (strcmp(path, "-") != 0) {
		q->table.where = path;
		return file_read(path, TABLE_BYTES_MAX, &q->text, ERR_USAGE, e);
	}
	q->table.where = "standard input";
	if (fd_read_all(STDIN_FILENO, &q->text, TABLE_BYTES_MAX) != 0)
		return err_sys(e, ERR_USAGE, "standard input");
	return 0;
}

static int declare_exact(const struct request *q, struct dataset *ds,
			 struct err *e)
{
	for (size_t i = 0; i < q->exact.n; i++) {
		const char *name = q->exact.v[i];

		if (dataset_find_metric(ds, name) == DATASET_NONE)
			return err_set(e, ERR_USAGE,
				       "--exact: \"%s\" is no metric of %s: "
				       "name a column of figures",
				       name, q->table.where);
		if (dataset_declare_exact(ds, name, e) != 0)
			return -1;
	}
	return 0;
}

static int run(const struct cmd_args *args, int *status, struct err *e)
{
	CLEANUP(request_deinit) struct request q = { 0 };
	CLEANUP(dataset_freep) struct dataset *ds = dataset_new();
	CLEANUP(analysis_freep) struct analysis *an = NULL;
	struct report r;

	if (read_options(args, &q, e) != 0 ||
	    read_file(args->operands[0], &q, e) != 0)
		return -1;
	q.table.text = buf_str(&q.text);
	q.table.len = q.text.len;
	if (table_read(&q.table, ds, &q.notes, e) != 0 ||
	    declare_exact(&q, ds, e) != 0)
		return -1;
	if (compare_run(ds, &q.compare, &an, e) != 0)
		return err_wrap(e, "%s", q.table.where);
	r = (struct report){
		.ds = ds,
		.an = an,
		.question = cmd_value(args, "question"),
		.source = q.table.where,
		.notes = (const char *const *)q.notes.v,
		.nnotes = q.notes.n,
	};
	*status = CMD_OK;
	return show_report(args, &r, e);
}

const struct cmd cmd_analyze = {
	.name = "analyze",
	.operands = "FILE",
	.summary = "report on anybody's table of figures by the same rules",
	.details =
		"FILE is text; - is standard input. Each row is one trial, "
		"each combination of the\n"
		"factors' values a cell. A cell is compared with the one that "
		"has the baseline's\n"
		"levels and is otherwise equal. Rows are paired only by "
		"--block.\n\n"
		"  vrun analyze runs.csv --value iops --factors backing "
		"--block round \\\n"
		"      --baseline backing=4k --margin 2%\n\n"
		"Several columns of figures make a table wide. --columns says "
		"what they are: arms\n"
		"(levels of a factor \"column\"), rounds (side by side, so "
		"paired), repeats (trials\n"
		"of the row's cell), or metrics (figures of different "
		"kinds).\n\n"
		"  vrun analyze boot.csv --value kvm_s,tcg_s --factors probe "
		"\\\n"
		"      --baseline column=kvm_s\n"
		"  vrun analyze reps.csv --value r1..r5 --columns rounds "
		"--factors backing\n\n"
		"Separator: , ; tab | or blanks, found out from the first "
		"lines. Quotes, CRLF and a\n"
		"byte order mark are understood. Names of columns: --header "
		"none calls them 1, 2, ..;\n"
		"--names gives others. \"row\" is the row's own number, for "
		"--block and --order.\n\n"
		"  vrun analyze data.txt --header none --value 2 --factors 1 "
		"--order row\n"
		"  vrun analyze export.csv --header 3 --comment '#' --decimal "
		", \\\n"
		"      --value zeit --factors gast --better lower\n"
		"  vrun analyze fio.csv --value iops --factors backing "
		"--units\n\n"
		"Empty, NA, NaN, null, none, inf and - are no figure: the "
		"trial counts as invalid.\n"
		"Other text, separators of thousands, units without --units "
		"and figures in several\n"
		"units are errors.",
	.min_operands = 1,
	.max_operands = 1,
	.options = options,
	.run = run,
};
