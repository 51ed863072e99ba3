// vrun analyze FILE.csv: the rules of vrun's reports for anybody's table.
#include <errno.h>
#include <math.h>
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
	  "the figures; several: a wide table, compared column by column" },
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
	{ "separator", 0, "CHAR", "between fields (default: found out)" },
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
	struct strv values, factors, notes;
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
	strv_deinit(&q->notes);
	strv_deinit(&q->texts);
	free(q->filters.v);
	free(q->baseline.v);
	buf_deinit(&q->text);
}

typedef int add_item(struct request *q, const char *option, const char *item,
		     struct err *e);

static int add_value(struct request *q, const char *option, const char *item,
		     struct err *e)
{
	(void)option;
	(void)e;
	strv_add(&q->values, item);
	return 0;
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

// Options that take lists; given again, they add up.
static const struct list_option {
	const char *name;
	add_item *add;
} lists[] = {
	{ "value", add_value },
	{ "factors", add_factor },
	{ "where", add_filter },
	{ "baseline", add_baseline },
};

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
		if (l->add(q, l->name, item, e) != 0)
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

static int read_separator(const struct cmd_args *args, struct request *q,
			  struct err *e)
{
	const char *text = cmd_value(args, "separator");

	if (text == NULL)
		return 0;
	if (strcmp(text, "\\t") == 0 || strcmp(text, "tab") == 0)
		text = "\t";
	if (strlen(text) != 1 || strchr("\"\r\n", text[0]) != NULL)
		return err_set(e, ERR_USAGE,
			       "--separator: \"%s\" is no single character "
			       "(or tab)",
			       text);
	q->table.separator = text[0];
	return 0;
}

static int read_better(const struct cmd_args *args, struct request *q,
		       struct err *e)
{
	const char *text = cmd_value(args, "better");

	if (text == NULL)
		return 0;
	if (better_from_name(text, &q->table.better) != 0)
		return err_set(e, ERR_USAGE,
			       "--better: \"%s\" is no direction (have higher, "
			       "lower, neither)",
			       text);
	q->table.has_better = true;
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
	    read_separator(args, q, e) != 0 || read_better(args, q, e) != 0)
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
	if (table_read(&q.table, ds, &q.notes, e) != 0)
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
		"FILE is text with a line of column names and any separator; - "
		"is standard input. Each row is one trial. Cells are the "
		"combinations of the factors' values; each is compared with "
		"the cell that has the baseline's levels and is otherwise "
		"equal. Rows are paired only by a --block column.\n\n"
		"Example: vrun analyze runs.csv --value iops --factors backing "
		"--block round --baseline backing=4k --margin 2%",
	.min_operands = 1,
	.max_operands = 1,
	.options = options,
	.run = run,
};
