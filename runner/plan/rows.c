#include "runner/plan/rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"

enum {
	ROW_HOST,
	ROW_BLOCK,
	ROW_POSITION,
	ROW_CELLS,
	ROW_COLUMNS,
	CELL_DIGITS_MAX = 9,
};

// --- writing ---

static bool goes_on(const struct plan_trial *before, const struct plan_trial *t)
{
	return t->host == before->host && t->block == before->block &&
	       t->position == before->position + 1;
}

// A plan may have a million of them, and its id is made of their text.
static void put_cell(struct buf *out, uint32_t cell)
{
	char digits[CELL_DIGITS_MAX], *p = digits + sizeof(digits);

	do {
		*--p = (char)('0' + cell % 10);
		cell /= 10;
	} while (cell > 0);
	buf_add(out, p, (size_t)(digits + sizeof(digits) - p));
}

static struct js *row_to_js(const struct plan_trial *t, size_t n)
{
	CLEANUP(buf_deinit) struct buf cells = BUF_INIT;
	struct js *row = js_array();

	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			buf_putc(&cells, t[i].first_in_boot ? ',' : ' ');
		put_cell(&cells, t[i].cell);
	}
	js_append(row, js_int(t->host));
	js_append(row, js_int(t->block));
	js_append(row, js_int(t->position));
	js_append(row, js_string(buf_str(&cells)));
	return row;
}

struct js *rows_to_js(const struct plan *p)
{
	struct js *list = js_array();

	for (size_t i = 0, n; i < p->ntrials; i += n) {
		const struct plan_trial *t = &p->trials[i];

		for (n = 1; i + n < p->ntrials && goes_on(&t[n - 1], &t[n]);
		     n++)
			;
		js_append(list, row_to_js(t, n));
	}
	return list;
}

// --- reading ---

struct reading {
	struct plan *plan;
	uint32_t boots; // so far
	// By cell: the boot that had it last, from 1, and how often.
	uint32_t *boot, *times;
};

static void reading_deinit(struct reading *in)
{
	free(in->boot);
	free(in->times);
}

static int bad_row(size_t i, const char *what, struct err *e)
{
	return err_set(e, ERR_STORE, "plan: \"trials\": row %zu: %s", i + 1,
		       what);
}

// How many cells the text names, if it is well-formed.
static size_t count_cells(const char *cells)
{
	size_t n = 1;

	for (const char *p = cells; *p != '\0'; p++)
		n += *p == ' ' || *p == ',';
	return n;
}

static int count_trials(const struct js *list, size_t *n, struct err *e)
{
	*n = 0;
	for (size_t i = 0; i < js_len(list); i++) {
		const struct js *row = js_at(list, i);
		const char *cells = js_str(js_at(row, ROW_CELLS));

		if (js_len(row) != ROW_COLUMNS || cells == NULL)
			return bad_row(i,
				       "must be [host, block, position, "
				       "cells]",
				       e);
		*n += count_cells(cells);
	}
	if (*n == 0 || *n > PLAN_TRIALS_MAX)
		return err_set(e, ERR_STORE,
			       "plan: \"trials\": must be 1 to %d",
			       PLAN_TRIALS_MAX);
	return 0;
}

// Digits, of which there must be some; -1 otherwise.
static int take_cell(const char **p, uint32_t *cell)
{
	const char *from = *p;

	for (*cell = 0; **p >= '0' && **p <= '9'; (*p)++) {
		if (*p - from == CELL_DIGITS_MAX)
			return -1;
		*cell = 10 * *cell + (uint32_t)(**p - '0');
	}
	return *p == from ? -1 : 0;
}

static bool fits(const struct plan *p, const struct plan_trial *t)
{
	return t->cell < p->ncells && t->repeat < p->repeat &&
	       t->position < p->ncells * p->repeat &&
	       (t->first_in_boot || p->cells[t->cell].boot_group ==
					    p->cells[t[-1].cell].boot_group);
}

// `like` has what the row says, and the position.
static int add_trial(struct reading *in, struct plan_trial *like, uint32_t cell)
{
	struct plan *p = in->plan;
	struct plan_trial *t = &p->trials[p->ntrials];

	assert(p->trials != NULL); // they were counted before
	*t = *like;
	t->id = (uint32_t)p->ntrials;
	t->cell = cell;
	in->boots += t->first_in_boot;
	t->boot = in->boots - 1;
	if (cell >= p->ncells)
		return -1;
	in->times[cell] = in->boot[cell] == in->boots ? in->times[cell] + 1 : 0;
	in->boot[cell] = in->boots;
	t->repeat = in->times[cell];
	if (!fits(p, t))
		return -1;
	if (p->ntrials > 0)
		t[-1].last_in_boot = t->first_in_boot;
	p->ntrials++;
	like->position++;
	return 0;
}

static int read_cells(struct reading *in, struct plan_trial *like,
		      const char *text)
{
	uint32_t cell;

	like->first_in_boot = true;
	for (const char *p = text;; p++) {
		if (take_cell(&p, &cell) < 0 || add_trial(in, like, cell) < 0)
			return -1;
		if (*p == '\0')
			return 0;
		if (*p != ' ' && *p != ',')
			return -1;
		like->first_in_boot = *p == ',';
	}
}

static int read_index(const struct js *row, int column, size_t most,
		      uint32_t *out)
{
	int64_t v = js_int_value(js_at(row, (size_t)column), -1);

	if (v < 0 || (uint64_t)v >= most || v > UINT32_MAX)
		return -1;
	*out = (uint32_t)v;
	return 0;
}

static int read_row(struct reading *in, const struct js *row)
{
	const struct plan *p = in->plan;
	const struct plan_trial *before =
		p->ntrials > 0 ? &p->trials[p->ntrials - 1] : NULL;
	struct plan_trial like = { 0 };

	if (read_index(row, ROW_HOST, p->nhosts, &like.host) < 0 ||
	    read_index(row, ROW_BLOCK, (size_t)p->rounds + p->warmup_rounds,
		       &like.block) < 0 ||
	    read_index(row, ROW_POSITION, p->ncells * p->repeat,
		       &like.position) < 0)
		return -1;
	if (like.host < (before != NULL ? before->host : 0))
		return -1;
	return read_cells(in, &like, js_str(js_at(row, ROW_CELLS)));
}

int rows_from_js(const struct js *list, struct plan *p, struct err *e)
{
	CLEANUP(reading_deinit)
	struct reading in = { .plan = p,
			      .boot = xcalloc(p->ncells, sizeof(*in.boot)),
			      .times = xcalloc(p->ncells, sizeof(*in.times)) };
	size_t n;

	if (js_kind(list) != JS_ARRAY)
		return err_set(e, ERR_STORE,
			       "plan: \"trials\": must be a list of rows");
	if (count_trials(list, &n, e) < 0)
		return -1;
	p->trials = arena_array(p->arena, n, sizeof(*p->trials));
	for (size_t i = 0; i < js_len(list); i++) {
		if (read_row(&in, js_at(list, i)) < 0)
			return bad_row(i, "does not fit", e);
	}
	p->trials[n - 1].last_in_boot = true;
	return 0;
}
